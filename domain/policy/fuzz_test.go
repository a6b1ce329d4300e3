package policy

import (
	"encoding/json"
	"errors"
	"testing"

	"countersign/domain/mplp"
)

// FuzzParse looks for documents that break the reader, that have two forms, or whose
// sentence fails.
func FuzzParse(f *testing.F) {
	f.Add([]byte(transfers))
	f.Add([]byte(`{"v":1,"name":"<é>\u2028","effect":"reject","match":{"tools":["*"]},"note":"\\"}`))
	f.Add([]byte(`{"v":1,"quorum":[{"role":{}}],"x":[[1]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			var syntax *mplp.SyntaxError
			var invalid *mplp.Invalid
			if !errors.As(err, &syntax) && !errors.As(err, &invalid) {
				t.Errorf("error %v", err)
			}
			return
		}
		again, err := Parse(d.Marshal())
		if err != nil || again.Hash() != d.Hash() {
			t.Errorf("%s: %v", d.Marshal(), err)
		}
		d.Warnings()
		if d.Sentence(func(id string) string { return id }) == "" {
			t.Error("it says nothing")
		}
	})
}

// FuzzCondition looks for conditions that break the compiler, the evaluation or its
// words, or that cost more than they may.
func FuzzCondition(f *testing.F) {
	for _, text := range worst {
		f.Add(text, `{"big":[1,2],"text":"a"}`)
	}
	f.Add("args.a.b[0]['c'] > 1 || !has(args.x.y) ? args.z == [1] : {'a': 1}[tool] in args", `{"a":{"b":[{"c":1e400}]},"z":[1]}`)
	f.Fuzz(func(t *testing.T, text, args string) {
		if len(text) > MaxCondition || !json.Valid([]byte(args)) {
			return
		}
		Rows(text)
		c, err := compile(text)
		if err != nil {
			return
		}
		c.testsPresence()
		for action, p := range []*Post{postOf(args), postOf()} {
			r := newRequest(p)
			value, because := c.evaluate(r, -action)
			if (value == isUnknown) != (because != "") || len(because) > 2000 {
				t.Errorf("%s is %d because %q", text, value, because)
			}
			if r.spent > maxCost {
				t.Errorf("%s spent %d", text, r.spent)
			}
		}
	})
}
