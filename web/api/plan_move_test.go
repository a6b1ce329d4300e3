package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// graph is the plan module's example of a graph, as plan-1.
const graph = `{"plan_id":"plan-1","context_id":"ctx-1","title":"Example","objective":"A graph","steps":[
	{"step_id":"s1","description":"Analyse","dependencies":[]},
	{"step_id":"s2","description":"Design","dependencies":["s1"]},
	{"step_id":"s3","description":"Set up","dependencies":["s1"]},
	{"step_id":"s4","description":"Build","dependencies":["s2"]},
	{"step_id":"s5","description":"Test","dependencies":["s3","s4"]}]}`

// site is a server with a plan in a context, the agent that works on it and a
// reviewer.
type site struct {
	*server
	agent, reviewer *client
	t               *testing.T
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := newServer(t)
	return &site{s, s.agent("architect", "executor"), s.decider("alpha", "reviewer"), t}
}

// to brings plan-1 to a status by the interface alone.
func (s *site) to(status string) *site {
	s.t.Helper()
	s.agent.post("/contexts", `{"context_id":"ctx-1","status":"active"}`).want(http.StatusCreated)
	s.agent.post("/plans", graph).want(http.StatusCreated)
	if status == "draft" {
		return s
	}
	if status == "cancelled" {
		s.agent.post("/plans/plan-1/cancel", "").want(http.StatusOK)
		return s
	}
	confirm := s.agent.post("/plans/plan-1/propose", "").want(http.StatusCreated)
	if status == "proposed" {
		return s
	}
	s.reviewer.decide(confirm, "approved").want(http.StatusCreated)
	if status == "approved" {
		return s
	}
	s.agent.post("/plans/plan-1/start", "").want(http.StatusOK)
	switch status {
	case "completed":
		s.skip("s1", "s2", "s3", "s4", "s5")
	case "failed":
		s.step("s1", "in_progress").want(http.StatusOK)
		s.agent.do(http.MethodPatch, "/plans/plan-1/steps/s1", `{"status":"failed","critical":true}`).want(http.StatusOK)
	}
	return s
}

func (s *site) skip(steps ...string) {
	s.t.Helper()
	for _, step := range steps {
		s.step(step, "skipped").want(http.StatusOK)
	}
}

func (s *site) step(id, status string) reply {
	s.t.Helper()
	return s.agent.do(http.MethodPatch, "/plans/plan-1/steps/"+id, `{"status":"`+status+`"}`)
}

// states are the statuses of the plan and of its steps, in order.
func (s *site) states() (list []string) {
	s.t.Helper()
	var plan struct {
		Status string
		Steps  []struct{ Status string }
	}
	s.agent.get("/plans/plan-1").want(http.StatusOK).decode(&plan)
	for _, step := range plan.Steps {
		list = append(list, step.Status)
	}
	return append([]string{plan.Status}, list...)
}

// TestP14_PlanTransitions tries every move from every status: the plan module's
// edges and no other.
func TestP14_PlanTransitions(t *testing.T) {
	t.Parallel()
	moves := []string{"propose", "start", "complete", "fail", "cancel"}
	leads := map[string]map[string]string{
		"draft":       {"propose": "proposed", "cancel": "cancelled"},
		"proposed":    {}, // by a decision only
		"approved":    {"start": "in_progress"},
		"in_progress": {"cancel": "cancelled"}, // completing and failing: see below
		"completed":   {}, "failed": {}, "cancelled": {},
	}
	for from, edges := range leads {
		for _, move := range moves {
			t.Run(from+" "+move, func(t *testing.T) {
				t.Parallel()
				s := newSite(t).to(from)
				answer := s.agent.post("/plans/plan-1/"+move, "")
				to, ok := edges[move]
				if !ok {
					answer.problem(http.StatusConflict, "invalid-transition")
					to = from
				}
				if got := s.states()[0]; got != to {
					t.Errorf("the plan is %s, want %s", got, to)
				}
			})
		}
	}
	for name, tt := range map[string]struct{ status, want string }{"P-14c approved": {"approved", "approved"}, "P-14d back to draft": {"rejected", "draft"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).to("draft")
			s.reviewer.decide(s.agent.post("/plans/plan-1/propose", "").want(http.StatusCreated), tt.status).want(http.StatusCreated)
			if got := s.states()[0]; got != tt.want {
				t.Errorf("the plan is %s, want %s", got, tt.want)
			}
		})
	}
}

