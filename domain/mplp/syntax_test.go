package mplp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

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
