package views

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a writer escaped can be read, and nothing that must stay escaped is not.
func TestSpelled(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"nothing to spell", `"text": "plain\n",`, ""},
		{"letters", `"text": "Ph\u00ea duy\u1EC7t",`, `"text": "Phê duyệt",`},
		{"the member's name", `"\u043a\u043b\u044e\u0447": 1`, `"ключ": 1`},
		{"a pair", `"\ud83d\ude00"`, `"😀"`},
		{"for HTML", `"a\u003cb \u0026 c\u003e"`, `"a<b & c>"`},
		{"half a pair", `"\ud83d \ude00 \ud83dx"`, ""},
		{"what ends a string", `"\u0022, \u005c"`, ""},
		{"what breaks a line", `"\u000a\u2028\u0009"`, ""},
		{"what hides, beside a letter", `"\u202e\u00e4\u200b"`, `"\u202eä\u200b"`},
		{"an escaped backslash", `"\\u00e4 \u00e4"`, `"\\u00e4 ä"`},
		{"cut short", `"\u00e`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, spelled(tt.line)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is read means what was written, and nothing in it hides.
func TestSpelled_MeansTheSame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`\u00e4`, `\u0430`, `\ud83d`, `\ude00`, `\ud83d\ude00`, `\u0022`, `\u005C`, `\\`, `\"`, `\n`, `\u202e`, `\u0301`, `\u000a`, `u00e4`, `a`, `ä`, `\/`, `\u003c`}
	for range 20_000 {
		line := `"`
		for range random.IntN(9) {
			line += pieces[random.IntN(len(pieces))]
		}
		line += `"`
		read := spelled(line)
		if read == "" {
			continue
		}
		var want, got string
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal([]byte(read), &got); err != nil || got != want {
			t.Fatalf("%s is read as %s, which means %q, want %q (%v)", line, read, got, want, err)
		}
	}
}
