package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// bash is a call as Claude Code writes it to its hook.
func bash(id, command string) string {
	return fmt.Sprintf(`{"session_id":"s-1","cwd":"/srv/shop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":%q}`, command, id)
}

// asked posts a call without waiting and returns the confirm about it.
func (c *client) asked(path, body string) (confirm reply) {
	c.t.Helper()
	answer := c.post(path+"?wait=0", body)
	if got := answer.header.Get("Countersign-Status"); got != "pending" {
		c.t.Fatalf("status %q: %s", got, answer.body)
	}
	return c.get("/confirms/" + answer.header.Get("Countersign-Confirm")).want(http.StatusOK)
}

// same asserts that two JSON texts mean the same.
func (r reply) same(want string) {
	r.t.Helper()
	var got, wanted any
	if json.Unmarshal([]byte(r.body), &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || fmt.Sprint(got) != fmt.Sprint(wanted) {
		r.t.Errorf("answer %s, want %s", r.body, want)
	}
}

func TestNative_ApprovedOnceForOneExecution(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.asked("/native/claude", bash("t1", "make"))
	if got := confirm.text("reason"); got != "Claude Code asks to use Bash in /srv/shop" {
		t.Errorf("reason %q", got)
	}
	const allow = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Approved by reviewer"}}`
	answer := agent.posting(t.Context(), "/native/claude?wait=60", bash("t1", "make"))
	s.awaitWaits(1)
	reviewer.decide(confirm, "approved").want(http.StatusCreated)
	got := (<-answer).want(http.StatusOK)
	if got.header.Get("Countersign-Status") != "approved" || got.header.Get("Countersign-Confirm") != confirm.text("confirm_id") {
		t.Errorf("headers %v", got.header)
	}
	got.same(allow)
	agent.post("/native/claude?wait=0", bash("t1", "make")).want(http.StatusOK).same(allow)
	if again := agent.asked("/native/claude", bash("t2", "make")); again.text("confirm_id") == confirm.text("confirm_id") || again.text("supersedes") != "" {
		t.Errorf("a second execution is asked about with %s", again.body)
	}
}

// The call of a retry is the same though its members come in another order; numbers
// are compared as they are written.
func TestNative_SameCallAttaches(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, other, reviewer := s.agent("executor"), s.decider("second", "executor"), s.decider("alpha", "reviewer")
	call := func(id, input string) string {
		return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"pay","tool_use_id":"` + id + `","tool_input":` + input + `}`
	}
	first := agent.asked("/native/claude", call("t1", `{"to":"a","n":9007199254740993}`))
	for _, input := range []string{`{"n":9007199254740993, "to":"a"}`, `{"to":"a","n":9007199254740993}`} {
		if got := agent.asked("/native/claude", call("t2", input)); got.text("confirm_id") != first.text("confirm_id") {
			t.Errorf("%s is asked about anew", input)
		}
	}
	for _, input := range []string{`{"to":"a","n":9007199254740992}`, `{"to":"a","n":9007199254740993.0}`, `{"to":"b","n":9007199254740993}`} {
		if got := agent.asked("/native/claude", call("t2", input)); got.text("confirm_id") == first.text("confirm_id") {
			t.Errorf("%s passes for another call", input)
		}
	}
	if got := other.asked("/native/claude", call("t1", `{"to":"a","n":9007199254740993}`)); got.text("confirm_id") == first.text("confirm_id") {
		t.Error("another key attaches")
	}
	// A retry runs at once after an approval. An approval is good for ten minutes.
	reviewer.decide(first, "approved").want(http.StatusCreated)
	got := agent.post("/native/claude?wait=0", call("t3", `{"n":9007199254740993,"to":"a"}`)).want(http.StatusOK)
	if got.header.Get("Countersign-Status") != "approved" {
		t.Errorf("the retry gets %s", got.body)
	}
	late := agent.asked("/native/claude", call("t4", `{"to":"c"}`))
	reviewer.decide(late, "approved").want(http.StatusCreated)
	s.pass(10*time.Minute + time.Second)
	if got := agent.asked("/native/claude", call("t5", `{"to":"c"}`)); got.text("confirm_id") == late.text("confirm_id") {
		t.Error("an old approval is used")
	}
}

func TestNative_AfterARejectionItSupersedes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	before := ""
	for i := range 5 {
		confirm := agent.asked("/native/claude", bash(fmt.Sprint("t", i), "rm -rf /"))
		if confirm.text("supersedes") != before {
			t.Errorf("try %d supersedes %q, want %q", i, confirm.text("supersedes"), before)
		}
		before = confirm.text("confirm_id")
		if i%2 == 0 {
			reviewer.decide(confirm, "rejected").want(http.StatusCreated)
		} else {
			s.pass(301 * time.Second)
		}
		// The execution that asked is told, and nobody else.
		got := agent.post("/native/claude?wait=0", bash(fmt.Sprint("t", i), "rm -rf /")).want(http.StatusOK)
		if status := got.header.Get("Countersign-Status"); status != "rejected" || i%2 == 0 && !strings.Contains(got.body, "Rejected by reviewer") ||
			i%2 == 1 && !strings.Contains(got.body, "This is not a refusal.") || !strings.Contains(got.body, `"deny"`) {
			t.Errorf("try %d: %s %s", i, status, got.body)
		}
	}
}

// Who waits in slices hears of a decision between two of them, even for an execution
// that was not the first to ask.
func TestNative_DecidedBetweenTwoSlices(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.asked("/native/claude", bash("t1", "make"))
	agent.asked("/native/claude", bash("t2", "make"))
	reviewer.decide(confirm, "rejected").want(http.StatusCreated)
	got := agent.do(http.MethodPost, "/native/claude?wait=0", bash("t2", "make"), "Countersign-Confirm", confirm.text("confirm_id")).want(http.StatusOK)
	if got.header.Get("Countersign-Status") != "rejected" || !strings.Contains(got.body, `"deny"`) {
		t.Errorf("answer %s", got.body)
	}
}

// Two executions wait for the same approval. One gets it.
func TestNative_OneOfTwoExecutionsRuns(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.asked("/native/claude", bash("t0", "make"))
	const n = 8
	var answers []<-chan reply
	for i := range n {
		answers = append(answers, agent.posting(t.Context(), "/native/claude?wait=60", bash(fmt.Sprint("t", i), "make")))
	}
	s.awaitWaits(n)
	reviewer.decide(confirm, "approved").want(http.StatusCreated)
	allowed := 0
	for _, answer := range answers {
		got := (<-answer).want(http.StatusOK)
		if strings.Contains(got.body, `"allow"`) {
			allowed++
		} else if !strings.Contains(got.body, "Not decided yet") || got.header.Get("Countersign-Status") != "pending" {
			t.Errorf("answer %s", got.body)
		}
	}
	if allowed != 1 {
		t.Errorf("%d executions may run", allowed)
	}
}

// Whoever knows the id that a call will have cannot have another approved under it.
func TestNative_ForeignContentUnderTheID(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	id := agent.asked("/native/claude", bash("t1", "make")).text("confirm_id")
	// The same key posts something harmless under the next id.
	harmless := agent.post("/confirms", strings.Replace(toolCall, "{", `{"confirm_id":"`+id+`-2",`, 1)).want(http.StatusCreated)
	reviewer.decide(harmless, "approved").want(http.StatusCreated)
	agent.post("/native/claude?wait=0", bash("t1", "make")).problem(http.StatusConflict, "id-taken")
}

func TestNative_EditRunsEdited(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	body := `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"pay","tool_use_id":"t","tool_input":{"n":500,"to":"a"}}`
	for format, want := range map[string]string{
		"claude": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Approved by reviewer","updatedInput":{"n":9007199254740993,"to":"\u0061"}}}`,
		"codex":  `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"n":9007199254740993,"to":"\u0061"}}}`,
	} {
		confirm := agent.asked("/native/"+format, body)
		reviewer.post("/confirms/"+confirm.text("confirm_id")+"/decisions", fmt.Sprintf(
			`{"content_hash":%s,"decisions":[{"type":"edit","edited_action":{"name":"pay","args":{"n":9007199254740993,"to":"\u0061"}}}]}`,
			confirm.header.Get("ETag"))).want(http.StatusCreated)
		if got := agent.post("/native/"+format+"?wait=0", body).want(http.StatusOK); got.body != want {
			t.Errorf("%s answers %s, want %s", format, got.body, want)
		}
	}
}

