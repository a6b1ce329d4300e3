package policy

import (
	"fmt"
	"strings"
	"testing"
)

// worst are conditions that do as much as they can.
var worst = []string{
	"args.big.all(x, args.big.all(y, x + y >= 0))",
	"args == args",
	"actions == actions && actions != []",
	"args.big == args.big",
	"1.5 in args.big",
	"args.text == args.text",
	"args.text.matches('(a|aa|a.a){9}$')",
	"args.text.lowerAscii().upperAscii().reverse().split('') == []",
	"args.big.map(x, args.big) == args.big.map(x, args.big)",
	"[args].all(a, [[a,a,a,a,a]].all(b, [[b,b,b,b,b]].all(c, [[c,c,c,c,c]].all(d, [[d,d,d,d,d]].all(e, [[e,e,e,e,e]].all(f, f == f))))))",
	"args.text + args.text + args.text + args.text != ''",
	"[args.text].all(a, [a+a].all(b, [b+b].all(c, [c+c].all(d, [d+d].all(e, [e+e].all(f, [f+f].all(g, [g+g].all(h, size(h+h) < 0))))))))",
	strings.TrimSuffix(strings.Repeat("args.text.contains('b') && ", 70), " && "),
	"args.big + args.big + args.big == args.big + args.big + args.big",
}

// The worst conditions on the largest request cost what they may, and are unknown.
func TestCondition_CostIsBounded(t *testing.T) {
	t.Parallel()
	numbers := strings.TrimSuffix(strings.Repeat("1,", 1_000), ",")
	args := fmt.Sprintf(`{"big":[%s],"text":"%s"}`, numbers, strings.Repeat("a", 6_000))
	p := postOf()
	for range 32 {
		p.Actions = append(p.Actions, postOf(args).Actions...)
	}
	var policies []Policy
	for _, text := range worst {
		c, err := Compile(&Document{Effect: Require, Condition: text + " && tool == 'x'", Quorum: []Threshold{{Role: "a", Approvals: 1}}})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for range 7 {
			policies = append(policies, Policy{ID: text, Compiled: c})
		}
		r := newRequest(p)
		for i := range p.Actions {
			c.evaluate(r)
			if i > 0 && r.spent > maxPostCost+maxCost {
				t.Fatalf("%s spent %d", text, r.spent)
			}
		}
	}
	if res := Resolve(policies, p); len(res.Matched) < len(policies)/2 {
		t.Errorf("%d of %d policies matched", len(res.Matched), len(policies))
	}
}

// A loop in a loop over 2,000 items ends by its cost.
func TestCondition_NestedLoopsAreUnknown(t *testing.T) {
	t.Parallel()
	args := `{"big":[` + strings.TrimSuffix(strings.Repeat("1,", 2_000), ",") + `]}`
	if got := matchedOf(t, &Document{Effect: Require, Condition: worst[0]}, postOf(args)); got != "the condition takes too long to compute" {
		t.Errorf("because %q", got)
	}
}

// What many policies spend together is bounded. The rest counts as matched.
func TestResolve_CostOfAPostIsBounded(t *testing.T) {
	t.Parallel()
	c, err := Compile(&Document{Effect: Require, Condition: "args.big.all(x, x > 5 || true) && tool == 'x'"})
	if err != nil {
		t.Fatal(err)
	}
	p := postOf(`{"big":[` + strings.TrimSuffix(strings.Repeat("1,", 1_000), ",") + `]}`)
	policies := make([]Policy, 100)
	for i := range policies {
		policies[i] = Policy{Compiled: c}
	}
	res := Resolve(policies, p)
	if n := len(res.Matched); n < 50 || n == 100 {
		t.Fatalf("%d policies matched", n)
	}
	if want := "the conditions of this request together take too long to compute"; res.Matched[0].Because != want {
		t.Errorf("because %q", res.Matched[0].Because)
	}
}

func BenchmarkResolve_Worst(b *testing.B) {
	args := fmt.Sprintf(`{"big":[%s],"text":"%s"}`, strings.TrimSuffix(strings.Repeat("1,", 1_000), ","), strings.Repeat("a", 6_000))
	p := postOf()
	for range 32 {
		p.Actions = append(p.Actions, postOf(args).Actions...)
	}
	for _, text := range worst {
		b.Run(text[:min(len(text), 30)], func(b *testing.B) {
			c, _ := Compile(&Document{Effect: Require, Condition: text + " && tool == 'x'"})
			for b.Loop() {
				Resolve([]Policy{{Compiled: c}, {Compiled: c}, {Compiled: c}}, p)
			}
		})
	}
}

func BenchmarkCondition(b *testing.B) {
	text := "args.amount > 10000 || args.currency != 'EUR'"
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			_, _ = compile(text)
		}
	})
	c, _ := compile(text)
	r := newRequest(postOf(`{"amount":5000,"currency":"EUR","note":"` + strings.Repeat("a", 900) + `"}`))
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			c.evaluate(r, 0)
			r.spent = 0
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			decode(r.Actions[0].Args)
		}
	})
}
