package mplp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStepPatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       StepPatch
	}{
		{"status", `{"status":"completed"}`, StepPatch{Status: "completed"}},
		{"critical", `{"status":"failed","critical":true}`, StepPatch{Status: "failed", Critical: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&tt.want, accepted(t, ParseStepPatch, tt.body)); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
	testRefusals(t, ParseStepPatch, []refusal{
		{"no status", `{"critical":true}`, []fault{{"status", "required"}}},
		{"critical as text", `{"status":"failed","critical":"true"}`, []fault{{"critical", "type_error"}}},
	})
}