// TestP28_PlanCompletesWithItsSteps: also with those that were skipped.
func TestP28_PlanCompletesWithItsSteps(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	s.agent.post("/plans/plan-1/complete", "").problem(http.StatusConflict, "invalid-transition")
	s.step("s1", "in_progress").want(http.StatusOK)
	s.step("s1", "completed").want(http.StatusOK)
	s.skip("s2", "s3", "s4")
	last := s.step("s5", "skipped").want(http.StatusOK)
	if got := last.text("status"); got != "completed" {
		t.Errorf("the plan is %s with its last step", got)
	}
	if diff := cmp.Diff([]string{"completed", "completed", "skipped", "skipped", "skipped", "skipped"}, s.states()); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// TestP29_CriticalStepFailsThePlan.
func TestP29_CriticalStepFailsThePlan(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	s.agent.post("/plans/plan-1/fail", "").problem(http.StatusConflict, "invalid-transition") // nothing has failed
	s.step("s1", "in_progress").want(http.StatusOK)
	critical := func(status string) reply {
		return s.agent.do(http.MethodPatch, "/plans/plan-1/steps/s1", `{"status":"`+status+`","critical":true}`)
	}
	critical("completed").problem(http.StatusUnprocessableEntity, "invalid").fault("critical", "const")
	s.step("s1", "failed").want(http.StatusOK)
	if diff := cmp.Diff([]string{"in_progress", "failed", "blocked", "blocked", "pending", "pending"}, s.states()); diff != "" {
		t.Errorf("a step that is not critical (-want +got):\n%s", diff)
	}
	s.agent.post("/plans/plan-1/fail", "").want(http.StatusOK) // its agent calls it critical after all
	if got := s.states()[0]; got != "failed" {
		t.Errorf("the plan is %s", got)
	}
	other := newSite(t).to("in_progress")
	other.step("s1", "in_progress").want(http.StatusOK)
	failed := other.agent.do(http.MethodPatch, "/plans/plan-1/steps/s1", `{"status":"failed","critical":true}`).want(http.StatusOK)
	if got := failed.text("status"); got != "failed" {
		t.Errorf("the plan is %s with its critical step", got)
	}
}

// TestP16_StepTransitions brings a step to every status and tries every move:
// the plan module's edges, the retry, and no other.
func TestP16_StepTransitions(t *testing.T) {
	t.Parallel()
	all := []string{"pending", "in_progress", "completed", "blocked", "skipped", "failed"}
	begin := map[string]func(s *site){
		"pending":     func(*site) {},
		"in_progress": func(s *site) { s.step("s2", "in_progress").want(http.StatusOK) },
		"completed": func(s *site) {
			s.step("s2", "in_progress").want(http.StatusOK)
			s.step("s2", "completed").want(http.StatusOK)
		},
		"skipped": func(s *site) { s.skip("s2") },
		"failed": func(s *site) {
			s.step("s2", "in_progress").want(http.StatusOK)
			s.step("s2", "failed").want(http.StatusOK)
		},
	}
	edges := map[string][]string{
		"pending":     {"in_progress", "skipped"}, // blocked by a dependency only
		"in_progress": {"completed", "failed"},
		"failed":      {"pending"}, // the retry
	}
	for from, arrive := range begin {
		for _, to := range all {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				s := newSite(t).to("in_progress")
				s.step("s1", "in_progress").want(http.StatusOK)
				s.step("s1", "completed").want(http.StatusOK)
				arrive(s)
				want, answer := from, s.step("s2", to)
				for _, edge := range edges[from] {
					if edge == to {
						want = to
					}
				}
				if want == from {
					answer.problem(http.StatusConflict, "invalid-transition")
				} else {
					answer.want(http.StatusOK)
				}
				if got := s.states()[2]; got != want {
					t.Errorf("s2 is %s, want %s", got, want)
				}
			})
		}
	}
}

// TestP16b_DependantsAreBlockedAndFreed.
func TestP16b_DependantsAreBlockedAndFreed(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	if got := s.step("s2", "in_progress").problem(http.StatusConflict, "invalid-transition").text("detail"); !strings.Contains(got, "s1") {
		t.Errorf("P-19: refused with %q", got)
	}
	s.step("s1", "in_progress").want(http.StatusOK)
	s.step("s1", "failed").want(http.StatusOK)
	s.step("s2", "pending").problem(http.StatusConflict, "invalid-transition")
	s.step("s1", "pending").want(http.StatusOK)
	if diff := cmp.Diff([]string{"in_progress", "pending", "pending", "pending", "pending", "pending"}, s.states()); diff != "" {
		t.Errorf("after the retry (-want +got):\n%s", diff)
	}
}

// TestP26_ContextMustBeActive.
func TestP26_ContextMustBeActive(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("approved")
	s.agent.do(http.MethodPut, "/contexts/ctx-1", `{"status":"suspended"}`).want(http.StatusOK)
	s.agent.post("/plans/plan-1/start", "").problem(http.StatusConflict, "invalid-transition").fault("context_id", "sa_plan_context_binding")
	s.agent.do(http.MethodPut, "/contexts/ctx-1", `{"status":"active"}`).want(http.StatusOK)
	s.agent.post("/plans/plan-1/start", "").want(http.StatusOK)
}

func TestP27_StepsMoveInARunningPlanOnly(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"draft", "proposed", "approved", "completed", "failed", "cancelled"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			newSite(t).to(status).step("s1", "in_progress").problem(http.StatusConflict, "invalid-transition")
		})
	}
}

func TestStep_Refusals(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	tests := []struct {
		name, step, body string
		status           int
		slug, path, code string
	}{
		{"no status", "s1", `{}`, 422, "invalid", "status", "required"},
		{"unknown status", "s1", `{"status":"done"}`, 422, "invalid", "status", "enum"},
		{"not JSON", "s1", `{`, 400, "invalid-json", "", "format"},
		{"unknown step", "s9", `{"status":"skipped"}`, 404, "not-found", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.agent.on(t).do(http.MethodPatch, "/plans/plan-1/steps/"+tt.step, tt.body).problem(tt.status, tt.slug)
			if tt.code != "" {
				got.fault(tt.path, tt.code)
			}
		})
	}
}
