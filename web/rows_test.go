package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/mplp"
)

// words are the texts of the elements that a selector finds, white space
// folded.
func words(s *goquery.Selection) (list []string) {
	s.Each(func(_ int, e *goquery.Selection) { list = append(list, strings.Join(strings.Fields(e.Text()), " ")) })
	return list
}

// fact is the text and the link beside a term of a page.
func fact(doc *goquery.Document, term string) (text, href string) {
	dd := doc.Find("dt").FilterFunction(func(_ int, e *goquery.Selection) bool { return e.Text() == term }).First().Next()
	return strings.Join(strings.Fields(dd.Text()), " "), dd.Find("a").AttrOr("href", "")
}

func TestC17_EveryTargetIsLabelledAndDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	for _, tt := range []struct{ name, target string }{
		{"C-17a context", "context"}, {"C-17b plan", "plan"}, {"C-17c trace", "trace"}, {"C-17d extension", "extension"}, {"C-17e other", "other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := b.in(t)
			c := w.post(agent, `{"target_type":"`+tt.target+`","target_id":"target-1"}`)
			got := words(b.open(c).doc(t).Find("#what").Parent().Find(".facts .kind, .facts .kind + *"))
			if diff := cmp.Diff([]string{tt.target, "target-1"}, got); diff != "" {
				t.Errorf("the target on the page (-want +got):\n%s", diff)
			}
			b.want(b.decide(c, "decision", "approve"), http.StatusSeeOther)
			if got := w.outcome(c.ID).Confirm.Status; got != domain.Approved {
				t.Errorf("status %s", got)
			}
		})
	}
}

func TestC16_LockedConfirmShowsItsLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.post(w.asker(), `{"governance":{"locked":true},`+bare[1:])
	doc := w.user("reviewer", "reviewer").open(c).doc(t)
	if got := words(doc.Find(".kicker .badge")); !strings.Contains(strings.Join(got, ", "), "Locked") {
		t.Errorf("badges %v", got)
	}
	if doc.Find("#decision-form").Length() != 0 {
		t.Error("a decision is offered")
	}
}

func TestC31_ReviewerHearsOfAConfirmAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	id := w.plan(agent, "p-1")
	stream := b.live("")
	stream.frame() // connected
	c, err := w.svc.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil {
		t.Fatal(err)
	}
	for heard := stream.frame(); !slices.Contains(heard, "event: confirm"); heard = stream.frame() {
		if heard == nil {
			t.Fatal("the stream has ended, and the page has not heard of the confirm")
		}
	}
	if got := b.get("/confirms").doc(t).Find("#row-" + c.ID).Length(); got != 1 {
		t.Errorf("the inbox has %d rows of it", got)
	}
}

func TestF9_PageDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.post(w.asker(), trade)
	b := w.user("reviewer", "reviewer")
	b.want(b.decide(c, "decision", "approve", "reason", "Verified with the vendor"), http.StatusSeeOther)
	o := w.outcome(c.ID)
	if o.Confirm.Status != domain.Approved || o.Decision.Reason != "Verified with the vendor" || o.Decision.DecidedBy != b.ref || o.Decision.SentHash != c.ContentHash {
		t.Errorf("%s: %+v", o.Confirm.Status, o.Decision)
	}
}

