package policy

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCondition_OfRows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ member, is, value, want string }{
		{"args.amount", "over", "10000", "args.amount > 10000"},
		{" args.amount ", "at most", "-0.50", "args.amount <= -0.5"},
		{"args.amount", "is", "1e6", "args.amount == 1e+06"},
		{"args.amount", "is", "5.0", "args.amount == 5.0"},
		{"args.code", "is", `"5"`, `args.code == "5"`},
		{"args.code", "starts with", "00", `args.code.startsWith("00")`},
		{"args.urgent", "is not", "true", "args.urgent != true"},
		{"args.to", "ends with", `x" || true || "`, `args.to.endsWith("x\" || true || \"")`},
		{"args.to", "is", "a\u202eb\n", `args.to == "a\u202eb"`},
		{"args.to", "one of", `a, "b, c" , 5, "5"`, `args.to in ["a", "b, c", 5, "5"]`},
		{"args.to", "none of", "a", `!(args.to in ["a"])`},
		{"args['due date']", "contains", "2026", `args["due date"].contains("2026")`},
		{"args.items[0].id", "present", "ignored", "has(args.items[0].id)"},
		{"plan.title", "missing", "", "!has(plan.title)"},
		{"reason", "is", "", `reason == ""`},
	} {
		got, err := Condition([]Row{{tc.member, tc.is, tc.value}})
		if err != nil || got != tc.want {
			t.Errorf("%s %s %s: %s (%v), want %s", tc.member, tc.is, tc.value, got, err, tc.want)
			continue
		}
		if _, err := compile(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
		if rows := Rows(got); len(rows) != 1 || rows[0].Is != tc.is {
			t.Errorf("%s is read as %+v", got, rows)
		}
	}
}

func TestCondition_RefusesRows(t *testing.T) {
	t.Parallel()
	for _, row := range []Row{
		{"amount", "over", "5"}, {"", "over", "5"}, {"args.a > 1 || args.b", "over", "5"}, {"args.a(1)", "is", "5"}, {"args[args.a]", "is", "5"},
		{"args.a", "bigger", "5"}, {"args.a", "over", "ten"}, {"args.a", "over", `"5"`}, {"args.a", "over", ""}, {"args.a", "over", "1e400"},
		{"args.a", "is", "9223372036854775808"}, {"args.a", "one of", "a,,b"}, {"args.a", "one of", ""}, {"args.a", "one of", `"a" b`},
		{"args.a", "is", "\xff"}, {"args.a", "is", `"\xff"`}, {"args", "present", ""}, {"args['a b']", "present", ""},
	} {
		if text, err := Condition([]Row{row}); err == nil {
			t.Errorf("%+v gives %s", row, text)
		}
	}
}

func TestAddRow(t *testing.T) {
	t.Parallel()
	row := Row{"args.b", "is", "x"}
	for condition, want := range map[string]string{
		"":                        `args.b == "x"`,
		"args.a > 5":              `args.a > 5 && args.b == "x"`,
		"args.a > 5 || args.c":    "(args.a > 5 || args.c\n) && args.b == \"x\"",
		"args.a > 5 // || true (": "(args.a > 5 // || true (\n) && args.b == \"x\"",
	} {
		got, err := AddRow(condition, row)
		if _, bad := compile(got); err != nil || got != want || bad != nil {
			t.Errorf("%s: %s (%v, %v)", condition, got, err, bad)
		}
	}
	if got, err := AddRow("args.a > 5) || (true", row); err == nil {
		t.Errorf("a broken condition becomes %s", got)
	}
}

// What a row says of a value is what its condition says.
func FuzzRow(f *testing.F) {
	f.Add("EUR", "is")
	f.Add(`a", "b`, "one of")
	f.Add("\\x\x00\u202e'\u00e9\U0001f600", "contains")
	f.Add("-1.5e3", "at least")
	f.Fuzz(func(t *testing.T, value, is string) {
		text, err := Condition([]Row{{"args.a", is, value}})
		if err != nil || len(text) > MaxCondition {
			return
		}
		c, err := compile(text)
		if err != nil {
			t.Fatalf("%q %q gives %s: %v", is, value, text, err)
		}
		rows := Rows(text)
		if again, err := Condition(rows); err != nil || again != text {
			t.Fatalf("%s is read as %q and written as %s (%v)", text, rows, again, err)
		}
		if is == "is" {
			args, _ := json.Marshal(map[string]any{"a": rows[0].Value + "?"})
			if v, _ := c.evaluate(newRequest(postOf(string(args))), 0); v == isTrue {
				t.Errorf("%s holds for %s", text, args)
			}
		}
	})
}

func TestSentence(t *testing.T) {
	t.Parallel()
	const quorum = `"quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}]`
	for text, want := range map[string]string{
		`"effect":"require","match":{"tools":["wire_*"]},"condition":"args.amount > 10000",` + quorum:                                                                            "For calls of wire_* with amount over 10,000, one person of Finance and one of security must approve. One rejection is enough to refuse.",
		`"effect":"require","condition":"args.a > 5 || args.b",` + quorum:                                                                                                        "For every request where “args.a > 5 || args.b” holds, one person of Finance and one of security must approve. One rejection is enough to refuse.",
		`"effect":"require","quorum":[{"role":"finance","approvals":2}],"rejections":2,"timeout":5400,"escalate":[{"after":900,"role":"ops","for":"finance"}]`:                   "For every request, two people of Finance must approve. After 15 minutes, people of ops may approve in place of Finance. It takes 2 rejections to refuse. It times out after 90 minutes.",
		`"effect":"reject","match":{"target_types":["other"],"tools":["rm","drop_*"],"keys":["k1"],"roles":["finance"]},"condition":"args.amount >= -1234567 && has(args.path)"`: "For calls of rm or drop_* about targets of type other by the key k1 by holders of Finance with amount of at least -1,234,567 and path present, the request is rejected at once.",
	} {
		d := mustParse(t, `{"v":1,"name":"a",`+text+`}`)
		got := d.Sentence(func(id string) string {
			if id == "finance" {
				return "Finance"
			}
			return id
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
