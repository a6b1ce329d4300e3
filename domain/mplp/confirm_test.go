package mplp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// plain is a confirm with one more member.
func plain(member string) string {
	return `{"meta":{},"target_type":"extension","target_id":"e1",` + member + `}`
}

// acting is an approval request's confirm with one action and one more member.
func acting(member string) string {
	return `{"meta":{},"target_type":"other","actions":[{"name":"a","args":{}}],` + member + `}`
}

func TestParseConfirm_Refuses(t *testing.T) {
	t.Parallel()
	action := `{"name":"a","args":{}}`
	testRefusals(t, ParseConfirm, []refusal{
		{"not JSON", `{`, []fault{{"", "syntax"}}},
		{"C-7 target_type missing", `{"target_id":"x"}`, []fault{{"target_type", "required"}}},
		{"C-7 target_type null", `{"target_type":null,"target_id":"x"}`, []fault{{"target_type", "required"}}},
		{"C-7 target_type", `{"target_type":"step","target_id":"x"}`, []fault{{"target_type", "enum"}}},
		{"C-8 target_id missing", `{"target_type":"plan"}`, []fault{{"target_id", "required"}}},
		{"C-8 target_id null", `{"target_type":"plan","target_id":null}`, []fault{{"target_id", "required"}}},
		{"C-11 requested_at", plain(`"requested_at":"not-a-date"`), []fault{{"requested_at", "format"}}},
		{"C-24 status", plain(`"status":"override"`), []fault{{"status", "enum"}}},
		{"C-24 status type", plain(`"status":1`), []fault{{"status", "type_error"}}},
		{"id with slash", plain(`"confirm_id":"a/b"`), []fault{{"confirm_id", "pattern"}}},
		{"id with leading dot", plain(`"confirm_id":".a"`), []fault{{"confirm_id", "pattern"}}},
		{"id empty", plain(`"confirm_id":""`), []fault{{"confirm_id", "pattern"}}},
		{"id new", plain(`"confirm_id":"new"`), []fault{{"confirm_id", "pattern"}}},
		{"id beyond ASCII", plain(`"confirm_id":"ä"`), []fault{{"confirm_id", "pattern"}}},
		{"id with newline", plain(`"confirm_id":"a\n"`), []fault{{"confirm_id", "pattern"}}},
		{"id too long", plain(`"confirm_id":"` + strings.Repeat("a", 129) + `"`), []fault{{"confirm_id", "pattern"}}},
		{"id number", plain(`"confirm_id":7`), []fault{{"confirm_id", "type_error"}}},
		{"requested_by_role empty", plain(`"requested_by_role":""`), []fault{{"requested_by_role", "min_length"}}},
		{"required_role empty", plain(`"required_role":""`), []fault{{"required_role", "min_length"}}},
		{"on_reject", plain(`"on_reject":"retry"`), []fault{{"on_reject", "enum"}}},
		{"events no array", plain(`"events":{}`), []fault{{"events", "type_error"}}},
		{"events", plain(`"events":[{},1]`), []fault{{"events[1]", "type_error"}}},
		{"10001 events", plain(`"events":[1` + strings.Repeat(",1", 10_000) + `]`), []fault{{"events", "limit"}}},
		{"governance", plain(`"governance":true`), []fault{{"governance", "type_error"}}},
		{"locked", plain(`"governance":{"locked":"yes"}`), []fault{{"governance.locked", "type_error"}}},
		{"trace", plain(`"trace":{"trace_id":1,"span_id":"a b"}`), []fault{{"trace.trace_id", "type_error"}, {"trace.span_id", "pattern"}}},
		{"trace no object", plain(`"trace":"t1"`), []fault{{"trace", "type_error"}}},
		{"attributes", plain(`"trace":{"attributes":[]}`), []fault{{"trace.attributes", "type_error"}}},
		{"plan_id differs", `{"target_type":"plan","target_id":"p1","plan_id":"p2"}`, []fault{{"plan_id", "const"}}},

		{"timeout 0", plain(`"timeout":0`), []fault{{"timeout", "limit"}}},
		{"timeout negative", plain(`"timeout":-1`), []fault{{"timeout", "limit"}}},
		{"timeout too long", plain(`"timeout":2592001`), []fault{{"timeout", "limit"}}},
		{"timeout beyond int64", plain(`"timeout":99999999999999999999`), []fault{{"timeout", "limit"}}},
		{"timeout with fraction", plain(`"timeout":1.0`), []fault{{"timeout", "type_error"}}},
		{"timeout with exponent", plain(`"timeout":1e2`), []fault{{"timeout", "type_error"}}},
		{"timeout string", plain(`"timeout":"300"`), []fault{{"timeout", "type_error"}}},

		{"C-20 decision pending", plain(`"decisions":[{"status":"pending","decided_by_role":"r"}]`), []fault{{"decisions[0].status", "enum"}}},
		{"C-21 decision empty", plain(`"decisions":[{}]`), []fault{{"decisions[0].status", "required"}, {"decisions[0].decided_by_role", "required"}}},
		{"C-22 decided_at", plain(`"decisions":[{"status":"approved","decided_by_role":"r","decided_at":"noon"}]`), []fault{{"decisions[0].decided_at", "format"}}},
		{"decisions no array", plain(`"decisions":{}`), []fault{{"decisions", "type_error"}}},
		{"decision no object", plain(`"decisions":["approved"]`), []fault{{"decisions[0]", "type_error"}}},

		{"no action", plain(`"actions":[]`), []fault{{"actions", "min_items"}}},
		{"33 actions", plain(`"actions":[` + action + strings.Repeat(","+action, 32) + `]`), []fault{{"actions", "max_items"}}},
		{"33 actions and a config", plain(`"actions":[` + action + strings.Repeat(","+action, 32) + `],"review_configs":[{}]`), []fault{{"actions", "max_items"}}},
		{"actions no array", plain(`"actions":{}`), []fault{{"actions", "type_error"}}},
		{"action no object", plain(`"actions":[null]`), []fault{{"actions[0]", "type_error"}}},
		{"action empty", plain(`"actions":[{}]`), []fault{{"actions[0].name", "required"}, {"actions[0].args", "required"}}},
		{"action name empty", plain(`"actions":[{"name":"","args":{}}]`), []fault{{"actions[0].name", "min_length"}}},
		{"action name with control character", plain(`"actions":[{"name":"a\u0085b","args":{}}]`), []fault{{"actions[0].name", "pattern"}}},
		{"A-10b args array", plain(`"actions":[{"name":"a","args":[]}]`), []fault{{"actions[0].args", "type_error"}}},
		{"A-10b args string", plain(`"actions":[{"name":"a","args":"{}"}]`), []fault{{"actions[0].args", "type_error"}}},
		{"A-10b args null", plain(`"actions":[{"name":"a","args":null}]`), []fault{{"actions[0].args", "required"}}},
		{"tool_use_id", plain(`"actions":[{"name":"a","args":{},"tool_use_id":1}]`), []fault{{"actions[0].tool_use_id", "type_error"}}},

		{"config without actions", plain(`"review_configs":[{}]`), []fault{{"review_configs", "max_items"}}},
		{"no config", acting(`"review_configs":[]`), []fault{{"review_configs", "min_items"}}},
		{"two configs for one action", acting(`"review_configs":[{},{}]`), []fault{{"review_configs", "max_items"}}},
		{"two configs for three actions", plain(`"actions":[` + action + "," + action + "," + action + `],"review_configs":[{},{}]`), []fault{{"review_configs", "min_items"}}},
		{"config members", acting(`"review_configs":[{"require_approval":1,"timeout":0,"allowed_decisions":["approve","respond"]}]`),
			[]fault{{"review_configs[0].require_approval", "type_error"}, {"review_configs[0].timeout", "limit"}, {"review_configs[0].allowed_decisions[1]", "enum"}}},

		{"wrong case", plain(`"Status":"approved"`), []fault{{"Status", "syntax"}}},
		{"wrong case beside the right one", plain(`"status":"pending","STATUS":"approved"`), []fault{{"STATUS", "syntax"}}},
		{"wrong case by a letter that folds", plain(`"\u017ftatus":"approved"`), []fault{{"ſtatus", "syntax"}}},
		{"wrong case in action", plain(`"actions":[{"name":"a","args":{},"Args":{}}]`), []fault{{"actions[0].Args", "syntax"}}},
		{"wrong case in decision", plain(`"decisions":[{"Status":"approved"}]`), []fault{{"decisions[0].Status", "syntax"}}},
		{"wrong case in governance", plain(`"governance":{"LOCKED":true}`), []fault{{"governance.LOCKED", "syntax"}}},
		{"wrong case in trace", plain(`"trace":{"traceId":"t","Span_id":"s"}`), []fault{{"trace.Span_id", "syntax"}}},
		{"wrong case in config", acting(`"review_configs":[{"Timeout":1}]`), []fault{{"review_configs[0].Timeout", "syntax"}}},

		{"everything at once, in document order", `{"timeout":0,"status":"x","target_type":"plan","actions":[{"name":1}],"session_id":"/"}`, []fault{
			{"timeout", "limit"}, {"status", "enum"}, {"actions[0].name", "type_error"}, {"actions[0].args", "required"},
			{"session_id", "pattern"}, {"target_id", "required"},
		}},
	})
}

