package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
)

func TestDecision_Approve(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	path := "/confirms/" + confirm.text("confirm_id")
	decided := reviewer.post(path+"/decisions", `{"status":"approved","content_hash":`+confirm.header.Get("ETag")+
		`,"decision_id":"d-1","reason":"fine","decided_by_role":"reviewer","user_edit_content":"go on"}`).want(http.StatusCreated)
	if got := decided.header.Get("Location"); got != "/api/v1"+path {
		t.Errorf("Location %q", got)
	}
	if decided.body != agent.get(path).want(http.StatusOK).body {
		t.Errorf("decided as %s, read otherwise", decided.body)
	}
	for _, want := range []string{`"status":"approved"`, `"decisions":[{"decision_id":"d-1","status":"approved","decided_by_role":"reviewer","decided_at":"2026-01-02T03:04:05.000Z","reason":"fine"}]`} {
		if !strings.Contains(decided.body, want) {
			t.Errorf("no %s in %s", want, decided.body)
		}
	}
	outcome := agent.get(path + "/outcome").want(http.StatusOK)
	if outcome.text("reason") != "fine" || outcome.text("user_edit_content") != "go on" || outcome.text("cause") != "agent" {
		t.Errorf("the agent is told %s", outcome.body)
	}
}

// TestDecision_AnswersWhatIsRead: the answer is made of what the transaction
// knows, and must not differ from the confirm as anybody reads it afterwards.
func TestDecision_AnswersWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, confirm, decision string }{
		{"approved", toolCall, `{"status":"approved","content_hash":HASH}`},
		{"rejected with words", twoCalls, `{"content_hash":HASH,"reason":"No <b>","user_edit_content":"later","decisions":[{"type":"approve"},{"type":"reject","message":"no"}]}`},
		{"edited", toolCall, `{"content_hash":HASH,"decisions":[{"type":"edit","edited_action":{"name":"execute_trade","args":{"quantity":1e400}}}]}`},
		{"of a plan", `{"target_type":"plan","target_id":"plan-1"}`, `{"status":"rejected","content_hash":HASH}`},
	} {
		for _, form := range []string{"", "?form=canonical"} {
			t.Run(tt.name+form, func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				agent, reviewer := s.agent("executor", "planner"), s.decider("lead", "reviewer")
				agent.post("/plans", draft).want(http.StatusCreated)
				confirm := agent.post("/confirms", tt.confirm).want(http.StatusCreated)
				path := "/confirms/" + confirm.text("confirm_id")
				decided := reviewer.post(path+"/decisions"+form, strings.ReplaceAll(tt.decision, "HASH", confirm.header.Get("ETag"))).want(http.StatusCreated)
				read := agent.get(path + form).want(http.StatusOK)
				if decided.body != read.body || decided.header.Get("ETag") != read.header.Get("ETag") {
					t.Errorf("decided as %s, read as %s", decided.body, read.body)
				}
			})
		}
	}
}

func TestDecision_Refusals(t *testing.T) {
	t.Parallel()
	const hash = `"sha256:0000000000000000000000000000000000000000000000000000000000000000"`
	tests := []struct {
		name, confirm, decision string // HASH stands for the content's
		status                  int
		slug, path, code        string
	}{
		{"no hash", toolCall, `{"status":"approved"}`, 422, "invalid", "content_hash", "required"},
		{"malformed hash", toolCall, `{"status":"approved","content_hash":"sha256:12"}`, 422, "invalid", "content_hash", "pattern"},
		{"another hash", toolCall, `{"status":"approved","content_hash":` + hash + `}`, 409, "content-changed", "", ""},
		{"no status", toolCall, `{"content_hash":HASH}`, 422, "invalid", "status", "required"},
		{"cancelled is no decision", toolCall, `{"status":"cancelled","content_hash":HASH}`, 422, "invalid", "status", "enum"},
		{"status against decisions", toolCall, `{"status":"approved","content_hash":HASH,"decisions":[{"type":"reject"}]}`, 422, "invalid", "status", "const"},
		{"too many decisions", toolCall, `{"content_hash":HASH,"decisions":[{"type":"approve"},{"type":"approve"}]}`, 422, "invalid", "decisions", "max_items"},
		{"too few decisions", twoCalls, `{"content_hash":HASH,"decisions":[{"type":"approve"}]}`, 422, "invalid", "decisions", "min_items"},
		{"edit of another tool", toolCall, `{"content_hash":HASH,"decisions":[{"type":"edit","edited_action":{"name":"other","args":{}}}]}`,
			422, "invalid", "decisions[0].edited_action.name", "const"},
		{"edit that is not allowed", `{"review_configs":[{"allowed_decisions":["approve"]}],` + toolCall[1:],
			`{"content_hash":HASH,"decisions":[{"type":"edit","edited_action":{"name":"execute_trade","args":{}}}]}`, 422, "invalid", "decisions[0].type", "enum"},
		{"role not held", toolCall, `{"status":"approved","content_hash":HASH,"decided_by_role":"admin"}`, 403, "role-not-held", "", ""},
		{"required role not held", `{"required_role":"human_user",` + toolCall[1:], `{"status":"approved","content_hash":HASH}`, 404, "not-found", "", ""},
		{"locked", `{"governance":{"locked":true},` + toolCall[1:], `{"status":"approved","content_hash":HASH}`, 423, "locked", "", ""},
		{"import", `{"status":"approved",` + toolCall[1:], `{"status":"approved","content_hash":HASH}`, 409, "invalid-transition", "", ""},
		{"duplicate key", toolCall, `{"status":"approved","status":"rejected","content_hash":HASH}`, 400, "invalid-json", "status", "format"},
		{"wrong case", toolCall, `{"status":"approved","STATUS":"rejected","content_hash":HASH}`, 400, "invalid-json", "STATUS", "format"},
	}
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			agent, reviewer := agent.on(t), reviewer.on(t)
			confirm := agent.post("/confirms", tt.confirm).want(http.StatusCreated)
			before := s.entries()
			refused := reviewer.post("/confirms/"+confirm.text("confirm_id")+"/decisions",
				strings.ReplaceAll(tt.decision, "HASH", confirm.header.Get("ETag"))).problem(tt.status, tt.slug)
			if tt.code != "" {
				refused.fault(tt.path, tt.code)
			}
			if after := s.entries(); after != before {
				t.Errorf("the refusal left %d entries", after-before)
			}
		})
	}
}

