package mplp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseRole_Refuses(t *testing.T) {
	t.Parallel()
	testRefusals(t, ParseRole, []refusal{
		{"not JSON", `"role"`, []fault{{"", "syntax"}}},
		{"R-3c name missing", `{}`, []fault{{"name", "required"}}},
		{"R-3c name null", `{"name":null}`, []fault{{"name", "required"}}},
		{"name empty", `{"name":""}`, []fault{{"name", "min_length"}}},
		{"name number", `{"name":1}`, []fault{{"name", "type_error"}}},
		{"role_id", `{"name":"a","role_id":"a/b"}`, []fault{{"role_id", "pattern"}}},
		{"R-5 capability", `{"name":"a","capabilities":["plan.*",1,null]}`, []fault{{"capabilities[1]", "type_error"}, {"capabilities[2]", "type_error"}}},
		{"R-5 capabilities", `{"name":"a","capabilities":"plan.*"}`, []fault{{"capabilities", "type_error"}}},
		{"R-6a created_at", `{"name":"a","created_at":"2025-12-07"}`, []fault{{"created_at", "format"}}},
		{"R-7c governance", `{"name":"a","governance":{"locked":1}}`, []fault{{"governance.locked", "type_error"}}},
		{"meta", `{"name":"a","meta":"1.0.0"}`, []fault{{"meta", "type_error"}}},
		{"wrong case", `{"name":"a","Capabilities":["*"]}`, []fault{{"Capabilities", "syntax"}}},
	})
}

func TestParseRole_Reads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       Role
	}{
		{"R-24 complete", example(t, "s001-L199-role.json"), Role{
			ID: "role-architect-550e8400", Name: "architect",
			Description: "Senior agent responsible for system design and plan creation. Has full plan and context permissions.",
			Capabilities: []string{
				"plan.create", "plan.propose", "plan.execute", "context.read", "context.modify", "confirm.approve", "trace.read",
			},
			CreatedAt: "2025-12-01T00:00:00.000Z", UpdatedAt: "2025-12-07T00:00:00.000Z",
		}},
		{"R-23 as pydantic sends it", `{"role_id":"r","name":"planner","description":null,"capabilities":[],"created_at":"2025-12-07T00:00:00.123456"}`, Role{
			ID: "r", Name: "planner", CreatedAt: "2025-12-07T00:00:00.123Z",
			Warnings: []Warning{
				{"meta", "filled", "was missing"}, {"description", "null", "null counts as absent"},
				{"created_at", "naive_time", "has no zone and is read as UTC"},
			},
		}},
		{"R-10 without capabilities", `{"meta":{},"name":"planner","governance":{"locked":true},"trace":{"trace_id":"t"}}`,
			Role{Name: "planner", Locked: true, Trace: &Trace{TraceID: "t"}}},
		{"capabilities are not judged here", `{"meta":{},"name":"a","capabilities":["Plan","plan.*"]}`,
			Role{Name: "a", Capabilities: []string{"Plan", "plan.*"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&tt.want, accepted(t, ParseRole, tt.body), cmpopts.IgnoreFields(Role{}, "Native")); diff != "" {
				t.Errorf("role (-want +got):\n%s", diff)
			}
		})
	}
}