func TestParseConfirm_Reads(t *testing.T) {
	t.Parallel()
	body := `{
		"confirm_id": "c-1", "target_type": "other", "plan_id": "p1", "step_id": "s1", "status": "pending",
		"requested_by_role": "planner", "requested_at": "2025-12-07T01:00:00.123456+01:00", "reason": "größer < kleiner",
		"required_role": "reviewer", "supersedes": "c-0", "on_reject": "recover", "session_id": "abc-123", "message_id": "msg/1",
		"timeout": 60, "governance": {"lifecyclePhase": "active", "locked": true, "lastConfirmRef": {"$ref": "c-0"}},
		"trace": {"trace_id": "t1", "span_id": "span-1", "parent_span_id": "span-0", "context_id": "x1", "attributes": {"Trace_ID": 1, "step_id": "s1"}},
		"actions": [
			{"name": "send mail", "args": { "N" : 12345678901234567890 , "n": 1e400 }, "tool_use_id": "toolu_1", "description": "d"},
			{"name": "b", "args": {}}
		],
		"review_configs": [{"require_approval": false, "timeout": 5, "allowed_decisions": []}, {"allowed_decisions": ["approve", "edit"]}],
		"extra": {"Status": 1}
	}`
	want := &Confirm{
		ID: "c-1", TargetType: "other", PlanID: "p1", StepID: "s1", Status: "pending",
		RequestedByRole: "planner", RequestedAt: "2025-12-07T00:00:00.123Z", Reason: "größer < kleiner",
		RequiredRole: "reviewer", Supersedes: "c-0", OnReject: "recover", SessionID: "abc-123", MessageID: "msg/1",
		Timeout: new(int64(60)), Locked: true,
		Trace: &Trace{TraceID: "t1", SpanID: "span-1", ParentSpanID: "span-0", ContextID: "x1", StepID: "s1"},
		Actions: []Action{
			{Name: "send mail", Args: []byte(`{"N":12345678901234567890,"n":1e400}`), ToolUseID: "toolu_1", Description: "d"},
			{Name: "b", Args: []byte(`{}`)},
		},
		ReviewConfigs: []ReviewConfig{
			{RequireApproval: new(false), Timeout: new(int64(5)), AllowedDecisions: []string{}},
			{AllowedDecisions: []string{"approve", "edit"}},
		},
		Warnings: []Warning{{"meta", "filled", "was missing"}},
	}
	got := accepted(t, ParseConfirm, body)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Confirm{}, "Native")); diff != "" {
		t.Errorf("confirm (-want +got):\n%s", diff)
	}
	compact, err := Compact([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Native.Bytes()) != string(compact) {
		t.Errorf("native is\n%s, want\n%s", got.Native.Bytes(), compact)
	}
}

