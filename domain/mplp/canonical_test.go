package mplp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCanonical_Examples compares the canonical form of the protocol's whole
// example objects with testdata/canonical.
func TestCanonical_Examples(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, module, file string }{
		{"C-52 C-51 prefixed ids", "confirm", "s000-L237-confirm.json"},
		{"F-7 F-8 opaque ids", "confirm", "s002-L026-confirm.json"},
		{"R-24", "role", "s001-L199-role.json"},
		{"R-17", "context", "s001-L118-context.json"},
		{"P-37", "plan", "s003-L228-plan.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			native := []byte(example(t, tt.file))
			if tt.module == "context" {
				o, err := ParseObject(native, DefaultLimits)
				if err != nil {
					t.Fatal(err)
				}
				at := time.Date(2025, 12, 7, 0, 0, 0, 0, time.UTC)
				native = CompleteContext(o, "", at, at)
			}
			got, err := canonicalOf(tt.module, native)
			if err != nil {
				t.Fatal(err)
			}
			testCanonical(t, tt.module, native, got)
			want, err := os.ReadFile(filepath.Join("testdata", "canonical", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			var shown bytes.Buffer
			if err := json.Indent(&shown, got, "", "  "); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), shown.String()+"\n"); diff != "" {
				t.Errorf("canonical form (-want +got):\n%s", diff)
			}
		})
	}
}

// canonicalText projects a small object; ID0 to ID9 stand for identifiers.
func canonicalText(t *testing.T, module, native string) string {
	t.Helper()
	native = strings.ReplaceAll(native, "ID", hex550)
	got, err := canonicalOf(module, []byte(native))
	if err != nil {
		t.Fatal(err)
	}
	testCanonical(t, module, []byte(native), got)
	return strings.ReplaceAll(string(got), hex550, "ID")
}

