package mplp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const oneAction = `"actions":[{"name":"a","args":{}}]`

func TestParseApproval_Refuses(t *testing.T) {
	t.Parallel()
	testRefusals(t, ParseApproval, []refusal{
		{"not JSON", `[]`, []fault{{"", "syntax"}}},
		{"empty", `{}`, []fault{{"actions", "required"}, {"session_id", "required"}}},
		{"A-7a frame type", `{"type":"content_block_stop","content_block":{"approval_key":"s_1",` + oneAction + `}}`, []fault{{"type", "const"}}},
		{"A-7c block type", `{"content_block":{"type":"text","approval_key":"s_1",` + oneAction + `}}`, []fault{{"content_block.type", "const"}}},
		{"A-7c block alone", `{"type":"approval_result","approval_key":"s_1",` + oneAction + `}`, []fault{{"type", "const"}}},
		{"block no object", `{"content_block":[]}`,
			[]fault{{"content_block", "type_error"}, {"content_block.actions", "required"}, {"content_block.session_id", "required"}}},
		{"A-3 no actions", `{"content_block":{"approval_key":"s_1"}}`, []fault{{"content_block.actions", "required"}}},
		{"A-9 key without number", `{"approval_key":"abc-123",` + oneAction + `}`, []fault{{"approval_key", "pattern"}}},
		{"A-9 key without session", `{"approval_key":"1_",` + oneAction + `}`, []fault{{"approval_key", "pattern"}}},
		{"A-9 key with space", `{"approval_key":"a b_1",` + oneAction + `}`, []fault{{"approval_key", "pattern"}}},
		{"A-9 another session", `{"session_id":"abc","approval_key":"abc-123_1",` + oneAction + `}`, []fault{{"session_id", "const"}}},
		{"A-7b index", `{"index":-1,"approval_key":"s_1",` + oneAction + `}`, []fault{{"index", "limit"}}},
		{"paths into the block", `{"content_block":{"approval_key":"s_1","actions":[{"name":"a","args":[]}],"review_configs":[{"timeout":0}]}}`,
			[]fault{{"content_block.actions[0].args", "type_error"}, {"content_block.review_configs[0].timeout", "limit"}}},
		{"path on the frame", `{"reason":1,"content_block":{"approval_key":"s_1",` + oneAction + `}}`, []fault{{"reason", "type_error"}}},
		{"said twice", `{"message_id":"m1","content_block":{"message_id":"m2","approval_key":"s_1",` + oneAction + `}}`, []fault{{"content_block.message_id", "unique"}}},
		{"another target", `{"target_type":"plan","approval_key":"s_1",` + oneAction + `}`, []fault{{"target_type", "const"}}},
		{"decided already", `{"status":"approved","approval_key":"s_1",` + oneAction + `}`, []fault{{"status", "const"}}},
		{"wrong case on the frame", `{"Content_Block":{},"approval_key":"s_1",` + oneAction + `}`, []fault{{"Content_Block", "syntax"}}},
		{"wrong case in the block", `{"content_block":{"approval_key":"s_1",` + oneAction + `,"ACTIONS":[]}}`, []fault{{"content_block.ACTIONS", "syntax"}}},
		{"wrong case of type", `{"content_block":{"Type":"approval_request","approval_key":"s_1",` + oneAction + `}}`, []fault{{"content_block.Type", "syntax"}}},
	})
}

func TestA3_ApprovalRequest(t *testing.T) {
	t.Parallel()
	got := accepted(t, ParseApproval, example(t, "s004-L035-content_block_start.json"))
	confirm := &Confirm{
		TargetType: "other", SessionID: "abc-123", MessageID: "msg-abc",
		Actions: []Action{{
			Name: "execute_trade", Args: []byte(`{"symbol":"VNM","quantity":100,"side":"buy","price":82000}`), ToolUseID: "toolu_01XyzAbc",
		}},
		ReviewConfigs: []ReviewConfig{{RequireApproval: new(true), Timeout: new(int64(300))}},
	}
	want := &Approval{Key: "abc-123_1", Index: 4, Confirm: confirm}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Confirm{}, "Native")); diff != "" {
		t.Errorf("approval (-want +got):\n%s", diff)
	}
	native := `{"index":4,"message_id":"msg-abc","approval_key":"abc-123_1",` +
		`"actions":[{"name":"execute_trade","args":{"symbol":"VNM","quantity":100,"side":"buy","price":82000},"tool_use_id":"toolu_01XyzAbc"}],` +
		`"review_configs":[{"require_approval":true,"timeout":300}],"target_type":"other","session_id":"abc-123"}`
	if diff := cmp.Diff(native, string(got.Confirm.Native.Bytes())); diff != "" {
		t.Errorf("native (-want +got):\n%s", diff)
	}
	again := accepted(t, ParseConfirm, native)
	if diff := cmp.Diff(confirm, again, cmpopts.IgnoreFields(Confirm{}, "Native", "Warnings")); diff != "" {
		t.Errorf("the native form read as a confirm (-want +got):\n%s", diff)
	}
}

