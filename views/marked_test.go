package views_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"countersign/views"
)

// What an editor shows for arguments means the same, and hides nothing.
func TestEditableMeansTheSame(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text, err := json.Marshal("a" + string(r) + "b")
		if err != nil {
			t.Fatal(err)
		}
		shown := views.Editable(string(text))
		if views.Hidden(shown) > 0 {
			t.Errorf("%U hides in %s", r, shown)
		}
		var got string
		if err := json.Unmarshal([]byte(shown), &got); err != nil || got != "a"+string(r)+"b" {
			t.Errorf("%U: %q %v", r, got, err)
		}
		if views.Hidden(views.Marked(string(r))) > 0 {
			t.Errorf("%U hides in its mark", r)
		}
	}
}
