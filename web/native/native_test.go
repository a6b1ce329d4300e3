package native

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/domain/mplp"
)

// payloads reads what real packages sent.
func payloads(t *testing.T, name string) map[string]json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func parse(t *testing.T, format, body string) *Call {
	t.Helper()
	call, err := Parse(format, Input{Body: []byte(body), Key: "k", Limits: mplp.DefaultLimits})
	if err != nil {
		t.Fatalf("%s %s: %v", format, body, err)
	}
	return call
}

func answer(t *testing.T, c *Call, v Verdict) string {
	t.Helper()
	text, err := c.Answer(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// verdicts on every action of a call.
func approved(c *Call) Verdict {
	v := Verdict{Status: "approved", Role: "reviewer"}
	for _, a := range c.Actions {
		v.Actions = append(v.Actions, Decision{IsApproved: true, Name: a.Name, Original: a.Args})
	}
	return v
}

func edited(c *Call, args string) Verdict {
	v := approved(c)
	for i := range v.Actions {
		v.Actions[i].Args = []byte(args)
	}
	return v
}

func rejected(c *Call) Verdict {
	v := Verdict{Status: "rejected", Role: "reviewer", Words: "Rejected by reviewer: no"}
	for _, a := range c.Actions {
		v.Actions = append(v.Actions, Decision{Name: a.Name, Original: a.Args, Words: v.Words})
	}
	return v
}

var pending = Verdict{Status: "pending", Words: "Not decided yet"}

// TestHooks_AnswerEachEvent: exactly the members that the harness defines, and nothing
// that it might take for an approval until there is one.
func TestHooks_AnswerEachEvent(t *testing.T) {
	t.Parallel()
	const allowClaude = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Approved by reviewer"}}`
	const denyClaude = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":WORDS}}`
	const request = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":`
	const denyRequest = request + `{"behavior":"deny","message":WORDS}}}`
	const edit = `{"command":"ls","description":"\u0041","extra":1e400}`
	for event, want := range map[string]struct{ format, tool, id, approved, edited, denied string }{
		"claude PreToolUse": {"claude", "Bash", "toolu_01", allowClaude,
			strings.TrimSuffix(allowClaude, "}}") + `,"updatedInput":EDIT}}`, denyClaude},
		"claude PreToolUse of an MCP tool, in a subagent": {"claude", "mcp__crm__delete_contact", "toolu_02", allowClaude,
			strings.TrimSuffix(allowClaude, "}}") + `,"updatedInput":EDIT}}`, denyClaude},
		"claude PermissionRequest": {"claude", "Write", "…", request + `{"behavior":"allow"}}}`, request + `{"behavior":"allow","updatedInput":EDIT}}}`, denyRequest},
		"codex PreToolUse": {"codex", "Bash", "call_1", `{}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":EDIT}}`, denyClaude},
		"codex PermissionRequest":                   {"codex", "Bash", "t1", request + `{"behavior":"allow"}}}`, "", denyRequest},
		"gemini BeforeTool":                         {"gemini", "run_shell_command", "2026-11-22T09:00:00.000Z", `{"decision":"allow"}`, `{"decision":"allow","hookSpecificOutput":{"tool_input":EDIT}}`, `{"decision":"deny","reason":WORDS}`},
		"copilot preToolUse":                        {"copilot", "bash", "", `{"permissionDecision":"allow"}`, `{"permissionDecision":"allow","modifiedArgs":EDIT}`, `{"permissionDecision":"deny","permissionDecisionReason":WORDS}`},
		"copilot PreToolUse":                        {"copilot", "Bash", "", `{"permissionDecision":"allow"}`, `{"permissionDecision":"allow","modifiedArgs":EDIT}`, `{"permissionDecision":"deny","permissionDecisionReason":WORDS}`},
		"cursor preToolUse":                         {"cursor", "Shell", "u1", `{"permission":"allow"}`, `{"permission":"allow","updated_input":EDIT}`, `{"permission":"deny","user_message":WORDS,"agent_message":WORDS}`},
		"cursor beforeMCPExecution":                 {"cursor", "delete_contact", "g1", `{"permission":"allow"}`, "", `{"permission":"deny","user_message":WORDS,"agent_message":WORDS}`},
		"cursor beforeShellExecution":               {"cursor", "Shell", "g1", `{"permission":"allow"}`, "", `{"permission":"deny","user_message":WORDS,"agent_message":WORDS}`},
		"copilot preToolUse, arguments in a string": {"copilot", "bash", "", `{"permissionDecision":"allow"}`, `{"permissionDecision":"allow","modifiedArgs":EDIT}`, `{"permissionDecision":"deny","permissionDecisionReason":WORDS}`},
	} {
		call := parse(t, want.format, string(payloads(t, "hooks")[event]))
		if !call.IsHook || len(call.Actions) != 1 || call.Actions[0].Name != want.tool || want.id != "…" && call.Actions[0].ID != want.id {
			t.Fatalf("%s: %+v", event, call)
		}
		if got := answer(t, call, approved(call)); got != want.approved {
			t.Errorf("%s approved: %s, want %s", event, got, want.approved)
		}
		if canEdit := slices.Contains(call.Actions[0].Decisions, "edit"); canEdit != (want.edited != "") {
			t.Errorf("%s can be edited: %v", event, canEdit)
		} else if canEdit {
			if got := answer(t, call, edited(call, edit)); got != strings.ReplaceAll(want.edited, "EDIT", edit) && !strings.Contains(event, "MCP") {
				t.Errorf("%s edited: %s, want %s", event, got, want.edited)
			}
		}
		for _, v := range []Verdict{rejected(call), pending} {
			if got := answer(t, call, v); got != strings.ReplaceAll(want.denied, "WORDS", `"`+v.Words+`"`) {
				t.Errorf("%s %s: %s, want %s", event, v.Status, got, want.denied)
			}
		}
	}
}

// Gemini CLI merges, so that an edit that removes a member would not be what runs.
func TestGemini_EditThatRemovesAMember(t *testing.T) {
	t.Parallel()
	call := parse(t, "gemini", string(payloads(t, "hooks")["gemini BeforeTool"]))
	if got := answer(t, call, edited(call, `{"command":"ls"}`)); !strings.HasPrefix(got, `{"decision":"deny","reason":"A reviewer approved other arguments`) {
		t.Errorf("answer %s", got)
	}
}

// Input that is no object is shown, and cannot be edited.
func TestClaude_InputOfAnyKind(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{`"ls"`: `{"input":"ls"}`, `[1]`: `{"input":[1]}`, `null`: `{"input":null}`} {
		call := parse(t, "claude", `{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":`+input+`}`)
		if got := call.Actions[0]; string(got.Args) != want || slices.Contains(got.Decisions, "edit") {
			t.Errorf("%s becomes %s, %v", input, got.Args, got.Decisions)
		}
	}
}

// TestFrameworks_AnswerAsTheirPackagesDo: the resume and the replies were captured.
func TestFrameworks_AnswerAsTheirPackagesDo(t *testing.T) {
	t.Parallel()
	langchain, openai, vercel, agui := payloads(t, "langchain"), payloads(t, "openai"), payloads(t, "vercel"), payloads(t, "ag-ui")
	secondRejected := func(c *Call) Verdict {
		v := approved(c)
		v.Actions[1] = Decision{Words: "Rejected by reviewer: wrong recipient"}
		return v
	}
	for _, tt := range []struct {
		format     string
		body, want json.RawMessage
		verdict    func(*Call) Verdict
	}{
		{"langchain", langchain["body"], langchain["resume"], func(c *Call) Verdict {
			v := approved(c)
			v.Actions[0].Args = []byte(`{"symbol":"ACME","quantity":50}`)
			return v
		}},
		{"openai", openai["body"], openai["reply"], secondRejected},
		{"vercel", vercel["content"], vercel["reply"], secondRejected},
		{"vercel", vercel["messages"], vercel["reply"], secondRejected},
		{"ag-ui", agui["body"], agui["reply"], func(c *Call) Verdict { return edited(c, `{"quantity":50}`) }},
	} {
		call := parse(t, tt.format, string(tt.body))
		if call.IsHook {
			t.Errorf("%s is a hook", tt.format)
		}
		got := answer(t, call, tt.verdict(call))
		var have, want any
		if json.Unmarshal([]byte(got), &have) != nil || json.Unmarshal(tt.want, &want) != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s answers %s, want %s", tt.format, got, tt.want)
		}
	}
}

// Each spelling is answered in the same.
func TestLangChain_Spellings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"i","value":{"action_requests":[{"name":"f","arguments":{"a":1}}],"review_configs":[{"action_name":"f","allowed_decisions":["edit"]}]}}`: `{"decisions":[{"type":"edit","edited_action":{"name":"f","args":{"a":2}}}]}`,
		`{"actionRequests":[{"name":"f","args":{"a":1}}],"reviewConfigs":[]}`:                                                                           `{"decisions":[{"type":"edit","editedAction":{"name":"f","args":{"a":2}}}]}`,
		`[{"id":"i","value":{"type":"tool_approval","tool_call_id":"c","name":"f","args":{"a":1}}}]`:                                                    `{"i":{"type":"edit","edited_action":{"name":"f","args":{"a":2}}}}`,
	} {
		call := parse(t, "langchain", body)
		if got := answer(t, call, edited(call, `{"a":2}`)); got != want {
			t.Errorf("%s answers %s, want %s", body, got, want)
		}
	}
	call := parse(t, "langchain", string(payloads(t, "langchain")["body"]))
	if got := call.Actions[1]; slices.Contains(got.Decisions, "edit") || !strings.Contains(string(got.Schema), `"to"`) {
		t.Errorf("the second action: %v %s", got.Decisions, got.Schema)
	}
}

// Nobody is asked about arguments that nobody can read.
func TestOpenAI_ArgumentsThatAreNotStrict(t *testing.T) {
	t.Parallel()
	call := parse(t, "openai", `[{"rawItem":{"type":"function_call","callId":"a","name":"f","arguments":"{\"x\":1,\"x\":2}"}},
		{"raw_item":{"call_id":"b","name":"f","arguments":"{}"}},
		{"rawItem":{"providerData":{"type":"mcp_approval_request","id":"m","name":"f","arguments":"{}"}}}]`)
	if len(call.Actions) != 2 {
		t.Fatalf("%d are asked about", len(call.Actions))
	}
	want := `[{"callId":"a","approve":false,"message":"Rejected: the arguments are not a strict JSON object, so nobody could see what would run."},` +
		`{"callId":"b","approve":true},{"type":"mcp_approval_response","approval_request_id":"m","approve":true}]`
	if got := answer(t, call, approved(call)); got != want {
		t.Errorf("answer %s, want %s", got, want)
	}
}

func TestVercel_AnsweredRequestsAreSkipped(t *testing.T) {
	t.Parallel()
	const request = `{"type":"tool-approval-request","approvalId":"a1","toolCall":{"toolCallId":"c","toolName":"f","input":{}}}`
	const response = `{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"a1","approved":true}]}`
	_, err := Parse("vercel", Input{Body: []byte("[" + request + "," + response + "]"), Limits: mplp.DefaultLimits})
	wantInvalid(t, err, "", "min_items")
	_, err = Parse("vercel", Input{Body: []byte(`[{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}]`), Limits: mplp.DefaultLimits})
	wantInvalid(t, err, "toolCall", "required")
}

func TestAgentInbox_AnswersWhatIsAllowed(t *testing.T) {
	t.Parallel()
	const body = `[{"action_request":{"action":"f","args":{"a":1}},"config":{"allow_accept":true,"allow_edit":true,"allow_respond":RESPOND},"description":"d"}]`
	call := parse(t, "agent-inbox", strings.Replace(body, "RESPOND", "true", 1))
	for want, v := range map[string]Verdict{
		`[{"type":"accept","args":{"action":"f","args":{"a":1}}}]`: approved(call),
		`[{"type":"edit","args":{"action":"f","args":{"a":2}}}]`:   edited(call, `{"a":2}`),
		`[{"type":"response","args":"Rejected by reviewer: no"}]`:  rejected(call),
	} {
		if got := answer(t, call, v); got != want {
			t.Errorf("answer %s, want %s", got, want)
		}
	}
	call = parse(t, "agent-inbox", strings.Replace(body, "RESPOND", "false", 1))
	if got := answer(t, call, rejected(call)); got != `[{"type":"ignore","args":null}]` {
		t.Errorf("answer %s", got)
	}
	_, err := Parse("agent-inbox", Input{Body: []byte(body[:1] + "]"), Key: "k", Limits: mplp.DefaultLimits})
	wantInvalid(t, err, "", "min_items")
}

func TestAGUI_TimeoutIsNoRefusal(t *testing.T) {
	t.Parallel()
	call := parse(t, "ag-ui", string(payloads(t, "ag-ui")["body"]))
	late := rejected(call)
	late.Timeout = true
	for want, v := range map[string]Verdict{
		`[{"interruptId":"int-1","status":"cancelled"}]`:                             late,
		`[{"interruptId":"int-1","status":"resolved","payload":{"approved":false}}]`: rejected(call),
		`[{"interruptId":"int-1","status":"resolved","payload":{"approved":true}}]`:  approved(call),
	} {
		if got := answer(t, call, v); got != want {
			t.Errorf("answer %s, want %s", got, want)
		}
	}
}

func wantInvalid(t *testing.T, err error, path, code string) {
	t.Helper()
	var refused *mplp.Invalid
	if !errors.As(err, &refused) || refused.Problems[0].Path != path || refused.Problems[0].Code != code {
		t.Errorf("%v, want %s at %q", err, code, path)
	}
}

// FuzzParse: whatever is sent, nothing is approved that was not.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"hooks", "langchain", "openai", "vercel", "ag-ui"} {
		raw, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		var list map[string]json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			f.Fatal(err)
		}
		for _, body := range list {
			f.Add([]byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, format := range Formats() {
			call, err := Parse(format, Input{Body: body, Key: "k", Limits: mplp.DefaultLimits})
			if err != nil {
				continue
			}
			for i, action := range call.Actions {
				if action.Args.Kind() != '{' || !action.Args.IsValid() {
					t.Fatalf("%s: action %d has the arguments %s", format, i, action.Args)
				}
			}
			for _, v := range []Verdict{rejected(call), pending} {
				text := answer(t, call, v)
				for _, approval := range []string{`"allow"`, `"approve":true`, `"approved":true`, `"type":"approve"`, `"accept"`, `"edit"`} {
					if strings.Contains(text, approval) && !strings.Contains(string(body), strings.Trim(approval, `"`)) {
						t.Fatalf("%s: %s is answered with %s", format, v.Status, text)
					}
				}
			}
		}
	})
}