func TestNative_Refusals(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	agent.post("/native/fax", bash("t", "make")).problem(http.StatusNotFound, "not-found")
	agent.post("/native/claude", `{"hook_event_name":"Stop"}`).problem(http.StatusUnprocessableEntity, "invalid").fault("hook_event_name", "enum")
	agent.post("/native/claude", `{"hook_event_name":"PreToolUse","tool_name":"a","tool_name":"b","tool_input":{}}`).problem(http.StatusBadRequest, "invalid-json")
	agent.post("/native/claude", `{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":{}}`).problem(http.StatusUnprocessableEntity, "invalid").fault("tool_name", "type_error")
	agent.post("/native/claude?timeout=soon", bash("t", "make")).problem(http.StatusUnprocessableEntity, "invalid").fault("timeout", "type_error")
	agent.post("/native/claude?wait=soon", bash("t", "make")).problem(http.StatusUnprocessableEntity, "invalid").fault("wait", "type_error")
	s.decider("nobody", s.role("asking", "confirm.request")).post("/native/claude?wait=0", bash("t", "make")).problem(http.StatusForbidden, "missing-capability")
	if n := len(agent.get("/confirms").want(http.StatusOK).ids("confirm_id")); n != 0 {
		t.Errorf("%d confirms were posted", n)
	}
}

