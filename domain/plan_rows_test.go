package domain_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/mplp"
)

var planStatuses = []domain.PlanStatus{domain.PlanDraft, domain.PlanProposed, domain.PlanApproved, domain.PlanInProgress,
	domain.PlanCompleted, domain.PlanCancelled, domain.PlanFailed}

// planLife brings plans of one step into any status, by the ways there are.
type planLife struct {
	*world
	agent, reviewer domain.Ref
	plans           int
}

func newPlanLife(t *testing.T) *planLife {
	w := newWorld(t)
	l := &planLife{world: w, agent: w.worker(), reviewer: w.user("reviewer", "reviewer")}
	w.context(l.agent, "ctx-1", "active")
	return l
}

// in gives a new plan in the status.
func (l *planLife) in(status domain.PlanStatus) (id string) {
	l.t.Helper()
	l.plans++
	id = fmt.Sprintf("p-%d", l.plans)
	text := fmt.Sprintf(`{"plan_id":%q,"context_id":"ctx-1","title":"T","objective":"O","steps":[{"step_id":"s1","description":"D"}]}`, id)
	if err := l.tryPlan(l.agent, text); err != nil {
		l.t.Fatal(err)
	}
	way := map[domain.PlanStatus][]domain.PlanStatus{
		domain.PlanProposed: {domain.PlanProposed}, domain.PlanApproved: {domain.PlanProposed, domain.PlanApproved},
		domain.PlanInProgress: {domain.PlanProposed, domain.PlanApproved, domain.PlanInProgress},
		domain.PlanCompleted:  {domain.PlanProposed, domain.PlanApproved, domain.PlanInProgress, domain.PlanCompleted},
		domain.PlanFailed:     {domain.PlanProposed, domain.PlanApproved, domain.PlanInProgress, domain.PlanFailed},
		domain.PlanCancelled:  {domain.PlanCancelled},
	}
	for _, to := range way[status] {
		if err := l.move(id, to); err != nil {
			l.t.Fatalf("%s on the way to %s: %v", to, status, err)
		}
	}
	return id
}

// move tries everything that could bring the plan into the status.
func (l *planLife) move(id string, to domain.PlanStatus) (err error) {
	running := l.planStatus(id) == domain.PlanInProgress
	switch to {
	case domain.PlanProposed:
		_, err = l.ProposePlan(l.ctx, l.agent, id, domain.ProposeInput{})
	case domain.PlanApproved, domain.PlanDraft:
		return l.decidePlan(id, to)
	case domain.PlanInProgress:
		_, err = l.StartPlan(l.ctx, l.agent, id)
	case domain.PlanCompleted:
		if running {
			l.mustStep(l.agent, id, "s1", domain.StepInProgress, domain.StepCompleted)
			return nil
		}
		_, err = l.CompletePlan(l.ctx, l.agent, id)
	case domain.PlanFailed:
		if running {
			l.mustStep(l.agent, id, "s1", domain.StepInProgress, domain.StepFailed)
		}
		_, err = l.FailPlan(l.ctx, l.agent, id)
	case domain.PlanCancelled:
		_, err = l.CancelPlan(l.ctx, l.agent, id, "")
	}
	return err
}

// decidePlan approves or rejects what is pending on the plan. Without that the
// status could only be written, which is refused.
func (l *planLife) decidePlan(id string, to domain.PlanStatus) error {
	l.t.Helper()
	if err := l.write(id, to); domain.ErrorCode(err) != domain.CodeInvalidTransition {
		return fmt.Errorf("writing %s into the plan: %w", to, err)
	}
	detail, err := l.Plan(l.ctx, l.agent, id)
	if err != nil {
		return err
	}
	for _, c := range detail.Confirms {
		if c.Status == domain.Pending {
			_, err := l.decide(l.reviewer, c, map[domain.PlanStatus]domain.Status{domain.PlanApproved: domain.Approved, domain.PlanDraft: domain.Rejected}[to])
			return err
		}
	}
	return &domain.Error{Code: domain.CodeInvalidTransition, Message: "nothing is pending"}
}

