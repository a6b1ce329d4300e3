package finding

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/domain/reading"
)

var now = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// requestOf is a request with one action, given as JSON.
func requestOf(t testing.TB, tool, args string) *Request {
	t.Helper()
	v, err := reading.Parse([]byte(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return &Request{Actions: []Action{{Name: tool, Args: v}}, Now: now}
}

// foundIn returns what one rule finds, after checking what every finding must be.
func foundIn(t testing.TB, find rule, r *Request) []Finding {
	t.Helper()
	var found []Finding
	find(r, func(f Finding) {
		if n := utf8.RuneCountInString(f.Says); n == 0 || n > 120 || strings.ContainsAny(f.Says, "\n\r\t") {
			t.Errorf("%q has %d characters, or line ends", f.Says, n)
		}
		if n := utf8.RuneCountInString(f.Here); n > maxHere+2 {
			t.Errorf("a value of %d characters is not cut", n)
		}
		if (f.There == "") != (f.Where == "") || f.Kind == "" || f.Level == "" {
			t.Errorf("%+v is not complete", f)
		}
		found = append(found, f)
	})
	return found
}

// A sample is the arguments of a call and what is found in them first.
type sample struct {
	args string
	says string // the beginning of the sentence; empty: nothing is found
	tool string // "" is "call"
}

// expectSamples checks what a rule finds at one level.
func expectSamples(t *testing.T, find rule, level Level, samples []sample) {
	t.Helper()
	for _, s := range samples {
		if s.tool == "" {
			s.tool = "call"
		}
		found := foundIn(t, find, requestOf(t, s.tool, s.args))
		switch {
		case len(found) == 0:
			t.Errorf("%s: nothing is found, want %q", s.args, s.says)
		case found[0].Level != level || !strings.HasPrefix(found[0].Says, s.says):
			t.Errorf("%s: %s %q, want %s %q", s.args, found[0].Level, found[0].Says, level, s.says)
		}
	}
}

// expectNothing checks that a rule is silent about near misses.
func expectNothing(t *testing.T, find rule, args []string) {
	t.Helper()
	for _, text := range args {
		if found := foundIn(t, find, requestOf(t, "call", text)); len(found) > 0 {
			t.Errorf("%s: %s %q", text, found[0].Level, found[0].Says)
		}
	}
}

// expectNoWordsOf checks that words of the agent stand in no sentence of the server.
func expectNoWordsOf(t *testing.T, words string, find rule, r *Request) {
	t.Helper()
	found := foundIn(t, find, r)
	if len(found) == 0 {
		t.Errorf("nothing is found beside %q", words)
	}
	for _, f := range found {
		if strings.Contains(f.Says, words) || strings.Contains(string(f.Kind), words) || strings.Contains(f.Where, words) {
			t.Errorf("the agent speaks for the server: %+v", f)
		}
	}
}
