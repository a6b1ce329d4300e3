package mplp

import "testing"

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"syntax", &SyntaxError{Message: "not valid UTF-8"}, "invalid JSON: not valid UTF-8"},
		{"syntax somewhere", &SyntaxError{Path: "a.b", Message: "duplicate key"}, "invalid JSON: a.b: duplicate key"},
		{"nothing", &Invalid{}, "invalid: nothing is known of it"},
		{"one problem", &Invalid{Problems: []Problem{{"title", "required", "is required"}}}, "invalid: title: is required"},
		{"two problems", &Invalid{Problems: []Problem{{"", "limit", "too much"}, {"a", "enum", "no"}}}, "invalid: too much (and 1 more)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