// write puts a plan with the status.
func (l *planLife) write(id string, status domain.PlanStatus) error {
	text := fmt.Sprintf(`{"context_id":"ctx-1","title":"T","objective":"O","status":%q,"steps":[{"step_id":"s1","description":"D"}]}`, status)
	in, err := mplp.ParsePlan([]byte(text), l.Limits().MPLP())
	if err == nil {
		_, err = l.RevisePlan(l.ctx, l.agent, id, in)
	}
	return err
}

// TestP14_P16g_PlanTakesItsEdgesAndNoOther tries each status from each other.
func TestP14_P16g_PlanTakesItsEdgesAndNoOther(t *testing.T) {
	t.Parallel()
	edges := []struct {
		name     string
		from, to domain.PlanStatus
	}{
		{"P-14a proposed by its agent", domain.PlanDraft, domain.PlanProposed},
		{"P-14b abandoned", domain.PlanDraft, domain.PlanCancelled},
		{"P-14c P-31 approved by decision", domain.PlanProposed, domain.PlanApproved},
		{"P-14d rejected by decision", domain.PlanProposed, domain.PlanDraft},
		{"P-14e started", domain.PlanApproved, domain.PlanInProgress},
		{"P-14f all steps completed", domain.PlanInProgress, domain.PlanCompleted},
		{"P-14g a critical step failed", domain.PlanInProgress, domain.PlanFailed},
		{"P-14h cancelled while it runs", domain.PlanInProgress, domain.PlanCancelled},
	}
	l := newPlanLife(t)
	allowed := map[[2]domain.PlanStatus]bool{}
	for _, edge := range edges {
		allowed[[2]domain.PlanStatus{edge.from, edge.to}] = true
		t.Run(edge.name, func(t *testing.T) {
			id := l.in(edge.from)
			if err := l.move(id, edge.to); err != nil {
				t.Fatal(err)
			}
			if got := l.planStatus(id); got != edge.to {
				t.Errorf("the plan is %s, want %s", got, edge.to)
			}
		})
	}
	refused := 0
	for _, from := range planStatuses {
		for _, to := range planStatuses {
			if allowed[[2]domain.PlanStatus{from, to}] || from == domain.PlanDraft && to == from {
				continue // a draft may be written again as a draft
			}
			id := l.in(from)
			if err := l.move(id, to); domain.ErrorCode(err) != domain.CodeInvalidTransition {
				t.Errorf("%s to %s: %v, want it refused", from, to, err)
			}
			if got := l.planStatus(id); got != from {
				t.Errorf("%s to %s: the plan is %s", from, to, got)
			}
			refused++
		}
	}
	if refused != 40 {
		t.Errorf("%d refusals, want 40", refused)
	}
}

// TestP12_P13_StatusesAreAccepted posts records of plans in each status.
func TestP12_P13_StatusesAreAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "planner")
	post := func(id, plan, step string) {
		t.Helper()
		err := w.tryPlan(agent, fmt.Sprintf(`{"plan_id":%q,"context_id":"c","title":"t","objective":"o","status":%q,"steps":[{"step_id":"s","description":"d","status":%q}]}`, id, plan, step))
		if err != nil {
			t.Fatalf("%s, %s: %v", plan, step, err)
		}
		detail, err := w.PlanJSON(w.ctx, agent, id)
		if err != nil {
			t.Fatal(err)
		}
		object := members(t, detail.Native)
		if got := object["steps"].([]any)[0].(map[string]any)["status"]; object["status"] != plan || got != step {
			t.Errorf("given back as %v, %v; want %s, %s", object["status"], got, plan, step)
		}
		if imported := plan != "draft" || step != "pending"; detail.Plan.Imported != imported {
			t.Errorf("%s, %s: imported %v", plan, step, detail.Plan.Imported)
		}
	}
	for i, status := range planStatuses {
		post(fmt.Sprintf("p-%d", i), string(status), "pending")
	}
	for i, status := range stepStatuses {
		post(fmt.Sprintf("s-%d", i), "draft", string(status))
	}
}

