package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gate asks whether a step of plan-1 may run.
func (s *site) gate(step string) reply {
	s.t.Helper()
	return s.agent.get("/gate?plan_id=plan-1&step_id=" + step).want(http.StatusOK)
}

// ask posts a confirm for plan-1 with further members.
func (s *site) ask(members string) reply {
	s.t.Helper()
	return s.agent.post("/confirms", `{"target_type":"plan","target_id":"plan-1"`+members+`}`).want(http.StatusCreated)
}

// reject says no to a confirm, with a reason.
func (s *site) reject(confirm reply) {
	s.t.Helper()
	s.reviewer.post("/confirms/"+confirm.text("confirm_id")+"/decisions",
		`{"status":"rejected","reason":"Too risky","content_hash":`+confirm.header.Get("ETag")+`}`).want(http.StatusCreated)
}

// TestF11_F14_GateVerdicts asks over HTTP what each status leads to.
func TestF11_F14_GateVerdicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		plan string
		do   func(s *site) (confirm reply)
		want string
	}{
		{"F-11 pending", "in_progress", func(s *site) reply { return s.ask(`,"step_id":"s3"`) }, "BLOCK pending"},
		{"F-8 pending by span", "in_progress", func(s *site) reply { return s.ask(`,"trace":{"trace_id":"t","span_id":"span-step-3"}`) }, "BLOCK pending"},
		{"F-15 pending on the plan", "in_progress", func(s *site) reply { return s.ask(``) }, "BLOCK pending"},
		{"pending and unbound", "in_progress", func(s *site) reply { return s.ask(`,"step_id":"nowhere"`) }, "BLOCK pending"},
		{"F-12 approved", "in_progress", func(s *site) reply {
			c := s.ask(`,"step_id":"s3"`)
			s.reviewer.decide(c, "approved").want(http.StatusCreated)
			return c
		}, "RESUME approved"},
		{"F-13 rejected", "in_progress", func(s *site) reply {
			c := s.ask(`,"step_id":"s3"`)
			s.reject(c)
			return c
		}, "ABORT rejected"},
		{"F-13 rejected to recover", "in_progress", func(s *site) reply {
			c := s.ask(`,"step_id":"s3","on_reject":"recover"`)
			s.reject(c)
			return c
		}, "BLOCK recover"},
		{"F-14 cancelled", "in_progress", func(s *site) reply {
			c := s.ask(`,"step_id":"s3"`)
			s.agent.post("/confirms/"+c.text("confirm_id")+"/cancel", "").want(http.StatusOK)
			return c
		}, "CLEANUP cancelled"},
		{"nobody was asked", "draft", func(*site) reply { return reply{} }, "BLOCK draft"},
		{"an import", "draft", func(s *site) reply {
			s.ask(`,"step_id":"s3","status":"approved"`)
			return reply{}
		}, "BLOCK draft"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).to(tt.plan)
			confirm := tt.do(s)
			got := s.gate("s3")
			if verdict := got.text("verdict") + " " + got.text("code"); verdict != tt.want {
				t.Errorf("%s, want %s", verdict, tt.want)
			}
			if allow := got.member("allow"); allow != strings.HasPrefix(tt.want, "RESUME") {
				t.Errorf("allow is %v with %s", allow, tt.want)
			}
			if got.text("reason") == "" {
				t.Error("no reason is given")
			}
			want := []any{}
			if confirm.body != "" {
				want = append(want, confirm.text("confirm_id"))
			}
			if diff := cmp.Diff(want, got.member("confirms")); diff != "" {
				t.Errorf("confirms (-want +got):\n%s", diff)
			}
		})
	}
}