// postPlan posts a plan written as JSON.
func (w *world) postPlan(ref domain.Ref, text string) {
	w.t.Helper()
	in, err := mplp.ParsePlan([]byte(text), w.svc.Limits().MPLP())
	if err == nil {
		_, err = w.svc.PostPlan(w.ctx, ref, in)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) postContext(ref domain.Ref, text string) {
	w.t.Helper()
	in, err := mplp.ParseContext([]byte(text), w.svc.Limits().MPLP())
	if err == nil {
		_, err = w.svc.CreateContext(w.ctx, ref, in)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// rolePlan has a step for a role by name, one by id, and one for nobody known.
const rolePlan = `{"plan_id":"p-1","context_id":"ctx-1","title":"Fix the login","objective":"No more errors","trace":{"trace_id":"trace-1"},"steps":[
	{"step_id":"s1","description":"Read","agent_role":"coder"},{"step_id":"s2","description":"Write","agent_role":"duty-1","dependencies":["s1"]},
	{"step_id":"s3","description":"Deploy","agent_role":"devops","dependencies":["s2"]}]}`

// roleWorld has objects that name roles, by id and by name.
func roleWorld(t *testing.T) (w *world, admin *browser, agent domain.Ref) {
	t.Helper()
	w = newWorld(t)
	if _, err := w.svc.CreateRole(w.ctx, domain.System, domain.RoleInput{ID: "duty-1", Name: "duty officer", Capabilities: []string{"plan.*", "context.*", "confirm.request"}}); err != nil {
		t.Fatal(err)
	}
	agent = w.agent("agent", "duty-1")
	w.postContext(agent, `{"context_id":"ctx-1","title":"Login service","status":"active","owner_role":"duty officer"}`)
	w.postPlan(agent, rolePlan)
	return w, w.user("admin", "admin"), agent
}

func TestR17_ContextLinksItsOwnersRole(t *testing.T) {
	t.Parallel()
	w, admin, agent := roleWorld(t)
	if text, href := fact(admin.want(admin.get("/contexts/ctx-1"), http.StatusOK).doc(t), "Owner role"); text != "duty officer" || href != "/roles/duty-1" {
		t.Errorf("owner %q at %q", text, href)
	}
	w.postContext(agent, `{"context_id":"ctx-2","title":"T","owner_role":"role-architect-001"}`)
	if text, href := fact(admin.get("/contexts/ctx-2").doc(t), "Owner role"); text != "role-architect-001" || href != "" {
		t.Errorf("an owner that no role is: %q at %q", text, href)
	}
}

func TestR18_P10_P33_StepLinksItsAgentsRole(t *testing.T) {
	t.Parallel()
	w, admin, agent := roleWorld(t)
	c := w.post(agent, `{"target_type":"plan","target_id":"p-1","step_id":"s1"}`)
	want := map[string]string{"coder": "/roles/coder", "duty-1": "/roles/duty-1", "devops": ""}
	links := func(doc *goquery.Document) map[string]string {
		got := map[string]string{}
		doc.Find(`.steps td[data-label="Agent role"]`).Each(func(_ int, e *goquery.Selection) {
			got[strings.TrimSpace(e.Text())] = e.Find("a").AttrOr("href", "")
		})
		return got
	}
	for _, path := range []string{"/plans/p-1", "/confirms/" + c.ID} {
		if diff := cmp.Diff(want, links(admin.want(admin.get(path), http.StatusOK).doc(t))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	reviewer := w.user("reviewer", "reviewer") // may not open roles
	if diff := cmp.Diff(map[string]string{"coder": "", "duty-1": "", "devops": ""}, links(reviewer.get("/plans/p-1").doc(t))); diff != "" {
		t.Errorf("for a reviewer (-want +got):\n%s", diff)
	}
}

func TestR19_ConfirmLinksTheRoleThatAsked(t *testing.T) {
	t.Parallel()
	w, admin, agent := roleWorld(t)
	for _, tt := range []struct{ name, member, text, href string }{
		{"R-19 by id", `"requested_by_role":"duty-1",`, "duty-1", "/roles/duty-1"},
		{"R-19 by name", `"requested_by_role":"duty officer",`, "duty officer", "/roles/duty-1"},
		{"R-19 a label", `"requested_by_role":"role-planner-001",`, "role-planner-001", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := w.post(agent, `{`+tt.member+bare[1:])
			asker := admin.in(t).open(c).doc(t).Find(".asker")
			if got := asker.Find("a").AttrOr("href", ""); got != tt.href || !strings.Contains(asker.Text(), tt.text) {
				t.Errorf("%q linked to %q, want %s at %q", words(asker), got, tt.text, tt.href)
			}
		})
	}
}

// TestR20_ParticipantsAreKept posts a context with the participants of a
// collaboration inside.
func TestR20_ParticipantsAreKept(t *testing.T) {
	t.Parallel()
	w, admin, agent := roleWorld(t)
	const participant = `{"participant_id":"agent-1","role_id":"role-coder-001","kind":"agent"}`
	w.postContext(agent, `{"context_id":"ctx-2","title":"T","participants":[`+participant+`]}`)
	c, err := w.svc.Context(w.ctx, agent, "ctx-2")
	if err != nil {
		t.Fatal(err)
	}
	if kept, ok := mplp.Member(c.Native, "participants"); !ok || string(kept) != "["+participant+"]" {
		t.Errorf("kept as %s", kept)
	}
	shown := admin.get("/contexts/ctx-2").doc(t).Find(".code").Text()
	for _, value := range []string{"agent-1", "role-coder-001", `"agent"`} {
		if !strings.Contains(shown, value) {
			t.Errorf("the page does not show %s", value)
		}
	}
}

func TestR25_RolePageSaysWhereItIsUsed(t *testing.T) {
	t.Parallel()
	w, admin, agent := roleWorld(t)
	byID := w.post(agent, `{"requested_by_role":"duty-1",`+bare[1:])
	byName := w.post(agent, `{"requested_by_role":"duty officer",`+bare[1:])
	w.post(agent, `{"requested_by_role":"another",`+bare[1:])
	w.post(w.agent("other", w.role("asker", "confirm.request")), `{"required_role":"duty-1",`+bare[1:])
	got := map[string][]string{}
	aside := admin.want(admin.get("/roles/duty-1"), http.StatusOK).doc(t).Find("aside")
	aside.Find("h3").Each(func(_ int, h *goquery.Selection) {
		h.NextFiltered("ul").Find("li").Each(func(_ int, li *goquery.Selection) {
			text := strings.TrimSpace(li.Text())
			if href := li.Find("a").AttrOr("href", ""); href != "" {
				text += " " + href
			}
			got[h.Text()] = append(got[h.Text()], text)
		})
	})
	want := map[string][]string{
		"Keys":                       {"agent /keys?q=" + agent.ID + "#key-" + agent.ID},
		"Pending requests":           {"1 require it"},
		"Requests made in this role": {byName.ID + " /confirms/" + byName.ID, byID.ID + " /confirms/" + byID.ID},
		"Steps of recent plans":      {"Write /plans/p-1"},
		"Contexts it owns":           {"Login service /contexts/ctx-1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("where it is used (-want +got):\n%s", diff)
	}
}

// TestRolePage_LinksWhoHoldsIt: a link to who holds the role, for those who may
// follow it.
func TestRolePage_LinksWhoHoldsIt(t *testing.T) {
	t.Parallel()
	w, admin, agent := roleWorld(t)
	reader := w.user("reader", w.role("looks", "role.read"), "duty-1")
	links := func(b *browser) (list []string) {
		b.want(b.get("/roles/duty-1"), http.StatusOK).doc(t).Find("aside .links a[href^='/users'], aside .links a[href^='/keys']").Each(func(_ int, a *goquery.Selection) {
			list = append(list, strings.TrimSpace(a.Text())+" "+a.AttrOr("href", ""))
		})
		return list
	}
	want := []string{"reader /users/" + reader.ref.ID, "agent /keys?q=" + agent.ID + "#key-" + agent.ID}
	if diff := cmp.Diff(want, links(admin)); diff != "" {
		t.Errorf("an administrator's links (-want +got):\n%s", diff)
	}
	if got := links(reader); got != nil {
		t.Errorf("without user.read and key.read there are %v", got)
	}
	row := admin.want(admin.get("/keys"), http.StatusOK).doc(t).Find("#key-" + agent.ID)
	if !strings.Contains(row.Text(), "agent") {
		t.Errorf("the link leads to %q", row.Text())
	}
}

func TestR4_RolePageShowsItsDescription(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.user("admin", "admin")
	page := admin.want(admin.get("/roles/orchestrator"), http.StatusOK).doc(t)
	if got := page.Find("#description").Text(); got != "Controls session flow" {
		t.Errorf("description %q", got)
	}
}

func TestP1_P2_P21_PlanPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	w.postPlan(agent, `{"plan_id":"p-1","context_id":"ctx-1","title":"Example","objective":"DAG","trace":{"trace_id":"trace-1"},"steps":[
		{"step_id":"s1","description":"Analyze Requirements","dependencies":[]},{"step_id":"s2","description":"Design Architecture","dependencies":["s1"]},
		{"step_id":"s3","description":"Setup Testing","dependencies":["s1"]},{"step_id":"s4","description":"Implement Core","dependencies":["s2"]},
		{"step_id":"s5","description":"Integration Test","dependencies":["s3","s4"]}]}`)
	c := w.post(agent, `{"target_type":"plan","target_id":"p-1","step_id":"s3"}`)
	b := w.user("reviewer", "reviewer")
	doc := b.want(b.get("/plans/p-1"), http.StatusOK).doc(t)
	if nodes, edges := doc.Find("svg a.step").Length(), doc.Find("svg .edge").Length(); nodes != 5 || edges != 5 {
		t.Errorf("P-1, P-21: %d nodes and %d edges are drawn", nodes, edges)
	}
	if got := doc.Find("aside .refs a[href='/confirms/" + c.ID + "']").Length(); got != 1 {
		t.Errorf("P-2: the confirm is listed %d times", got)
	}
	if text, href := fact(doc, "Trace"); text != "trace-1" || href != "/traces/trace-1" {
		t.Errorf("P-2: the trace is %q at %q", text, href)
	}
	b.want(b.get("/traces/trace-1"), http.StatusOK)
}

// TestA10a_A20c_A21_PageShowsTheCall opens a request of two tool calls.
func TestA10a_A20c_A21_PageShowsTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	one := b.open(w.post(agent, trade)).doc(t)
	if got := words(one.Find("h1 .tool")); !cmp.Equal([]string{"execute_trade"}, got) {
		t.Errorf("A-10a: the tools are %v", got)
	}
	indented := "{\n  \"symbol\": \"VNM\",\n  \"quantity\": 100,\n  \"limit\": 1e400\n}"
	if got := one.Find("#args_0").Text(); got != indented {
		t.Errorf("A-20c: the arguments are shown as %q", got)
	}
	if got := one.Find(`[data-action="0"]`).First().Text(); !strings.Contains(got, "1e400") {
		t.Errorf("A-20c: the card shows %q", got)
	}
	for _, verdict := range []string{"approve", "reject"} {
		if one.Find(`button[name=decision][value=`+verdict+`]`).Length() != 1 {
			t.Errorf("A-20c: there is no button to %s", verdict)
		}
	}
	two := b.open(w.post(agent, twoCalls)).doc(t)
	if got := two.Find("input[type=radio]").Length(); got != 6 {
		t.Errorf("A-20c: %d choices for two actions", got)
	}
	if two.Find("button[name=decision][value=decide]").Length() != 1 {
		t.Error("A-20c: there is no button to send the choices")
	}
	for name, doc := range map[string]*goquery.Document{"one": one, "two": two} {
		if got := doc.Find("[checked], option[selected][value!='']").Length(); got != 0 {
			t.Errorf("A-21: %s: %d controls are chosen beforehand", name, got)
		}
	}
}

func TestP37_ListShowsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.postPlan(w.asker(), `{"plan_id":"p-1","context_id":"c","title":"T","objective":"O","status":"in_progress","steps":[
		{"step_id":"s1","description":"D","status":"completed"},{"step_id":"s2","description":"D","status":"completed"},
		{"step_id":"s3","description":"D","status":"in_progress"},{"step_id":"s4","description":"D"},{"step_id":"s5","description":"D"}]}`)
	b := w.user("reviewer", "reviewer")
	row := words(b.want(b.get("/plans"), http.StatusOK).doc(t).Find("#row-p-1"))
	if len(row) != 1 || !strings.Contains(row[0], "2 of 5 steps done") || !strings.Contains(row[0], "Import") {
		t.Errorf("the list shows %q", row)
	}
}
