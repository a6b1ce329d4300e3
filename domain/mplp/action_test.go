package mplp

import (
	"errors"
	"strings"
	"testing"
)

func TestArgsSchema(t *testing.T) {
	t.Parallel()
	text := func(size int) string { return `{"title":"` + strings.Repeat("x", size-len(`{"title":""}`)) + `"}` }
	for _, tc := range []struct{ name, schema, code string }{
		{"an object", `{"type":"object"}`, ""},
		{"what no form can be drawn from", `{"oneOf":[{"$ref":"#/x"}],"type":7}`, ""},
		{"null", `null`, ""},
		{"white space does not count", strings.Repeat(" ", 100) + text(MaxArgsSchema), ""},
		{"one byte too many", text(MaxArgsSchema + 1), "limit"},
		{"a boolean", `true`, "type_error"},
		{"a string", `"{}"`, "type_error"},
		{"an array", `[]`, "type_error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseConfirm([]byte(`{"target_type":"other","actions":[{"name":"a","args":{}}],"review_configs":[{"args_schema":`+tc.schema+`}]}`), DefaultLimits)
			var invalid *Invalid
			switch {
			case tc.code == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.code != "" && !errors.As(err, &invalid):
				t.Errorf("accepted: %v", err)
			case tc.code != "":
				if p := invalid.Problems[0]; p.Path != "review_configs[0].args_schema" || p.Code != tc.code {
					t.Errorf("problem %+v", p)
				}
			}
		})
	}
}
