package policy

import (
	"strings"
	"testing"
)

func TestCompile_SaysWhatIsNoCEL(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"args.amount >":               "line 1, column 14: the condition ends where a value is needed",
		"args.amount > > 3":           `line 1, column 15: found ">" where a value is needed`,
		"args.amount > 1 &&\n & true": `line 2, column 2: found "&"; write &&`,
		"args..amount":                `line 1, column 6: found "..", which cannot stand there`,
		"(args.amount > 1":            "line 1, column 17: the condition ends where ) is needed",
		"args.amount > 1)":            `line 1, column 16: found ")", which cannot stand there`,
		"[1, 2":                       "line 1, column 6: the condition ends where ] or , is needed",
		"args.amount ? true":          "line 1, column 19: the condition ends where : is needed",
		"args.amount > 10,000":        `line 1, column 17: found ",", which cannot stand there`,
		"args.amount = 1":             `line 1, column 13: found "="; write ==`,
		"args.a AND args.b":           `line 1, column 8: found "AND"; write &&`,
		"args.a or args.b":            `line 1, column 8: found "or"; write ||`,
		"tool == 'pay":                `line 1, column 9: found "'pay", a text without an end, or with an escape that there is not`,
		"args.a > \u200b1":            `line 1, column 10: found "\u200b", which cannot stand there`,
		"if args.a":                   "line 1, column 1: reserved identifier: if",
		"args.amount > '":             `line 1, column 15: found "'", a text without an end, or with an escape that there is not`,
		"tool == '" + strings.Repeat("x", 99): `line 1, column 9: found "'` + strings.Repeat("x", 39) +
			`…", a text without an end, or with an escape that there is not`,
	} {
		said := ""
		if _, err := compile(condition); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("%s:\n%s, want\n%s", condition, said, want)
		}
	}
}