// TestP23_P30_ContextMustBeThere starts an approved plan without its context.
func TestP23_P30_ContextMustBeThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"p","context_id":"elsewhere","title":"t","objective":"o","steps":[{"step_id":"s","description":"d"}]}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	posted, err := w.PostPlan(w.ctx, agent, in)
	if err != nil {
		t.Fatal(err)
	}
	warned := false
	for _, warning := range posted.Warnings {
		warned = warned || warning.Path == "context_id" && warning.Code == "reference"
	}
	if !warned {
		t.Errorf("P-30: no warning in %v", posted.Warnings)
	}
	w.mustDecide(reviewer, w.propose(agent, "p"), domain.Approved)
	w.context(agent, "another", "active")
	_, err = w.StartPlan(w.ctx, agent, "p")
	w.wantCode(err, domain.CodeInvalidTransition)
	if problems := domain.AsError(err).Problems; len(problems) != 1 || problems[0].Code != "sa_plan_context_binding" || problems[0].Path != "context_id" {
		t.Errorf("P-23: problems %v", problems)
	}
}

// TestP31_P38_LifeOfAPlan goes through what the plan module sums up at its end.
func TestP31_P38_LifeOfAPlan(t *testing.T) {
	t.Parallel()
	l := newPlanLife(t)
	id := l.in(domain.PlanProposed)
	if _, err := l.StartPlan(l.ctx, l.agent, id); domain.ErrorCode(err) != domain.CodeInvalidTransition {
		t.Errorf("P-31: a plan that nobody approved starts: %v", err)
	}
	for _, to := range []domain.PlanStatus{domain.PlanApproved, domain.PlanInProgress, domain.PlanCompleted} {
		if err := l.move(id, to); err != nil {
			t.Fatalf("P-38: to %s: %v", to, err)
		}
	}
	want := []string{"plan.created", "plan.proposed", "plan.approved", "plan.started", "plan.completed"}
	var got []string
	for _, e := range l.events(domain.EventFilter{PlanID: id}) {
		if strings.HasPrefix(e.Type, "plan.") {
			got = append(got, e.Type)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("P-38: what happened to the plan (-want +got):\n%s", diff)
	}
}

// TestP32_EachExecutionIsASpan reads the trace of a plan that was executed, one
// step twice.
func TestP32_EachExecutionIsASpan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.context(agent, "ctx-1", "active")
	if err := w.tryPlan(agent, `{"plan_id":"p","context_id":"ctx-1","title":"t","objective":"o","trace":{"trace_id":"trace-1"},
		"steps":[{"step_id":"s1","description":"d"},{"step_id":"s2","description":"d","dependencies":["s1"]}]}`); err != nil {
		t.Fatal(err)
	}
	w.mustDecide(reviewer, w.propose(agent, "p"), domain.Approved)
	if _, err := w.StartPlan(w.ctx, agent, "p"); err != nil {
		t.Fatal(err)
	}
	w.mustStep(agent, "p", "s1", domain.StepInProgress, domain.StepFailed, domain.StepPending, domain.StepInProgress, domain.StepCompleted)
	w.mustStep(agent, "p", "s2", domain.StepInProgress, domain.StepCompleted)

	type span struct{ id, status string }
	var got []span
	for _, e := range w.events(domain.EventFilter{TraceID: "trace-1", Family: domain.FamilyRuntimeExecution}) {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		event := members(t, text)
		payload := event["payload"].(map[string]any)
		got = append(got, span{payload["span_id"].(string), event["status"].(string)})
	}
	want := []span{{"span-s1", "running"}, {"span-s1", "failed"}, {"span-s1", "pending"}, {"span-s1", "running"}, {"span-s1", "completed"},
		{"span-s2", "running"}, {"span-s2", "completed"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}
