package mplp

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reading makes a parser that gives the native form of what it reads, if it
// keeps one.
func reading[T any](parse func([]byte, Limits) (*T, error), native func(*T) *Object) func([]byte) (*Object, error) {
	return func(data []byte) (*Object, error) {
		got, err := parse(data, DefaultLimits)
		if err != nil {
			return nil, err
		}
		return native(got), nil
	}
}

var parseAs = map[string]func([]byte) (*Object, error){
	"confirm":  reading(ParseConfirm, func(c *Confirm) *Object { return c.Native }),
	"plan":     reading(ParsePlan, func(p *Plan) *Object { return p.Native }),
	"role":     reading(ParseRole, func(r *Role) *Object { return r.Native }),
	"context":  reading(ParseContext, func(c *Context) *Object { return c.Native }),
	"object":   reading(ParseObject, func(o *Object) *Object { return o }),
	"approval": reading(ParseApproval, func(*Approval) *Object { return nil }),
	"command":  reading(ParseApprovalCommand, func(*ApprovalCommand) *Object { return nil }),
	"patch":    reading(ParseDecisionPatch, func(*DecisionPost) *Object { return nil }),
}

// TestExamples reads every example of the protocol. Fragments that
// stand for a part of an object name what they lack; frames that only a server
// sends are read as plain objects.
func TestExamples(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, as string
		want     []fault
	}{
		{"s000-L237-confirm.json", "confirm", nil},
		{"s001-L118-context.json", "context", nil},
		{"s001-L125-step.json", "object", nil},
		{"s001-L133-confirm.json", "confirm", []fault{{"target_type", "required"}, {"target_id", "required"}}},
		{"s001-L140-collab-participant.json", "object", nil},
		{"s001-L199-role.json", "role", nil},
		{"s002-L026-confirm.json", "confirm", nil},
		{"s002-L048-decisions.json", "patch", nil},
		{"s003-L102-steps.json", "plan", []fault{{"context_id", "required"}, {"title", "required"}, {"objective", "required"}}},
		{"s003-L228-plan.json", "plan", nil},
		{"s004-L035-content_block_start.json", "approval", nil},
		{"s004-L062-content_block_stop.json", "object", nil},
		{"s004-L081-approval.json", "command", nil},
		{"s004-L094-approval.json", "command", nil},
		{"s004-L107-approval.json", "command", nil},
		{"s004-L129-approval.json", "command", nil},
		{"s004-L145-decisions.json", "command", nil},
		{"s004-L161-content_block_start.json", "approval", []fault{{"content_block.type", "const"}, {"content_block.actions", "required"}}},
		{"s004-L169-content_block_delta.json", "object", nil},
		{"s004-L178-content_block_stop.json", "object", nil},
		{"s004-L184-content_block_start.json", "approval", []fault{{"content_block.type", "const"}, {"content_block.actions", "required"}}},
		{"s004-L185-content_block_stop.json", "object", nil},
	}
	files, err := filepath.Glob("testdata/examples/*.json")
	if err != nil || len(files) != len(tests) {
		t.Fatalf("%d examples (%v), want %d", len(files), err, len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			data := []byte(example(t, tt.file))
			native, err := parseAs[tt.as](data)
			if diff := cmp.Diff(tt.want, faults(t, err)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if native == nil {
				return
			}
			want, err := Compact(data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(native.Bytes())); diff != "" {
				t.Errorf("native form (-want +got):\n%s", diff)
			}
		})
	}
}