func TestParseConfirm_Warns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       []string
	}{
		{"nothing", plain(`"x":1`), nil},
		{"C-5 meta missing", `{"target_type":"plan","target_id":"p"}`, []string{"meta filled"}},
		{"C-50 null optionals", plain(`"reason":null,"requested_by_role":null,"trace":null`), []string{"reason null", "requested_by_role null", "trace null"}},
		{"C-50 null target_id of other", `{"meta":{},"target_type":"other","target_id":null}`, []string{"target_id null"}},
		{"C-50 naive time", plain(`"requested_at":"2025-12-07T00:00:00.123456"`), []string{"requested_at naive_time"}},
		{"C-18 decision", plain(`"decisions":[{"status":"approved","decided_by_role":"r"}]`), []string{"decisions[0].decision_id filled", "decisions[0].decided_at filled"}},
		{"comment", plain(`"$comment":"x"`), []string{"$comment dropped"}},
		{"step of no plan", acting(`"step_id":"s1"`), []string{"step_id unbound"}},
		{"step_id that is no string", plain(`"trace":{"attributes":{"step_id":3}}`), []string{"trace.attributes.step_id unbound"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, warned(accepted(t, ParseConfirm, tt.body).Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseConfirm_StepThatIsNoString: a confirm that tried to name a step
// must not end up speaking for the whole plan.
func TestParseConfirm_StepThatIsNoString(t *testing.T) {
	t.Parallel()
	c := accepted(t, ParseConfirm, `{"target_type":"plan","target_id":"p","trace":{"attributes":{"step_id":3}}}`)
	if c.Trace.StepID != "3" {
		t.Errorf("step id is %q, want its literal", c.Trace.StepID)
	}
}

func TestConfirm_Imported(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body string
		want bool
	}{
		{plain(`"reason":"x"`), false},
		{plain(`"status":"pending"`), false},
		{plain(`"status":"pending","decisions":[]`), false},
		{plain(`"status":"approved"`), true},
		{plain(`"status":"pending","decisions":[{"status":"approved","decided_by_role":"r"}]`), true},
	}
	for _, tt := range tests {
		if got := accepted(t, ParseConfirm, tt.body).IsImported(); got != tt.want {
			t.Errorf("Imported of %s is %t", tt.body, got)
		}
	}
}

func TestInvalid_IsBounded(t *testing.T) {
	t.Parallel()
	_, err := ParseConfirm([]byte(plain(`"events":[1`+strings.Repeat(",1", 500)+`]`)), DefaultLimits)
	if got := len(faults(t, err)); got != MaxProblems {
		t.Errorf("%d problems, want %d", got, MaxProblems)
	}
	if want := fmt.Sprintf("invalid: events[0]: must be an object (and %d more)", MaxProblems-1); err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