func TestParseApproval_Places(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       Approval
		confirm    Confirm
	}{
		{"block alone", `{"type":"approval_request","approval_key":"a_b_12",` + oneAction + `}`, Approval{Key: "a_b_12"}, Confirm{SessionID: "a_b"}},
		{"session alone", `{"session_id":"abc",` + oneAction + `}`, Approval{}, Confirm{SessionID: "abc"}},
		{"both agree", `{"session_id":"abc","approval_key":"abc_7",` + oneAction + `}`, Approval{Key: "abc_7"}, Confirm{SessionID: "abc"}},
		{"members on the frame", `{"index":2,"reason":"r","requested_by_role":"planner","plan_id":"p","step_id":"s","content_block":{"session_id":"abc",` + oneAction + `}}`,
			Approval{Index: 2}, Confirm{Reason: "r", RequestedByRole: "planner", PlanID: "p", StepID: "s", SessionID: "abc"}},
		{"members in the block", `{"content_block":{"index":2,"reason":"r","message_id":"m","session_id":"abc",` + oneAction + `}}`,
			Approval{Index: 2}, Confirm{Reason: "r", MessageID: "m", SessionID: "abc"}},
		{"said twice alike", `{"message_id":"m","content_block":{"message_id":"m","session_id":"abc",` + oneAction + `}}`, Approval{}, Confirm{MessageID: "m", SessionID: "abc"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := accepted(t, ParseApproval, tt.body)
			if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(Approval{}, "Confirm")); diff != "" {
				t.Errorf("approval (-want +got):\n%s", diff)
			}
			tt.confirm.TargetType = "other"
			if diff := cmp.Diff(&tt.confirm, got.Confirm, cmpopts.IgnoreFields(Confirm{}, "Native", "Actions")); diff != "" || len(got.Confirm.Actions) != 1 {
				t.Errorf("confirm of %d actions (-want +got):\n%s", len(got.Confirm.Actions), diff)
			}
		})
	}
}

func TestParseApprovalCommand_Refuses(t *testing.T) {
	t.Parallel()
	testRefusals(t, ParseApprovalCommand, []refusal{
		{"not JSON", `{}}`, []fault{{"", "syntax"}}},
		{"empty", `{}`, []fault{{"decisions", "required"}}},
		{"A-17 none", `{"decisions":[]}`, []fault{{"decisions", "min_items"}}},
		{"A-4 type", `{"type":"approve","decisions":[{"type":"approve"}]}`, []fault{{"type", "const"}}},
		{"key is no id", `{"approval_key":"a b","decisions":[{"type":"approve"}]}`, []fault{{"approval_key", "pattern"}}},
		{"A-9 another session", `{"approval_key":"abc_1","session_id":"abd","decisions":[{"type":"approve"}]}`, []fault{{"session_id", "const"}}},
		{"hash", `{"content_hash":"md5:00","decisions":[{"type":"approve"}]}`, []fault{{"content_hash", "pattern"}}},
		{"A-14 edit", `{"decisions":[{"type":"edit"}]}`, []fault{{"decisions[0].edited_action", "required"}}},
		{"wrong case", `{"decisions":[{"type":"reject"}],"Decisions":[{"type":"approve"}]}`, []fault{{"Decisions", "syntax"}}},
	})
}

func TestParseApprovalCommand_Reads(t *testing.T) {
	t.Parallel()
	command := func(c ApprovalCommand, decisions ...ActionDecision) *ApprovalCommand {
		c.SessionID, c.Key, c.Decisions = "abc-123", "abc-123_1", decisions
		return &c
	}
	tests := []struct {
		name, body string
		want       *ApprovalCommand
	}{
		{"A-12 approve", example(t, "s004-L081-approval.json"), command(ApprovalCommand{}, ActionDecision{Type: "approve"})},
		{"A-13 reject", example(t, "s004-L094-approval.json"), command(ApprovalCommand{}, ActionDecision{Type: "reject"})},
		{"A-14 edit", example(t, "s004-L107-approval.json"), command(ApprovalCommand{}, ActionDecision{
			Type: "edit", Name: "execute_trade", Args: []byte(`{"symbol":"VNM","quantity":50,"side":"buy","price":82000}`),
		})},
		{"A-15 text", example(t, "s004-L129-approval.json"), command(ApprovalCommand{UserEditContent: "OK nhưng chỉ mua 50 cổ thôi"}, ActionDecision{Type: "approve"})},
		{"A-16 several", `{"approval_key":"abc-123_1","decisions":[{"type":"approve"},{"type":"reject","message":"m"}]}`,
			command(ApprovalCommand{}, ActionDecision{Type: "approve"}, ActionDecision{Type: "reject", Message: "m"})},
		{"with hash", `{"approval_key":"abc-123_1","content_hash":"` + someHash + `","reason":"r","decided_by_role":"reviewer","decisions":[{"type":"approve"}]}`,
			command(ApprovalCommand{ContentHash: someHash, Reason: "r", DecidedByRole: "reviewer"}, ActionDecision{Type: "approve"})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, accepted(t, ParseApprovalCommand, tt.body)); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
		})
	}
}
