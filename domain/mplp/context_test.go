package mplp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseContext_Refuses(t *testing.T) {
	t.Parallel()
	testRefusals(t, ParseContext, []refusal{
		{"not JSON", `{"a"}`, []fault{{"a", "syntax"}}},
		{"status", `{"status":"open"}`, []fault{{"status", "enum"}}},
		{"title", `{"title":""}`, []fault{{"title", "min_length"}}},
		{"context_id", `{"context_id":"new"}`, []fault{{"context_id", "pattern"}}},
		{"owner_role", `{"owner_role":1}`, []fault{{"owner_role", "type_error"}}},
		{"root", `{"root":"x"}`, []fault{{"root", "type_error"}}},
		{"root members", `{"root":{"environment":1,"domain":2}}`, []fault{{"root.domain", "type_error"}, {"root.environment", "type_error"}}},
		{"constraints", `{"constraints":[]}`, []fault{{"constraints", "type_error"}}},
		{"tags", `{"tags":["a",1]}`, []fault{{"tags[1]", "type_error"}}},
		{"updated_at", `{"updated_at":7}`, []fault{{"updated_at", "type_error"}}},
		{"wrong case", `{"OWNER_ROLE":"x"}`, []fault{{"OWNER_ROLE", "syntax"}}},
	})
}

func TestParseContext_Reads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       Context
	}{
		{"R-17 what the example shows of it", example(t, "s001-L118-context.json"),
			Context{ID: "ctx-123", OwnerRole: "role-architect-001", Warnings: []Warning{{"meta", "filled", "was missing"}, {"status", "filled", "was missing"}}}},
		{"complete", `{"meta":{},"context_id":"c","title":"t","status":"active","owner_role":"r","tags":["a"],"summary":"s","language":"en",
			"root":{"domain":"d","environment":"e","Domain":1,"entry_point":null},"constraints":{"Status":1},"created_at":"2025-12-07T00:00:00z","governance":{"locked":true}}`,
			Context{ID: "c", Title: "t", Status: "active", OwnerRole: "r", Domain: "d", Environment: "e", CreatedAt: "2025-12-07T00:00:00.000Z", Locked: true}},
		{"nothing", `{"meta":{}}`, Context{Warnings: []Warning{{"status", "filled", "was missing"}}}},
		{"root without environment", `{"meta":{},"status":"draft","root":{"domain":"d","environment":null}}`, Context{Status: "draft", Domain: "d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&tt.want, accepted(t, ParseContext, tt.body), cmpopts.IgnoreFields(Context{}, "Native")); diff != "" {
				t.Errorf("context (-want +got):\n%s", diff)
			}
		})
	}
}
