package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// What is written goes into hashes, so it is held to encoding/json in every
// character.
func TestAppendText_AsEncodingJSON(t *testing.T) {
	t.Parallel()
	check := func(s string) {
		want, err := encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(appendText(nil, s))); diff != "" {
			t.Errorf("%q (-encoding/json +ours):\n%s", s, diff)
		}
	}
	for r := range utf8.MaxRune + 1 {
		if r < 0x3000 || r > 0xfff0 && r < 0x10010 {
			check("a" + string(r))
		}
	}
	for name, s := range map[string]string{
		"empty": "", "no UTF-8": "a\xff\xc3", "markup": "<b>&amp;</b>", "quoted": `"\"`, "long": strings.Repeat("x", 5000) + "\n",
	} {
		t.Run(name, func(t *testing.T) { check(s) })
	}
}
