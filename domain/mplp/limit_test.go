package mplp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestB1_TextsHaveLimits: every text that pages or the log repeat has a limit of
// its own, and one byte more is refused by path and rule.
func TestB1_TextsHaveLimits(t *testing.T) {
	t.Parallel()
	const title, description = 1 << 10, 4 << 10
	confirm := func(member string) string { return `{"target_type":"other",` + member + `}` }
	action := func(member string) string { return confirm(`"actions":[{"name":"rm","args":{},` + member + `}]`) }
	plan := func(member string) string { return planOf(step("s1"))[:len(planOf(step("s1")))-1] + "," + member + "}" }
	tests := []struct {
		as, path string
		limit    int
		body     string // %s stands for the text
	}{
		{"confirm", "requested_by_role", title, confirm(`"requested_by_role":"%s"`)},
		{"confirm", "required_role", title, confirm(`"required_role":"%s"`)},
		{"confirm", "message_id", title, confirm(`"message_id":"%s"`)},
		{"confirm", "actions[0].name", title, confirm(`"actions":[{"name":"%s","args":{}}]`)},
		{"confirm", "actions[0].tool_use_id", title, action(`"tool_use_id":"%s"`)},
		{"confirm", "actions[0].description", description, action(`"description":"%s"`)},
		{"confirm", "trace.attributes.step_id", title, confirm(`"trace":{"attributes":{"step_id":"%s"}}`)},
		{"confirm", "governance.lifecyclePhase", title, confirm(`"governance":{"lifecyclePhase":"%s"}`)},
		{"confirm", "governance.truthDomain", title, confirm(`"governance":{"truthDomain":"%s"}`)},
		{"confirm", "decisions[0].decided_by_role", title, confirm(`"decisions":[{"status":"approved","decided_by_role":"%s"}]`)},
		{"approval", "message_id", title, `{"session_id":"s","actions":[{"name":"rm","args":{}}],"message_id":"%s"}`},
		{"approval", "content_block.actions[0].name", title, `{"type":"content_block_start","session_id":"s","content_block":{"type":"approval_request","actions":[{"name":"%s","args":{}}]}}`},
		{"plan", "title", title, `{"context_id":"c","objective":"o","steps":[{"step_id":"s","description":"d"}],"title":"%s"}`},
		{"plan", "objective", description, `{"context_id":"c","title":"t","steps":[{"step_id":"s","description":"d"}],"objective":"%s"}`},
		{"plan", "steps[0].description", description, `{"context_id":"c","title":"t","objective":"o","steps":[{"step_id":"s","description":"%s"}]}`},
		{"plan", "steps[0].agent_role", title, `{"context_id":"c","title":"t","objective":"o","steps":[{"step_id":"s","description":"d","agent_role":"%s"}]}`},
		{"plan", "trace.attributes.step_id", title, plan(`"trace":{"attributes":{"step_id":"%s"}}`)},
		{"context", "title", title, `{"title":"%s"}`},
		{"context", "summary", description, `{"summary":"%s"}`},
		{"context", "language", title, `{"language":"%s"}`},
		{"context", "owner_role", title, `{"owner_role":"%s"}`},
		{"context", "tags[0]", title, `{"tags":["%s"]}`},
		{"context", "root.domain", title, `{"root":{"domain":"%s"}}`},
		{"context", "root.environment", title, `{"root":{"environment":"%s"}}`},
		{"role", "name", title, `{"name":"%s"}`},
		{"role", "description", description, `{"name":"r","description":"%s"}`},
		{"role", "capabilities[0]", title, `{"name":"r","capabilities":["%s"]}`},
		{"trace", "segments[0].label", title, `{"context_id":"c","segments":[{"segment_id":"s","status":"running","label":"%s"}]}`},
		{"command", "decided_by_role", title, `{"type":"approval","session_id":"s","approval_key":"s_1","decisions":[{"type":"approve"}],"decided_by_role":"%s"}`},
		{"command", "decisions[0].edited_action.name", title, `{"type":"approval","session_id":"s","approval_key":"s_1","decisions":[{"type":"edit","edited_action":{"args":{},"name":"%s"}}]}`},
		{"patch", "decisions[0].decided_by_role", title, `{"decisions":[{"status":"approved","decided_by_role":"%s"}]}`},
	}
	parse := func(as string) func([]byte) error {
		if as == "trace" {
			return func(data []byte) error { _, err := ParseTraceObject(data, DefaultLimits); return err }
		}
		return func(data []byte) error { _, err := parseAs[as](data); return err }
	}
	for _, tt := range tests {
		t.Run(tt.as+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			for extra, want := range [][]fault{nil, {{tt.path, "limit"}}} {
				body := fmt.Sprintf(tt.body, strings.Repeat("a", tt.limit+extra))
				if diff := cmp.Diff(want, faults(t, parse(tt.as)([]byte(body)))); diff != "" {
					t.Errorf("of %d bytes (-want +got):\n%s", tt.limit+extra, diff)
				}
			}
		})
	}
	t.Run("a step that is no string", func(t *testing.T) {
		t.Parallel()
		body := confirm(`"trace":{"attributes":{"step_id":[` + strings.Repeat("1,", title) + `1]}}`)
		if diff := cmp.Diff([]fault{{"trace.attributes.step_id", "type_error"}}, faults(t, parse("confirm")([]byte(body)))); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
	})
	t.Run("a dependency", func(t *testing.T) {
		t.Parallel()
		list := faults(t, parse("plan")([]byte(planOf(step("s1", strings.Repeat("a", title+1))))))
		if len(list) == 0 || list[0] != (fault{"steps[0].dependencies[0]", "limit"}) {
			t.Errorf("faults %v", list)
		}
	})
	// What fills a body is what the reviewer is to read: it has the body's limit.
	t.Run("reasons are free", func(t *testing.T) {
		t.Parallel()
		long := strings.Repeat("a", 200_000)
		if err := parse("confirm")([]byte(confirm(`"reason":"` + long + `","actions":[{"name":"rm","args":{"x":"` + long + `"}}]`))); err != nil {
			t.Error(err)
		}
	})
}

// TestB1_StoredPlansAreRead whatever limits are in force now.
func TestB1_StoredPlansAreRead(t *testing.T) {
	t.Parallel()
	plan, err := ParseStoredPlan([]byte(`{"context_id":"c","title":"` + strings.Repeat("a", 5_000) + `","objective":"o","steps":[{"step_id":"s","description":"d"}]}`))
	if err != nil || len(plan.Title) != 5_000 {
		t.Errorf("%v, %v", plan, err)
	}
}
