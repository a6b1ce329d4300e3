package policy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// mutations are what an agent may try to be outside of a rule.
var mutations = []func(r *rand.Rand, p *Post, args map[string]any, member string){
	func(_ *rand.Rand, _ *Post, args map[string]any, member string) { delete(args, member) },
	func(_ *rand.Rand, _ *Post, args map[string]any, member string) {
		args[member] = fmt.Sprint(args[member])
	},
	func(_ *rand.Rand, _ *Post, args map[string]any, member string) {
		args[strings.ToUpper(member[:1])+member[1:]] = args[member]
		delete(args, member)
	},
	func(r *rand.Rand, _ *Post, args map[string]any, member string) {
		huge := []string{"1e400", "-1e400", "1e-400", "9007199254740993", "9007199254740993.0", "10000.000000000000000001", "9223372036854775808", "1e4", "0.50", "-3.0000000000000000001"}
		args[member] = json.Number(huge[r.IntN(len(huge))])
	},
	func(_ *rand.Rand, _ *Post, args map[string]any, member string) { args[member] = []any{args[member]} },
	func(_ *rand.Rand, _ *Post, args map[string]any, member string) { args[member] = nil },
	func(_ *rand.Rand, _ *Post, args map[string]any, member string) {
		args[member] = map[string]any{"value": args[member]}
	},
	func(r *rand.Rand, _ *Post, args map[string]any, member string) {
		args[member] = json.Number(fmt.Sprint(r.IntN(20000)))
	},
	func(_ *rand.Rand, p *Post, _ map[string]any, _ string) {
		p.Actions = append([]Action{{Name: "wire_transfer", Args: json.RawMessage(`{"amount":1,"count":1,"price":1.5,"currency":"EUR"}`)}}, p.Actions...)
	},
	func(r *rand.Rand, p *Post, _ map[string]any, _ string) {
		p.Actions[len(p.Actions)-1].Name = []string{"WIRE_TRANSFER", "wire_\n", "wire_", "Wıre_x", "wire", "pay"}[r.IntN(6)]
	},
	func(_ *rand.Rand, p *Post, _ map[string]any, _ string) {
		p.Reason, p.Name, p.RequiredRole = "", "admin", "admin"
	},
}

// A require that matches becomes unmatched only by a value that is honestly outside it.
func TestPolicy_IsNotMissedByMutations(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	unmatched := 0
	for range 40 {
		rule := randomTest(r, 3)
		d := &Document{Effect: Require, Match: Match{Tools: []string{"wire_*"}, Roles: []string{"agents"}}, Condition: rule.cel()}
		c, err := Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			args := map[string]any{"amount": json.Number("20000"), "count": json.Number("9007199254740993"), "price": json.Number("0.5"), "currency": "EUR"}
			p := postOf("{}")
			for range 1 + r.IntN(3) {
				mutations[r.IntN(len(mutations))](r, p, args, []string{"amount", "count", "price", "currency"}[r.IntN(4)])
			}
			p.Actions[len(p.Actions)-1].Args, _ = json.Marshal(args)
			want := honestOf(t, rule, p)
			res := Resolve([]Policy{{Compiled: c}}, p)
			if res.Requires == nil {
				unmatched++
				if want != isFalse {
					t.Fatalf("%s misses %s %s", d.Condition, p.Actions[len(p.Actions)-1].Name, p.Actions[len(p.Actions)-1].Args)
				}
			} else if want == isFalse && res.Unknown == 0 {
				t.Fatalf("%s matches %s", d.Condition, p.Actions[len(p.Actions)-1].Args)
			}
		}
	}
	if unmatched < 1000 {
		t.Errorf("only %d posts were outside: the test sees nothing", unmatched)
	}
}
