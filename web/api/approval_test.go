package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestApproval_PostAndRepeat(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, stranger := s.agent("executor"), s.decider("other", "executor")
	frame := example(t, "s004-L035-content_block_start")
	first := agent.post("/approvals", frame).want(http.StatusCreated)
	want := map[string]string{"approval_key": "abc-123_1", "status": "pending", "expires_at": "2026-01-02T03:09:05.000Z"}
	for name, value := range want {
		if got := first.text(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	if first.text("confirm_id") == "" || !strings.HasPrefix(first.text("content_hash"), "sha256:") {
		t.Errorf("answered %s", first.body)
	}
	if got := first.header.Get("Location"); got != "/api/v1/approvals/abc-123_1" {
		t.Errorf("Location %q", got)
	}
	if again := agent.post("/approvals", frame).want(http.StatusOK); again.body != first.body {
		t.Errorf("repeated: %s, first %s", again.body, first.body)
	}
	agent.post("/approvals", strings.Replace(frame, "82000", "82001", 1)).problem(http.StatusConflict, "id-taken")
	stranger.post("/approvals", frame).problem(http.StatusConflict, "id-taken")
	stranger.get("/approvals/abc-123_1").problem(http.StatusNotFound, "not-found")

	confirm := agent.get("/confirms/" + first.text("confirm_id")).want(http.StatusOK)
	if confirm.text("session_id") != "abc-123" || confirm.header.Get("ETag") != `"`+first.text("content_hash")+`"` {
		t.Errorf("the confirm is %s", confirm.body)
	}
}

func TestApproval_KeyIsGiven(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	for _, want := range []string{"s-1_1", "s-1_2"} {
		posted := agent.post("/approvals", `{"session_id":"s-1",`+toolCall[1:]).want(http.StatusCreated)
		if got := posted.text("approval_key"); got != want {
			t.Errorf("approval_key %q, want %q", got, want)
		}
	}
	agent.post("/approvals", toolCall).problem(http.StatusUnprocessableEntity, "invalid").fault("session_id", "required")
}

// Keys that somebody has chosen in advance are passed over, by longer and longer
// steps: however many there are, nobody waits for them, and wherever they are, the
// key given is one that commands can name.
func TestApproval_GivenKeyIsSoonFound(t *testing.T) {
	t.Parallel()
	const many = 63
	for name, chosen := range map[string]func(i int) int{
		"one behind another": func(i int) int { return many + 1 + i },
		"ever further apart": func(i int) int { return many + 1<<i },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent := s.agent("executor")
			for i := range many {
				agent.post("/approvals", fmt.Sprintf(`{"approval_key":"s-1_%d",`, chosen(i))+toolCall[1:]).want(http.StatusCreated)
			}
			var got, each []string
			for i := range 6 {
				key := agent.post("/approvals", `{"session_id":"s-1",`+toolCall[1:]).want(http.StatusCreated).text("approval_key")
				if !regexp.MustCompile("^s-1_[0-9]+$").MatchString(key) {
					t.Errorf("approval_key %q", key)
				}
				got, each = append(got, key), append(each, fmt.Sprintf("s-1_%d", chosen(many+i)))
			}
			if slices.Equal(got, each) {
				t.Errorf("every key was looked at: %q", got)
			}
		})
	}
}

// TestA17_MissingDecisionsAreFilled checks when the first decision goes for all.
func TestA17_MissingDecisionsAreFilled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		status        int
		code          string
	}{
		{"filled with the first", `{"decisions":[{"type":"approve"}]}`, 200, ""},
		{"an edit fills nothing", `{"decisions":[{"type":"edit","edited_action":{"name":"delete_table","args":{}}}]}`, 422, "min_items"},
		{"none", `{"decisions":[]}`, 422, "min_items"},
		{"too many", `{"decisions":[{"type":"approve"},{"type":"approve"},{"type":"approve"}]}`, 422, "max_items"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
			agent.post("/approvals", `{"approval_key":"s_1",`+twoCalls[1:]).want(http.StatusCreated)
			answer := reviewer.post("/approvals/s_1", tt.command)
			if tt.code != "" {
				answer.problem(tt.status, "invalid").fault("decisions", tt.code)
				return
			}
			var o struct {
				Decisions []struct {
					Type   string
					Filled bool
				}
			}
			answer.want(tt.status).decode(&o)
			if len(o.Decisions) != 2 || o.Decisions[0].Filled || !o.Decisions[1].Filled || o.Decisions[1].Type != "approve" {
				t.Errorf("decisions %+v", o.Decisions)
			}
		})
	}
}

func TestApproval_KeyOfBodyAndAddressAgree(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	reviewer.post("/approvals/s_1", example(t, "s004-L081-approval")).problem(http.StatusUnprocessableEntity, "invalid").fault("approval_key", "const")
}

func TestApproval_Timeout(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	agent.post("/approvals", `{"approval_key":"s_1","review_configs":[{"timeout":5}],`+toolCall[1:]).want(http.StatusCreated)
	s.pass(5 * time.Second)
	outcome := agent.get("/approvals/s_1").want(http.StatusOK)
	if outcome.text("cause") != "timeout" || outcome.text("approval_key") != "s_1" {
		t.Errorf("outcome %s", outcome.body)
	}
}
