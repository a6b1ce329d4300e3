package mplp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseConsume(t *testing.T) {
	t.Parallel()
	hash, first := "sha256:"+strings.Repeat("0a", 32), int64(0)
	tests := []struct {
		name, body string
		want       Consume
	}{
		{"least", `{"confirm_id":"c-1","execution_id":"e-1"}`, Consume{ConfirmID: "c-1", ExecutionID: "e-1"}},
		{"all", `{"confirm_id":"c-1","execution_id":"e-1","step_id":"s1","action":0,"args_hash":"` + hash + `"}`,
			Consume{ConfirmID: "c-1", ExecutionID: "e-1", StepID: "s1", Action: &first, ArgsHash: hash}},
		{"null is absent", `{"confirm_id":"c-1","execution_id":"e-1","action":null}`, Consume{ConfirmID: "c-1", ExecutionID: "e-1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&tt.want, accepted(t, ParseConsume, tt.body)); diff != "" {
				t.Errorf("consume (-want +got):\n%s", diff)
			}
		})
	}
	testRefusals(t, ParseConsume, []refusal{
		{"nothing", `{}`, []fault{{"confirm_id", "required"}, {"execution_id", "required"}}},
		{"action as text", `{"confirm_id":"c","execution_id":"e","action":"0"}`, []fault{{"action", "type_error"}}},
		{"action below the first", `{"confirm_id":"c","execution_id":"e","action":-1}`, []fault{{"action", "limit"}}},
		{"malformed hash", `{"confirm_id":"c","execution_id":"e","args_hash":"12"}`, []fault{{"args_hash", "pattern"}}},
		{"malformed execution", `{"confirm_id":"c","execution_id":"a b"}`, []fault{{"execution_id", "pattern"}}},
		{"twice the same", `{"confirm_id":"c","confirm_id":"d","execution_id":"e"}`, []fault{{"confirm_id", "syntax"}}},
	})
}