func TestCanonical_Projects(t *testing.T) {
	t.Parallel()
	const meta = `{"protocol_version":"1.0.0","schema_version":"1.0.0"`
	confirm := func(more string) string {
		return `{"confirm_id":"ID0","target_type":"other","target_id":"ID1","status":"pending","requested_by_role":"r","requested_at":"2025-12-07T00:00:00.000Z"` + more + `}`
	}
	sameConfirm := func(more string) string { return `{"meta":` + meta + `},` + confirm(more)[1:] }
	role := func(more string) string { return `{"role_id":"ID0","name":"n"` + more + `}` }
	sameRole := func(more string) string { return `{"meta":` + meta + `},` + role(more)[1:] }
	attributes := func(more string) string {
		return sameConfirm(`,"trace":{"trace_id":"ID0","span_id":"ID0","attributes":{` + more + `}}`)
	}
	tests := []struct{ name, module, native, want string }{
		{"C-5 meta is made", "confirm", confirm(``), sameConfirm(``)},
		{"C-50 nulls and naive time", "confirm", strings.Replace(confirm(`,"reason":null,"trace":null,"decisions":null,"events":null,"governance":null`), ".000Z", ".123456", 1),
			strings.Replace(sameConfirm(``), ".000Z", ".123Z", 1)},
		{"unknown members are dropped", "confirm", confirm(`,"x":1,"trace":{"trace_id":"ID2","span_id":"ID3","y":1}`), sameConfirm(`,"trace":{"trace_id":"ID2","span_id":"ID3"}`)},
		{"C-5 seed's meta", "role", role(`,"meta":{"protocolVersion":"1.2.0","source":"sdk","createdAt":"2025-12-07T00:00:00","crossCutting":["security","security","x"],"tags":["a",1,null,"a"],"y":1}`),
			`{"meta":{"protocol_version":"1.2.0","schema_version":"1.0.0","created_at":"2025-12-07T00:00:00.000Z","created_by":"sdk","tags":["a"],"cross_cutting":["security"]},` + role(``)[1:]},
		{"C-5 what fits wins", "role", role(`,"meta":{"protocol_version":"v1","protocolVersion":"1.2.0","created_by":"a","source":"b","created_at":"soon"}`),
			`{"meta":{"protocol_version":"1.2.0","schema_version":"1.0.0","created_by":"a"},` + role(``)[1:]},
		{"A-10b product data keeps its bytes", "confirm", confirm(`,"on_reject":"recover","step_id":"s1","timeout":300,"actions":[{"name":"t","args":{"n":12345678901234567890}}],"session_id":null`),
			attributes(`"actions":[{"name":"t","args":{"n":12345678901234567890}}],"timeout":300,"step_id":"s1","on_reject":"recover"`)},
		{"the member wins over the client's attribute", "confirm", confirm(`,"step_id":"s1","trace":{"trace_id":"ID0","span_id":"ID0","attributes":{"sent.step_id":0,"step_id":"s2"}}`),
			attributes(`"sent.step_id":0,"step_id":"s1","sent.sent.step_id":"s2"`)},
		{"C-18 decision of an import", "confirm", confirm(`,"decisions":[{"decision_id":"ID2","status":"approved","decided_by_role":"r","user_edit_content":"x"}]`),
			sameConfirm(`,"decisions":[{"decision_id":"ID2","status":"approved","decided_by_role":"r","decided_at":"2025-12-07T00:00:00.000Z"}]`)},
		{"C-16 R-7c governance", "role", role(`,"governance":{"locked":true,"truthDomain":null,"phase":"x","lastConfirmRef":{"$ref":"confirm-ID3"}}`),
			sameRole(`,"governance":{"locked":true,"lastConfirmRef":{"id":"ID3","module":"confirm"}},"trace":{"trace_id":"ID0","span_id":"ID0","attributes":{"native_ids":{"governance.lastConfirmRef.id":"confirm-ID3"}}}`)},
		{"reference to nothing", "role", role(`,"governance":{"lastConfirmRef":{"module":"plan"}}`), sameRole(`,"governance":{}`)},
		{"R-7b bus event", "role", role(`,"created_at":"2025-12-07T00:00:00Z","events":[{"event_id":"ID5","event_type":"plan_approved","payload":{"a":1}}]`),
			sameRole(`,"created_at":"2025-12-07T00:00:00.000Z","events":[{"event_id":"ID5","event_type":"plan.approved","source":"role","timestamp":"2025-12-07T00:00:00.000Z",` +
				`"data":{"sent":{"event_id":"ID5","event_type":"plan_approved","payload":{"a":1}}}}]`)},
		{"C-15 valid event", "role", role(`,"events":[{"event_id":"ID5","event_type":"role.made","source":"s","timestamp":"2025-12-07T01:00:00+01:00","data":null}]`),
			sameRole(`,"events":[{"event_id":"ID5","event_type":"role.made","source":"s","timestamp":"2025-12-07T00:00:00.000Z"}]`)},
		{"P-4a plan's governance and span", "plan", `{"plan_id":"ID0","context_id":"ID1","title":"t","objective":"o","status":"draft","governance":{"locked":true},"trace":{"trace_id":"ID2"},
			"steps":[{"step_id":"ID3","description":"d","status":"pending","agent_role":null,"order_index":null}]}`,
			`{"meta":` + meta + `},"plan_id":"ID0","context_id":"ID1","title":"t","objective":"o","status":"draft","steps":[{"step_id":"ID3","description":"d","status":"pending"}],` +
				`"trace":{"trace_id":"ID2","span_id":"ID0","attributes":{"governance":{"locked":true}}}}`},
		{"P-24 steps stay apart", "plan", `{"plan_id":"ID0","context_id":"ID1","title":"t","objective":"o","status":"draft",
			"steps":[{"step_id":"s-ID3","description":"d","status":"pending","dependencies":["ID3"]},{"step_id":"ID3","description":"d","status":"pending"}]}`,
			`{"meta":` + meta + `},"plan_id":"ID0","context_id":"ID1","title":"t","objective":"o","status":"draft","steps":[` +
				`{"step_id":"` + hashedID("step:"+hex550+"0", "s-"+hex550+"3") + `","description":"d","status":"pending","dependencies":["ID3"]},{"step_id":"ID3","description":"d","status":"pending"}],` +
				`"trace":{"trace_id":"ID0","span_id":"ID0","attributes":{"native_ids":{"steps[0].step_id":"s-ID3"}}}}`},
		{"context", "context", `{"context_id":"ID0","title":"t","status":"active","root":{"domain":"d","environment":null,"entry_point":7,"more":null},"tags":["","a"],"constraints":{"b":null}}`,
			`{"meta":` + meta + `},"context_id":"ID0","title":"t","status":"active","root":{"domain":"d","environment":"unspecified","more":null},"tags":["a"],"constraints":{"b":null}}`},
		{"trace", "trace", `{"trace_id":"trace-ID0","context_id":"ID1","status":"running","root_span":null,"segments":[{"segment_id":"ID2","parent_segment_id":"ID3","label":"","status":"skipped","z":1}]}`,
			`{"meta":` + meta + `},"trace_id":"ID0","context_id":"ID1","status":"running","segments":[{"segment_id":"ID2","label":"","status":"skipped","parent_segment_id":"ID3"}],` +
				`"root_span":{"trace_id":"ID0","span_id":"ID0","attributes":{"native_ids":{"trace_id":"trace-ID0"}}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, canonicalText(t, tt.module, tt.native)); diff != "" {
				t.Errorf("canonical form (-want +got):\n%s", diff)
			}
		})
	}
}

func TestA14_CanonicalConfirm_TellsWhatWasDecided(t *testing.T) {
	t.Parallel()
	native := []byte(`{"confirm_id":"` + hex550 + `0","target_type":"other","target_id":"` + hex550 + `1","status":"approved","requested_by_role":"r","requested_at":"2025-12-07T00:00:00Z",
		"decisions":[{"decision_id":"` + hex550 + `2","status":"approved","decided_by_role":"r","decided_at":"2025-12-07T00:05:00Z"}],"events":[{"event_type":"sent"}]}`)
	extra := ConfirmExtra{
		ApprovalKey: "sess_1", ExpiresAt: time.Date(2025, 12, 7, 0, 10, 0, 0, time.UTC), Cause: "human", UserEditContent: "less, please",
		Decisions: []ActionDecision{{Type: "edit", Name: "trade", Args: []byte(`{"n":1e400}`)}, {Type: "approve", Message: "fine"}},
	}
	got, err := CanonicalConfirm(native, extra)
	if err != nil {
		t.Fatal(err)
	}
	testCanonical(t, "confirm", native, got)
	o := split(got)
	events, _ := o.Get("events")
	list := elements(events)
	if len(list) != 2 {
		t.Fatalf("%d events, want the client's and the decision: %s", len(list), events)
	}
	event := split(list[1])
	data, _ := event.Get("data")
	want := `{"cause":"human","decisions":[{"type":"edit","edited_action":{"name":"trade","args":{"n":1e400}}},{"type":"approve","message":"fine"}],"user_edit_content":"less, please"}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if kind, at := textMember(event, "event_type"), textMember(event, "timestamp"); kind != "confirm.approved" || at != "2025-12-07T00:05:00.000Z" {
		t.Errorf("event %s at %s", kind, at)
	}
	trace, _ := o.Get("trace")
	attributes, _ := split(trace).Get("attributes")
	if diff := cmp.Diff(`{"approval_key":"sess_1","expires_at":"2025-12-07T00:10:00.000Z"}`, string(attributes)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	again, err := CanonicalConfirm(got, extra)
	if err != nil || string(again) != string(got) {
		t.Errorf("told again it becomes %s (%v)", again, err)
	}
}

func TestCanonical_RefusesWhatIsNotStored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, module, native string }{
		{"not JSON", "role", `nope`},
		{"no id", "role", `{"name":"n"}`},
		{"another module", "confirm", `{"role_id":"r","name":"n"}`},
		{"no target", "confirm", `{"confirm_id":"c"}`},
		{"no steps", "plan", `{"plan_id":"p","context_id":"c","title":"t","objective":"o","status":"draft","steps":[]}`},
		{"trace of no context", "trace", `{"trace_id":"t","status":"pending"}`},
		{"context of no status", "context", `{"context_id":"c"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := canonicalOf(tt.module, []byte(tt.native)); err == nil {
				t.Errorf("got %s, want an error", got)
			}
		})
	}
}