// Frameworks come back with the same until it is decided, and get the same answer then.
func TestNative_FrameworksComeBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	const body = `[{"id":"963a90b1","value":{"actionRequests":[{"name":"pay","args":{"n":1}}],"reviewConfigs":[{"actionName":"pay","allowedDecisions":["approve","reject"]}]}}]`
	pending := agent.post("/native/langchain?wait=0", body).want(http.StatusAccepted)
	if pending.text("status") != "pending" || pending.text("expires_at") == "" || pending.header.Get("Retry-After") != "0" {
		t.Errorf("pending: %s", pending.body)
	}
	confirm := agent.get("/confirms/" + pending.text("confirm_id")).want(http.StatusOK)
	reviewer.decide(confirm, "rejected").want(http.StatusCreated)
	for range 2 {
		got := agent.post("/native/langchain?wait=0", body).want(http.StatusOK)
		if want := `{"963a90b1":{"decisions":[{"type":"reject","message":"Rejected by reviewer`; !strings.HasPrefix(got.body, want) {
			t.Errorf("answer %s, want %s", got.body, want)
		}
		s.pass(time.Hour)
	}
	// The same interrupt with another call is another's.
	agent.post("/native/langchain?wait=0", strings.Replace(body, `"n":1`, `"n":2`, 1)).problem(http.StatusConflict, "id-taken")
}

// A thousand of the largest that wait keep nobody from asking.
func TestNative_HoldsNoBody(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	large := strings.Repeat("x", 250_000)
	const waiting = 50
	before := s.entries()
	for i := range waiting {
		agent.posting(t.Context(), "/native/claude?wait=60", bash("t", fmt.Sprint(i, large)))
	}
	s.until("all are posted", func() bool { return s.entries() == before+waiting })
	agent.post("/native/claude?wait=0", bash("t", large)).want(http.StatusOK)
}
