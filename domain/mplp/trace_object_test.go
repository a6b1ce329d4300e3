package mplp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseTraceObject_Refuses(t *testing.T) {
	t.Parallel()
	testRefusals(t, ParseTraceObject, []refusal{
		{"not JSON", `[]`, []fault{{"", "syntax"}}},
		{"empty", `{}`, []fault{{"context_id", "required"}}},
		{"ids", `{"trace_id":"a/b","context_id":"new","plan_id":1}`, []fault{{"trace_id", "pattern"}, {"context_id", "pattern"}, {"plan_id", "type_error"}}},
		{"status", `{"context_id":"c","status":"skipped"}`, []fault{{"status", "enum"}}},
		{"root_span", `{"context_id":"c","root_span":"s"}`, []fault{{"root_span", "type_error"}}},
		{"root_span ids", `{"context_id":"c","root_span":{"span_id":""}}`, []fault{{"root_span.span_id", "pattern"}}},
		{"times", `{"context_id":"c","started_at":"2025-12-07","finished_at":1}`, []fault{{"started_at", "format"}, {"finished_at", "type_error"}}},
		{"segments", `{"context_id":"c","segments":{}}`, []fault{{"segments", "type_error"}}},
		{"segment", `{"context_id":"c","segments":[{"status":"x","attributes":[]},1]}`, []fault{
			{"segments[0].status", "enum"}, {"segments[0].attributes", "type_error"},
			{"segments[0].segment_id", "required"}, {"segments[0].label", "required"}, {"segments[1]", "type_error"},
		}},
		{"events", `{"context_id":"c","events":[1]}`, []fault{{"events[0]", "type_error"}}},
		{"wrong case", `{"context_id":"c","Segments":[]}`, []fault{{"Segments", "syntax"}}},
	})
}

func TestParseTraceObject_Reads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       TraceObject
	}{
		{"whole", full["trace"], TraceObject{ID: hex550 + "0", ContextID: hex550 + "0", PlanID: hex550 + "0", Status: "running"}},
		{"locked", `{"meta":{},"root_span":{},"status":"failed","context_id":"ctx-123","governance":{"locked":true}}`,
			TraceObject{ContextID: "ctx-123", Status: "failed", Locked: true}},
		{"least", `{"context_id":"c"}`, TraceObject{ContextID: "c", Warnings: []Warning{
			{"meta", "filled", "was missing"}, {"root_span", "filled", "was missing"}, {"status", "filled", "was missing"},
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&tt.want, accepted(t, ParseTraceObject, tt.body), cmpopts.IgnoreFields(TraceObject{}, "Native")); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompleteTrace(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"least", `{"context_id":"c","status":null}`,
			`{"context_id":"c","status":"pending","meta":{"protocolVersion":"1.0.0"},"trace_id":"t1","root_span":{"trace_id":"t1","span_id":"t1"}}`},
		{"nothing to fill", `{"trace_id":"t0","meta":{},"context_id":"c","status":"failed","root_span":{}}`,
			`{"trace_id":"t0","meta":{},"context_id":"c","status":"failed","root_span":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(CompleteTrace(accepted(t, ParseTraceObject, tt.body).Native, "t1"))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}
