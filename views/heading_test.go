package views_test

import (
	"strings"
	"testing"

	"countersign/views"
)

func TestHeading(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 40)
	for _, c := range []struct {
		name, title, reason, want string
		whole                     bool
	}{
		{"a plan's title", "Migrate", "Because", "“Migrate”", false},
		{"a reason of one line", "", "Delete old accounts", "“Delete old accounts”", true},
		{"a reason of several lines", "", "\n  Delete old accounts\nall of them", "“Delete old accounts …”", false},
		{"a long line ends at a word", "", long, "“" + strings.TrimSpace(long[:90]) + " …”", false},
		{"a long word", "", strings.Repeat("ж", 200), "“" + strings.Repeat("ж", 90) + " …”", false},
		{"a reason of nothing", "", " \n\t", "Request", false},
		{"no reason", "", "", "Request", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := views.Heading(c.title, c.reason, "other")
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if whole := views.SaysAll(got, c.reason); whole != c.whole {
				t.Errorf("says all: %v, want %v", whole, c.whole)
			}
		})
	}
}
