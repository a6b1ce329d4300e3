package policy

import (
	"strings"
	"testing"
)

func TestCompile_Refuses(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"args.amount >":                 "line 1, column 14: ",
		"amount > 5":                    "undeclared reference to 'amount'",
		"1 + 1":                         "must be true or false, not a int",
		"tool == 5":                     "no matching overload",
		"requester.nme == 'a'":          "requester has no member nme; it has name, roles, owner",
		"plan.step == 1":                "plan has no member step",
		"args.a.replace('','b') == ''":  "replace is not available",
		"args.a.join(args.b) == ''":     "join is not available",
		"args.a.indexOf(args.b) == 0":   "indexOf is not available",
		"args.a.matches(args.b)":        "must be written out",
		"args.a.matches('(a{50}){9}')":  "regex",
		"args.a.matches('(')":           "",
		strings.Repeat("(", 500) + "1":  "",
		strings.Repeat("!", 2000) + "1": "",
	} {
		_, err := compile(condition)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %q", condition, err, want)
		} else if len(err.Error()) > 400 {
			t.Errorf("%.40s: the error has %d bytes", condition, len(err.Error()))
		}
	}
}

// A stored condition that a newer version cannot compile must not drop its rule.
func TestCompile_BrokenCountsAsUnknown(t *testing.T) {
	t.Parallel()
	c, err := Compile(&Document{Effect: Require, Condition: "gone(args)", Quorum: []Threshold{{Role: "a", Approvals: 1}}})
	if err == nil {
		t.Fatal("it compiles")
	}
	res := Resolve([]Policy{{ID: "p", Compiled: c}}, postOf(`{}`))
	if res.Requires == nil || res.Unknown != 1 || !strings.Contains(res.Matched[0].Because, "cannot be used") {
		t.Errorf("resolved to %+v", res)
	}
}
