package web_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"countersign/domain/mplp"
)

func TestC2_PlanIsProposedAndDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planner, reviewer := w.user("planner", "planner"), w.user("reviewer", "reviewer")
	id := w.plan(w.asker(), "plan-1")
	page := planner.want(planner.get("/plans/"+id), http.StatusOK)
	doc := page.doc(t)
	if got := doc.Find(".drawing a.step").Length(); got != 3 {
		t.Errorf("%d steps drawn, want 3", got)
	}
	if got := doc.Find("#step-2 [data-label='Depends on'] a").AttrOr("href", ""); got != "#step-1" {
		t.Errorf("step 2 comes after %q", got)
	}
	planner.want(planner.submit(page, "/plans/"+id+"/propose"), http.StatusSeeOther)
	planner.want(planner.submit(page, "/plans/"+id+"/propose"), http.StatusConflict)

	link := reviewer.get("/confirms").doc(t).Find(".row-link")
	if got := strings.TrimSpace(link.Text()); got != "“Fix the login”" {
		t.Errorf("the inbox names the plan %q", got)
	}
	confirm := reviewer.want(reviewer.get(link.AttrOr("href", "")), http.StatusOK)
	action := link.AttrOr("href", "") + "/decision"
	reviewer.want(reviewer.submit(confirm, action, "decision", "request_changes", "reason", "Test it first"), http.StatusSeeOther)
	if got := planner.get("/plans/" + id).doc(t).Find(".kicker").Text(); !strings.Contains(got, "Draft") {
		t.Errorf("the plan is %q", got)
	}
	// Proposed again, the confirm says what was said before.
	planner.want(planner.submit(page, "/plans/"+id+"/propose"), http.StatusSeeOther)
	again := reviewer.get(reviewer.get("/confirms").doc(t).Find(".row-link").AttrOr("href", ""))
	if got := again.doc(t).Find("section[aria-labelledby=supersedes]").Text(); !strings.Contains(got, "Test it first") {
		t.Errorf("asked before: %q", got)
	}
}

func TestP14b_DraftIsAbandoned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("planner", "planner")
	id := w.plan(w.asker(), "plan-1")
	page := b.get("/plans/" + id)
	b.want(b.submit(page, "/plans/"+id+"/cancel", "reason", "not needed"), http.StatusSeeOther)
	again := b.want(b.submit(page, "/plans/"+id+"/cancel", "reason", "asked twice"), http.StatusConflict).doc(t)
	if refusal, words := again.Find(".conflict[data-focus]").Text(), again.Find("#unsent:not([hidden]) p").Text(); refusal == "" || words != "asked twice" {
		t.Errorf("the refusal is %q, with the words %q", refusal, words)
	}
	if got := again.Find(".card .hint").Text(); !strings.Contains(got, "The plan ended with 3 steps not done. No step will run") {
		t.Errorf("of steps that are pending for good the page says %q", got)
	}
	if got := b.want(b.get("/plans?status=lost"), http.StatusOK).doc(t).Find(".row").Length(); got != 1 {
		t.Errorf("with a status that there is none of, %d plans, want all", got)
	}
	if got := b.want(b.get("/plans?status=cancelled"), http.StatusOK).doc(t).Find(".row").Length(); got != 1 {
		t.Errorf("%d cancelled plans", got)
	}
}

func TestLargePlanIsDrawnAroundTheGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var steps strings.Builder
	for i := range 600 {
		if i > 0 {
			steps.WriteString(",")
		}
		steps.WriteString(`{"step_id":"s` + strconv.Itoa(i) + `","description":"Step ` + strconv.Itoa(i) + `"`)
		if i > 0 {
			steps.WriteString(`,"dependencies":["s` + strconv.Itoa(i-1) + `"]`)
		}
		steps.WriteString("}")
	}
	agent := w.asker()
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"long","context_id":"c","title":"Long","objective":"Far","steps":[`+steps.String()+`]}`), w.svc.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.PostPlan(w.ctx, agent, in); err != nil {
		t.Fatal(err)
	}
	c := w.post(agent, `{"target_type":"plan","target_id":"long","step_id":"s300"}`)
	doc := w.user("reviewer", "reviewer").open(c).doc(t)
	if drawn := doc.Find(".drawing a.step").Length(); drawn != 5 {
		t.Errorf("%d steps drawn, want the gated one and two to each side", drawn)
	}
	if got := doc.Find(".drawing a.step.gated").AttrOr("href", ""); got != "#step-301" {
		t.Errorf("gated %q", got)
	}
	if rows := doc.Find("table.steps tbody tr").Length(); rows != 600 {
		t.Errorf("%d rows in the table, want all", rows)
	}
}