// TestF15_GateFailsClosed: what is unknown, or no question, never allows.
func TestF15_GateFailsClosed(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	if got := s.gate("s1"); got.member("allow") != true {
		t.Errorf("the approved plan gets %s", got.body)
	}
	s.owner("other")
	stranger := s.decider("beta", "executor")
	for name, got := range map[string]reply{
		"unknown step":    s.gate("s9"),
		"unknown plan":    s.agent.get("/gate?plan_id=nope&step_id=s1").want(http.StatusOK),
		"a stranger's":    stranger.get("/gate?plan_id=plan-1&step_id=s1").want(http.StatusOK),
		"other arguments": s.agent.get("/gate?plan_id=plan-1&step_id=s1&tool_use_id=tu-9").want(http.StatusOK),
	} {
		if got.text("verdict") != "BLOCK" || got.member("allow") != false {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	s.agent.get("/gate?plan_id=plan-1").problem(http.StatusUnprocessableEntity, "invalid").fault("step_id", "required")
	s.agent.get("/gate?step_id=s1").problem(http.StatusUnprocessableEntity, "invalid").fault("plan_id", "required")
	s.agent.get("/gate?plan_id=plan-1&step_id=s1&args_hash=x").problem(http.StatusUnprocessableEntity, "invalid").fault("args_hash", "pattern")
	s.agent.get("/gate?plan_id=plan-1&step_id=s1&wait=x").problem(http.StatusUnprocessableEntity, "invalid").fault("wait", "type_error")
	s.agent.get("/gate?plan_id=plan-1&step_id=s1&step_id=s2").problem(http.StatusUnprocessableEntity, "invalid").fault("step_id", "unique")
	s.agent.post("/plans/plan-1/cancel", "").want(http.StatusOK)
	if got := s.gate("s1"); got.text("code") != "cancelled" || got.member("allow") != false {
		t.Errorf("the cancelled plan gets %s", got.body)
	}
}

// TestF15_GateWithoutDatabase answers with a fault, never with a verdict.
func TestF15_GateWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	got := s.agent.get("/gate?plan_id=plan-1&step_id=s1")
	if got.status < 500 || got.member("allow") != nil || got.member("verdict") != nil {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}

// TestGate_WaitsForTheDecision answers as soon as it is made.
func TestGate_WaitsForTheDecision(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("in_progress")
	confirm := s.ask(`,"step_id":"s3"`)
	ctx, cancel := context.WithTimeout(t.Context(), writeTimeout)
	defer cancel()
	answer := s.agent.waiting(ctx, "/gate?plan_id=plan-1&step_id=s3&wait=60")
	s.reviewer.decide(confirm, "approved").want(http.StatusCreated)
	if got := (<-answer).want(http.StatusOK); got.text("verdict") != "RESUME" {
		t.Errorf("woken with %s", got.body)
	}
}

// TestConsume_OnceForEachPart uses approvals of a plan, of a step and of
// actions.
func TestConsume_OnceForEachPart(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("approved")
	consume := func(members string) reply { return s.agent.post("/gate/consume", `{`+members+`}`) }
	whole := s.agent.get("/confirms?target_id=plan-1").ids("confirm_id")[0]

	plan := `"confirm_id":"` + whole + `"`
	consume(plan+`,"execution_id":"e-1"`).problem(http.StatusUnprocessableEntity, "invalid").fault("step_id", "required")
	used := consume(plan + `,"execution_id":"e-1","step_id":"s1"`).want(http.StatusOK)
	want := map[string]string{"confirm_id": whole, "execution_id": "e-1", "subject": "step:s1", "consumed_at": "2026-01-02T03:04:05.000Z"}
	for name, value := range want {
		if used.text(name) != value {
			t.Errorf("%s is %q, want %q", name, used.text(name), value)
		}
	}
	before := s.entries()
	if again := consume(plan + `,"execution_id":"e-1","step_id":"s1"`).want(http.StatusOK); again.body != used.body {
		t.Errorf("the same execution gets %s, first %s", again.body, used.body)
	}
	consume(plan+`,"execution_id":"e-2","step_id":"s1"`).problem(http.StatusConflict, "consumed")
	if after := s.entries(); after != before {
		t.Errorf("repeating left %d entries", after-before)
	}
	consume(plan + `,"execution_id":"e-2","step_id":"s2"`).want(http.StatusOK)
	consume(plan+`,"execution_id":"e-2","step_id":"s9"`).problem(http.StatusUnprocessableEntity, "invalid").fault("step_id", "reference")

	call := s.agent.post("/confirms", twoCalls).want(http.StatusCreated)
	actions := `"confirm_id":"` + call.text("confirm_id") + `","execution_id":"e-3"`
	hashless := actions + `,"args_hash":"sha256:` + strings.Repeat("0", 64) + `"`
	consume(hashless+`,"action":0`).problem(http.StatusConflict, "invalid-transition") // pending
	s.reviewer.post("/confirms/"+call.text("confirm_id")+"/decisions",
		`{"content_hash":`+call.header.Get("ETag")+`,"decisions":[{"type":"approve"},{"type":"reject"}]}`).want(http.StatusCreated)
	var outcome struct {
		Decisions []struct {
			ArgsHash string `json:"args_hash"`
		}
	}
	s.agent.get("/confirms/" + call.text("confirm_id") + "/outcome").want(http.StatusOK).decode(&outcome)
	hash := func(i int) string { return actions + `,"args_hash":"` + outcome.Decisions[i].ArgsHash + `"` }
	consume(hash(0)).problem(http.StatusUnprocessableEntity, "invalid").fault("action", "required")
	consume(actions+`,"action":0`).problem(http.StatusUnprocessableEntity, "invalid").fault("args_hash", "required")
	consume(hash(0)+`,"action":2`).problem(http.StatusUnprocessableEntity, "invalid").fault("action", "limit")
	consume(hashless+`,"action":0`).problem(http.StatusConflict, "content-changed")
	consume(hash(1)+`,"action":1`).problem(http.StatusConflict, "invalid-transition") // its own decision is a rejection
	if got := consume(hash(0) + `,"action":0`).want(http.StatusOK).text("subject"); got != "action:0" {
		t.Errorf("subject %q", got)
	}
	consume(`"confirm_id":"nope","execution_id":"e"`).problem(http.StatusNotFound, "not-found")
	consume(`"confirm_id":"x","execution_id":"e","execution_id":"f"`).problem(http.StatusBadRequest, "invalid-json")
	consume(`"execution_id":"e"`).problem(http.StatusUnprocessableEntity, "invalid").fault("confirm_id", "required")
}
