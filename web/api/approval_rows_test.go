package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// TestA1_A2_A4_A5_AgentWaitsForTheDecision follows one tool call from its
// request to what the agent is told.
func TestA1_A2_A4_A5_AgentWaitsForTheDecision(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	id := agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated).text("confirm_id")

	waiting := reviewer.get("/confirms?status=pending").want(http.StatusOK).ids("confirm_id")
	if diff := cmp.Diff([]string{id}, waiting); diff != "" {
		t.Errorf("A-1: what waits for the reviewer (-want +got):\n%s", diff)
	}
	before := agent.get("/approvals/abc-123_1").want(http.StatusOK)
	if before.text("status") != "pending" || before.member("decisions") != nil || before.header.Get("Retry-After") != "0" {
		t.Errorf("A-2: before the decision the agent is told %s", before.body)
	}
	reviewer.post("/approvals/abc-123_1", example(t, "s004-L081-approval")).want(http.StatusOK)
	after := agent.get("/approvals/abc-123_1").want(http.StatusOK)
	if after.text("status") != "approved" || !strings.Contains(after.body, `"decisions":[{"type":"approve"`) {
		t.Errorf("A-4, A-5: after the command the agent is told %s", after.body)
	}
	if left := reviewer.get("/confirms?status=pending").want(http.StatusOK).ids("confirm_id"); len(left) != 0 {
		t.Errorf("A-1: %v still waits", left)
	}
}

// TestA6_A7d_A18a_A18b_A18c_ApprovedExchange holds each frame to the example of
// its kind, in their order.
func TestA6_A7d_A18a_A18b_A18c_ApprovedExchange(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	heard := agent.listen(session)
	agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
	got := heard.take(2)
	reviewer.post("/approvals/abc-123_1", example(t, "s004-L081-approval")).want(http.StatusOK)
	got = append(got, heard.take(3)...)
	for i, tt := range []struct{ name, example string }{
		{"A-6 A-7d the request with its message_id", "s004-L035-content_block_start"},
		{"A-6 A-8 the request stops", "s004-L062-content_block_stop"},
		{"A-18a the result begins at the next index", "s004-L161-content_block_start"},
		{"A-18b the decisions", "s004-L169-content_block_delta"},
		{"A-18c the result stops", "s004-L178-content_block_stop"},
	} {
		t.Run(tt.name, func(t *testing.T) { like(t, got[i:i+1], example(t, tt.example)) })
	}
}

// TestA10c_A11a_NothingOfARequestIsLost looks at what is given back, and at the
// content that is hashed.
func TestA10c_A11a_NothingOfARequestIsLost(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	id := agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated).text("confirm_id")
	object := agent.get("/confirms/" + id).want(http.StatusOK)
	block := value(t, example(t, "s004-L035-content_block_start")).(map[string]any)["content_block"].(map[string]any)
	for _, name := range []string{"actions", "review_configs"} {
		if diff := cmp.Diff(block[name], object.member(name)); diff != "" {
			t.Errorf("%s given back (-want +got):\n%s", name, diff)
		}
	}
	detail, err := s.Confirm(t.Context(), domain.System, id)
	if err != nil {
		t.Fatal(err)
	}
	action := detail.Content.Actions[0]
	if action.ToolUseID != "toolu_01XyzAbc" {
		t.Errorf("A-10c: the hashed content has the tool_use_id %q", action.ToolUseID)
	}
	if got, want := string(action.ReviewConfig), `{"require_approval":true,"timeout":300}`; got != want {
		t.Errorf("A-11a: the hashed content has the review config %s, want %s", got, want)
	}
}

func TestA11b_TimeoutIs300SecondsUnlessTold(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	for _, tt := range []struct{ name, member, want string }{
		{"A-11b absent", ``, "2026-01-02T03:09:05.000Z"},
		{"A-11b told", `"review_configs":[{"timeout":10}],`, "2026-01-02T03:04:15.000Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			posted := agent.on(t).post("/approvals", `{"session_id":"s",`+tt.member+toolCall[1:]).want(http.StatusCreated)
			if got := posted.text("expires_at"); got != tt.want {
				t.Errorf("expires at %s, want %s", got, tt.want)
			}
		})
	}
}

// reactClient is what the approval flow's React example keeps and sends.
type reactClient struct {
	request *struct {
		ApprovalKey string `json:"approval_key"`
		Actions     []struct {
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"actions"`
	}
}

// handle is what the approval flow's React client does with a frame (handleEvent).
func (c *reactClient) handle(t *testing.T, frame string) {
	var msg struct {
		Type         string          `json:"type"`
		ContentBlock json.RawMessage `json:"content_block"`
	}
	var block struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(frame), &msg); err != nil {
		t.Fatal(err)
	}
	if msg.Type != "content_block_start" {
		return
	}
	if err := json.Unmarshal(msg.ContentBlock, &block); err != nil {
		t.Fatal(err)
	}
	if block.Type == "approval_request" {
		if err := json.Unmarshal(msg.ContentBlock, &c.request); err != nil {
			t.Fatal(err)
		}
	}
}

// submit is the payload of the approval flow's submit: one type for each
// action.
func (c *reactClient) submit(t *testing.T, session, kind string) string {
	decisions := make([]map[string]string, len(c.request.Actions))
	for i := range decisions {
		decisions[i] = map[string]string{"type": kind}
	}
	text, err := json.Marshal(map[string]any{"type": "approval", "session_id": session, "approval_key": c.request.ApprovalKey, "decisions": decisions})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestA20a_A20b_ReactClientIsServed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	heard := reviewer.listen("/sessions/s/events")
	agent.post("/approvals", `{"session_id":"s",`+twoCalls[1:]).want(http.StatusCreated)
	var client reactClient
	for _, m := range heard.take(2) {
		client.handle(t, m.data)
	}
	if client.request == nil || len(client.request.Actions) != 2 || string(client.request.Actions[0].Args) != `{"table":"users"}` {
		t.Fatalf("the client has read %+v", client.request)
	}
	reviewer.post("/approvals/"+client.request.ApprovalKey, client.submit(t, "s", "approve")).want(http.StatusOK)
	read := client.request
	for _, m := range heard.take(3) {
		client.handle(t, m.data)
	}
	if client.request != read {
		t.Error("the client takes the result for a request")
	}
	if got := agent.get("/approvals/s_1").text("status"); got != "approved" {
		t.Errorf("status %s", got)
	}
}
