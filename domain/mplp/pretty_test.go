package mplp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPretty(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"object", `{"b":1e400,"a":[1,{}],"c":[]}`, "{\n  \"b\": 1e400,\n  \"a\": [\n    1,\n    {}\n  ],\n  \"c\": []\n}"},
		{"escapes", `"\u003cé<"`, `"\u003cé<"`},
		{"white space changes", "[ 1,\n\t2]", "[\n  1,\n  2\n]"},
		{"not JSON", `{"a":`, `{"a":`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(Pretty([]byte(tt.raw))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCompact_Strict(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `{"a":1,"a":2}`, `"\ud800"`, `1 2`, "\uFEFF1", strings.Repeat("1", 65), strings.Repeat("[", 33) + strings.Repeat("]", 33)} {
		if got, err := Compact([]byte(data)); err == nil {
			t.Errorf("Compact(%q) = %q, want an error", data, got)
		}
	}
}

// TestA10b_NumbersSurvive checks that no number literal is ever rewritten.
func TestA10b_NumbersSurvive(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(10, 2))
	for range 10_000 {
		literal := randomNumber(rnd)
		want := `{"n":[` + literal + `]}`
		compact, err := Compact([]byte(" { \"n\" : [ " + literal + "\n] }"))
		if err != nil {
			t.Fatalf("%s: %v", literal, err)
		}
		if string(compact) != want {
			t.Fatalf("Compact: got %s, want %s", compact, want)
		}
		back, err := Compact(Pretty(compact))
		if err != nil || string(back) != want {
			t.Fatalf("Pretty: got %s (%v), want %s", back, err, want)
		}
		if !strings.Contains(string(Pretty(compact)), " "+literal+"\n") {
			t.Fatalf("Pretty does not show %s:\n%s", literal, Pretty(compact))
		}
	}
}

func randomNumber(rnd *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprint(&b, rnd.IntN(10))
		}
		return b.String()
	}
	pick := func(options ...string) string { return options[rnd.IntN(len(options))] }
	number := pick("", "-") + pick("0", fmt.Sprint(1+rnd.IntN(9))+digits(rnd.IntN(30)))
	if rnd.IntN(2) == 0 {
		number += "." + digits(1+rnd.IntN(20))
	}
	if rnd.IntN(2) == 0 {
		number += pick("e", "E") + pick("", "+", "-") + digits(1+rnd.IntN(5))
	}
	return number
}

func FuzzPretty(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":[1,{"b":[]}]}`, `"\u0000\ud83d\ude00"`, `-0.0e-00`, `nul`, `{"<":"\u2028"}`} {
		f.Add([]byte(seed))
	}
	addExamples(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		compact, err := Compact(data)
		if err != nil {
			return
		}
		back, err := Compact(Pretty(compact))
		if err != nil {
			t.Fatalf("Pretty made %q into %q: %v", compact, Pretty(compact), err)
		}
		if string(back) != string(compact) {
			t.Errorf("got %q, want %q", back, compact)
		}
	})
}
