package gateway

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseRules_Refuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                   "empty",
		`[]`:                                 "must be a JSON object",
		`{"default":"ask"`:                   "too early",
		`{"default":"ask","default":"deny"}`: "duplicate",
		`{"Default":"allow"}`:                "unknown",
		`{"default":"maybe"}`:                "must be ask, allow or deny",
		`{"rule":[]}`:                        "unknown",
		`{"timeout":-1}`:                     "timeout",
		`{"timeout":1e9}`:                    "type",
		`{"rules":[{"tool":"a"}]}`:           "rules[0]: do",
		`{"rules":[{"do":"allow"}]}`:         "either tool or hint",
		`{"rules":[{"do":"allow","tool":"a","hint":"read_only"}]}`:    "either tool or hint",
		`{"rules":[{"do":"allow","hint":"read_only"}]}`:               "trust_hints",
		`{"trust_hints":true,"rules":[{"do":"allow","hint":"safe"}]}`: "one of",
		`{"rules":[{"do":"ask","tool":"a","message":"m"}]}`:           "only a denial",
	} {
		if r, err := ParseRules([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", text, r, err, want)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for pattern, texts := range map[string][2]string{
		"get_*":  {"get_ get_x get_*", "Get_x get xget_x"},
		"*":      {"a ä", ""},
		"a?c":    {"abc aäc", "ac abbc"},
		"*_all":  {"drop_all _all _all_all", "drop_alls"},
		"a*b*c":  {"abc axbxc abcbc", "acb abcd"},
		"[a]":    {"[a]", "a"},
		"/x/*/y": {"/x/a/b/y", "/x/y"},
	} {
		for i, want := range []bool{true, false} {
			for _, text := range strings.Fields(texts[i]) {
				if matches(pattern, text) != want {
					t.Errorf("%q on %q: want %v", pattern, text, want)
				}
			}
		}
	}
}

// The first rule counts, hints count only as long as a tool stays what it was, and a
// tool that changed is asked about.
func TestRules_Decide(t *testing.T) {
	t.Parallel()
	r, err := ParseRules([]byte(`{"default":"deny","trust_hints":true,"rules":[
		{"tool":"get_secret","do":"deny","message":"No"},{"tool":"get_*","do":"allow"},
		{"hint":"destructive","do":"ask"},{"hint":"read_only","do":"allow"},{"hint":"open_world","do":"ask"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{tools: map[string]*tool{}}
	g.learn(json.RawMessage(`{"tools":[{"name":"get_a"},{"name":"get_b"},{"name":"reads","annotations":{"readOnlyHint":true}},
		{"name":"both","annotations":{"readOnlyHint":true,"destructiveHint":true}},{"name":"bare"},{"name":"later","annotations":{"readOnlyHint":true}}]}`))
	g.learn(json.RawMessage(`{"tools":[{ "name": "get_a" },{"name":"get_b","description":"new"},{"name":"later","annotations":{"readOnlyHint":true},"inputSchema":{}}]}`))
	for name, want := range map[string]string{
		"get_secret": "deny No", "get_a": "allow ", "get_b": "ask ", "reads": "allow ", "both": "ask ", "bare": "ask ", "later": "deny ", "unlisted": "deny ",
	} {
		if do, message := r.decide(name, g.tools[name]); do+" "+message != want {
			t.Errorf("%s: %s %q, want %q", name, do, message, want)
		}
	}
	if do, _ := (&Rules{}).decide("x", nil); do != doAsk {
		t.Errorf("without rules: %s", do)
	}
}

// What rules say of a tool does not depend on how they were read.
func FuzzParseRules(f *testing.F) {
	f.Add([]byte(`{"default":"allow","timeout":5,"rules":[{"tool":"a*?","do":"deny","message":"m"}]}`), "ab")
	f.Add([]byte(`{"trust_hints":true,"rules":[{"hint":"read_only","do":"allow"}]}`), "x")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		r, err := ParseRules(text)
		if err != nil {
			if r != nil {
				t.Error("rules and an error")
			}
			return
		}
		do, message := r.decide(name, &tool{isChanged: true})
		if !isVerb(do) || do == doAllow || message != "" && do != doDeny {
			t.Errorf("a tool that changed: %s %q", do, message)
		}
		if do, _ := r.decide(name, nil); !isVerb(do) {
			t.Errorf("do %q", do)
		}
	})
}
