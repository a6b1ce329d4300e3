package domain_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
)

// TestN12_EntriesStaySmall: whatever is posted at its greatest, no entry of the
// log has more than 8 KiB. Entries are kept for ever.
func TestN12_EntriesStaySmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("agent", w.role("asker", "confirm.request", "plan.*", "context.*"))
	reviewer := w.user("rea", "reviewer")
	l := w.Limits()
	title, described, id := strings.Repeat("t", l.Title), strings.Repeat("d", l.Description), strings.Repeat("i", 127)
	reason := strings.Repeat("r", 200_000)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	plan := func(n int) string {
		t.Helper()
		steps := []string{fmt.Sprintf(`{"step_id":"%s0","description":%q,"agent_role":%q}`, id, described, title)}
		for i := range 400 {
			steps = append(steps, fmt.Sprintf(`{"step_id":"s-%d-%s","description":"d","dependencies":["%s0"]}`, i, id[:100], id))
		}
		in, err := mplp.ParsePlan(fmt.Appendf(nil, `{"plan_id":"p%d%s","context_id":%q,"title":%q,"objective":%q,"steps":[%s]}`,
			n, id[:120], id, title, described, strings.Join(steps, ",")), l.MPLP())
		must(err)
		posted, err := w.PostPlan(w.ctx, agent, in)
		must(err)
		return posted.Plan.ID
	}
	context, err := mplp.ParseContext(fmt.Appendf(nil, `{"context_id":%q,"title":%q,"summary":%q,"owner_role":%q,"status":"active"}`, id, title, described, title), l.MPLP())
	must(err)
	_, err = w.CreateContext(w.ctx, agent, context)
	must(err)

	calls := strings.Repeat(fmt.Sprintf(`{"name":%q,"args":{},"tool_use_id":%q,"description":%q},`, title, title, described[:1000]), 31)
	c := w.post(agent, fmt.Sprintf(`{"target_type":"other","target_id":%q,"requested_by_role":%q,"reason":%q,"message_id":%q,"session_id":%q,
		"trace":{"trace_id":%q,"span_id":%q,"attributes":{"step_id":%q}},"actions":[%s{"name":"rm","args":{}}]}`, id, title, reason[:100_000], title, id, id, id, title, calls))
	shownOf32 := slices.Repeat([]domain.ShownFinding{{Kind: "identifier", Level: "stop", Action: 31, Pointer: "/" + strings.Repeat("é", 100)}}, 50)
	_, err = w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{Status: domain.Rejected, ContentHash: c.ContentHash, Findings: shownOf32})
	must(err)
	c = w.post(agent, fmt.Sprintf(`{"target_type":"other","requested_by_role":%q}`, title))
	_, err = w.CancelConfirm(w.ctx, agent, c.ID, reason)
	must(err)

	// A plan that is rejected, one that is cancelled, and one that runs until a
	// step fails that hundreds wait for.
	propose := func(id string) *domain.Confirm {
		t.Helper()
		c, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{Reason: reason, RequestedByRole: title})
		must(err)
		return c
	}
	_, err = w.Decide(w.ctx, reviewer, propose(plan(1)).ID, domain.DecisionInput{Status: domain.Rejected, ContentHash: "sha256:" + strings.Repeat("0", 64), Reason: reason})
	w.wantCode(err, domain.CodeContentChanged)
	rejected := propose(plan(2))
	shown := slices.Repeat([]domain.ShownFinding{{Kind: "identifier", Level: "stop", Action: -1, Pointer: strings.Repeat("\x01", 10_000)}}, 1_000)
	o, err := w.Decide(w.ctx, reviewer, rejected.ID, domain.DecisionInput{Status: domain.Rejected, ContentHash: rejected.ContentHash, Reason: reason, Findings: shown})
	must(err)
	if o.Text != reason {
		t.Error("the reason does not reach the agent whole")
	}
	_, err = w.CancelPlan(w.ctx, agent, rejected.PlanID, reason)
	w.wantCode(err, domain.CodeInvalid)
	_, err = w.CancelPlan(w.ctx, agent, rejected.PlanID, reason[:2_000])
	must(err)
	running := propose(plan(3))
	w.mustDecide(reviewer, running, domain.Approved)
	_, err = w.StartPlan(w.ctx, agent, running.PlanID)
	must(err)
	for _, to := range []domain.StepStatus{domain.StepInProgress, domain.StepFailed, domain.StepPending} {
		_, err = w.MoveStep(w.ctx, agent, running.PlanID, id+"0", to, false)
		must(err)
	}

	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Limit: 10_000})
	must(err)
	for _, e := range list {
		if size := len(e.Marshal()); size > 8<<10 {
			t.Errorf("%s has %d bytes: %.300s…", e.Type, size, e.Marshal())
		}
		if e.Type != "step.failed" {
			continue
		}
		var facts struct {
			Blocked []string
			More    int `json:"more_steps"`
		}
		if err := json.Unmarshal(e.Data, &facts); err != nil || len(facts.Blocked)+facts.More != 400 {
			t.Errorf("%d steps are blocked and %d more (%v), want 400", len(facts.Blocked), facts.More, err)
		}
	}
}