func TestDecision_Authority(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.owner("both")
	agent := s.keyFor(domain.KeyInput{Name: "asks", Roles: []string{"executor"}, Owner: "both"})
	own := s.keyFor(domain.KeyInput{Name: "decides", Roles: []string{"reviewer"}, Owner: "both", MayDecide: true})
	s.owner("approver")
	approver := s.keyFor(domain.KeyInput{Name: "approver", Roles: []string{"human_user"}, Owner: "approver", MayDecide: true})
	idle := s.keyFor(domain.KeyInput{Name: "idle", Roles: []string{"reviewer"}, Owner: "both"})
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)

	own.decide(confirm, "approved").problem(http.StatusForbidden, "self-approval")
	if got := idle.decide(confirm, "approved").problem(http.StatusForbidden, "missing-capability").text("capability"); got != "confirm.approve" {
		t.Errorf("a key that may not decide is told it lacks %q", got)
	}
	if got := approver.decide(confirm, "rejected").problem(http.StatusForbidden, "missing-capability").text("capability"); got != "confirm.reject" {
		t.Errorf("capability %q, want confirm.reject", got)
	}
	approver.decide(confirm, "approved").want(http.StatusCreated)
}

func TestDecision_LoserIsToldTheWinner(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, first, second := s.agent("executor"), s.decider("alpha", "reviewer"), s.decider("beta", "reviewer")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	first.decide(confirm, "rejected").want(http.StatusCreated)
	refused := second.decide(confirm, "approved").problem(http.StatusConflict, "already-decided")
	var body struct{ Decision map[string]any }
	refused.decode(&body)
	if body.Decision["status"] != "rejected" || body.Decision["cause"] != "agent" || body.Decision["decided_by_role"] != "reviewer" {
		t.Errorf("the winning decision is %v", body.Decision)
	}

	late := agent.post("/confirms", toolCall).want(http.StatusCreated)
	s.pass(300 * time.Second)
	refused = first.decide(late, "approved").problem(http.StatusConflict, "expired")
	body.Decision = nil
	refused.decode(&body)
	if body.Decision["status"] != "rejected" || body.Decision["cause"] != "timeout" || body.Decision["decided_by_role"] != "system" {
		t.Errorf("the timeout decision is %v", body.Decision)
	}
}

// TestC25_OneWinnerPerConfirm lets 8 reviewers decide 200 confirms at once.
func TestC25_OneWinnerPerConfirm(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	const reviewers, confirms = 8, 200
	var deciders [reviewers]*client
	for i := range deciders {
		deciders[i] = s.decider(fmt.Sprintf("reviewer-%d", i), "reviewer")
	}
	var posted [confirms]reply
	for i := range posted {
		posted[i] = agent.post("/confirms", fmt.Sprintf(`{"confirm_id":"c-%d",`, i)+toolCall[1:]).want(http.StatusCreated)
	}

	var answers [confirms][reviewers]reply
	var all sync.WaitGroup
	for r, decider := range deciders {
		all.Go(func() {
			for i, confirm := range posted {
				status := []string{"approved", "rejected"}[(i+r)%2]
				body := fmt.Sprintf(`{"status":%q,"content_hash":%s,"decision_id":"d-%d-%d"}`, status, confirm.header.Get("ETag"), i, r)
				answer, err := decider.send(t.Context(), http.MethodPost, fmt.Sprintf("/confirms/c-%d/decisions", i), body)
				if err != nil {
					t.Error(err)
				}
				answers[i][r] = answer
			}
		})
	}
	all.Wait()

	for i := range confirms {
		outcome := agent.get(fmt.Sprintf("/confirms/c-%d/outcome", i)).want(http.StatusOK)
		var want, got struct {
			Status   string
			LogIndex int64 `json:"log_index"`
		}
		outcome.decode(&want)
		winners := 0
		for r, answer := range answers[i] {
			if answer.status == http.StatusCreated {
				winners++
				if !strings.Contains(answer.body, fmt.Sprintf(`"decision_id":"d-%d-%d"`, i, r)) {
					t.Errorf("confirm %d: reviewer %d won with another's decision: %s", i, r, answer.body)
				}
				continue
			}
			var body struct{ Decision *struct{} }
			answer.problem(http.StatusConflict, "already-decided").decode(&body)
			var loser = struct{ Decision any }{&got}
			answer.decode(&loser)
			if body.Decision == nil || got != want {
				t.Errorf("confirm %d: reviewer %d is told %+v, the outcome is %+v", i, r, got, want)
			}
		}
		if winners != 1 {
			t.Errorf("confirm %d has %d winners", i, winners)
		}
	}
}
