package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/mplp"
)

const transfers = `{"v":1,"name":"Large transfers","effect":"require","match":{"target_types":["other"],"tools":["wire_*"]},` +
	`"condition":"args.amount > 10000 || args.currency != 'EUR'","quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}],` +
	`"rejections":1,"timeout":3600,"escalate":[{"after":900,"role":"ops_lead","for":"security"}],"note":"<Shown> to reviewers"}`

func TestParse_KeepsBytes(t *testing.T) {
	t.Parallel()
	d := mustParse(t, transfers)
	if diff := cmp.Diff(transfers, string(d.Marshal())); diff != "" {
		t.Errorf("the canonical bytes differ (-want +got):\n%s", diff)
	}
	spaced := mustParse(t, " "+strings.Replace(transfers, `"wire_*"]`, `"wire_*"],"keys":[],"roles":null`, 1)+"\n")
	if d.Hash() != spaced.Hash() {
		t.Error("white space and empty lists change the hash")
	}
	if other := mustParse(t, strings.Replace(transfers, "10000", "10001", 1)); other.Hash() == d.Hash() {
		t.Error("another document has the same hash")
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	many := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	thresholds := make([]string, 9)
	for i := range thresholds {
		thresholds[i] = fmt.Sprintf(`{"role":"r%d","approvals":1}`, i)
	}
	for _, tc := range []struct{ name, with, want string }{
		{"no version", `"v":null`, "v const"},
		{"other version", `"v":2`, "v const"},
		{"no name", `"name":" "`, "name required"},
		{"long name", `"name":"` + strings.Repeat("a", 121) + `"`, "name limit"},
		{"line in a name", `"name":"a\nb"`, "name limit"},
		{"standing approval", `"effect":"approve"`, "effect enum"},
		{"unknown member", `"max_age":300`, "max_age unknown"},
		{"unknown member in a match", `"match":{"tool":["a"]}`, "match.tool unknown"},
		{"unknown member in a list", `"quorum":[{"role":"a","approvals":1,"weight":2}]`, "quorum[0].weight unknown"},
		{"wrong type", `"quorum":[{"role":"a","approvals":"1"}]`, "quorum[0].approvals type_error"},
		{"fraction", `"timeout":1.5`, "timeout type_error"},
		{"wrong case", `"Quorum":[]`, "Quorum unknown"},
		{"target type", `"match":{"target_types":["plans"]}`, "match.target_types[0] enum"},
		{"empty tool", `"match":{"tools":[""]}`, "match.tools[0] required"},
		{"same tool", `"match":{"tools":["a","a"]}`, "match.tools[1] duplicate"},
		{"many tools", `"match":{"tools":` + many(33, `"a"`) + `}`, "match.tools limit"},
		{"key", `"match":{"keys":["a b"]}`, "match.keys[0] pattern"},
		{"no quorum", `"quorum":[]`, "quorum required"},
		{"many thresholds", `"escalate":[],"quorum":[` + strings.Join(thresholds, ",") + `]`, "quorum limit"},
		{"nine approvals", `"escalate":[],"quorum":[{"role":"a","approvals":9}]`, "quorum[0].approvals limit"},
		{"no approvals", `"escalate":[],"quorum":[{"role":"a"}]`, "quorum[0].approvals limit"},
		{"role twice", `"escalate":[],"quorum":[{"role":"a","approvals":1},{"role":"a","approvals":2}]`, "quorum[1].role duplicate"},
		{"no rejections", `"rejections":0`, "rejections limit"},
		{"no timeout", `"timeout":0`, "timeout limit"},
		{"long timeout", `"timeout":2592001,"escalate":[]`, "timeout limit"},
		{"escalation of nothing", `"escalate":[{"after":1,"role":"a","for":"b"}]`, "escalate[0].for reference"},
		{"escalation to itself", `"escalate":[{"after":1,"role":"finance","for":"finance"}]`, "escalate[0].role reference"},
		{"escalation after the end", `"escalate":[{"after":3600,"role":"a","for":"finance"}]`, "escalate[0].after limit"},
		{"many escalations", `"escalate":` + many(5, `{"after":1,"role":"a","for":"finance"}`), "escalate limit"},
		{"reject with a quorum", `"effect":"reject"`, "effect const"},
		{"long condition", `"condition":"` + strings.Repeat(" ", 2048) + `1"`, "condition limit"},
		{"long note", `"note":"` + strings.Repeat("a", 2049) + `"`, "note limit"},
		{"condition", `"condition":"args.amount >"`, "condition condition"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var members map[string]json.RawMessage
			for _, text := range []string{transfers, "{" + tc.with + "}"} {
				if err := json.Unmarshal([]byte(text), &members); err != nil {
					t.Fatal(err)
				}
			}
			data, _ := json.Marshal(members)
			_, err := Parse(data)
			var invalid *mplp.Invalid
			if !errors.As(err, &invalid) {
				t.Fatalf("error %v", err)
			}
			if got := invalid.Problems[0].Path + " " + invalid.Problems[0].Code; got != tc.want {
				t.Errorf("got %q, want %q (%v)", got, tc.want, err)
			}
		})
	}
}

func TestParse_RefusesWhatTwoReadersReadDifferently(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "[]", transfers + "x", `{"v":1,"v":1}`, "{\"name\":\"\xff\"}"} {
		var syntax *mplp.SyntaxError
		if _, err := Parse([]byte(data)); !errors.As(err, &syntax) {
			t.Errorf("%.20q: error %v", data, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"": CodeMatchesAll, "args.amount > 5": "", "has(args.amount) && args.amount > 5": CodeMissingUnmatched,
		"'amount' in args": CodeMissingUnmatched, "has(plan.title)": "", "args.tags.exists(x, has(x.y))": CodeMissingUnmatched,
		"'a' in args.list": "",
	} {
		got := ""
		for _, w := range (&Document{Condition: condition}).Warnings() {
			got += w.Code
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", condition, got, want)
		}
	}
}

func mustParse(t testing.TB, text string) *Document {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
