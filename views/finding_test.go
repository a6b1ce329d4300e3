package views_test

import (
	"strings"
	"testing"

	"countersign/views"
)

// What differs between two values that are nearly the same is set off in both.
func TestFinding_SetsOffWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ here, there, want string }{
		{"4021887631", "4021 8867 31", "76|67"},
		{"88-2014", "88-2041", "14|41"},
		{"DE89370400440532013000", "de89 3704 0044 0532 0130 01", "0|1"},
		{"ä-1234", "ä-1284", "3|8"},
		{"30", "3 mg", ""},
		{"anna@example.com", "otto@example.net", ""},
		{"abc", "xyz", ""},
		{"same", "same", ""},
		{"", "1234", ""},
	} {
		view := tradeView()
		view.Findings = []views.Finding{{Level: "stop", Says: "It differs", Here: tt.here, There: tt.there, Where: "reason", Action: -1}}
		var marks []string
		for _, mark := range document(t, []byte(htmlBuffer(t, views.Confirm(view)))).Find(".values mark").EachIter() {
			marks = append(marks, mark.Text())
		}
		if got := strings.Join(marks, "|"); got != tt.want {
			t.Errorf("of %q and %q %q is set off, want %q", tt.here, tt.there, got, tt.want)
		}
	}
}
