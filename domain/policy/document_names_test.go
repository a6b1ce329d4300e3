package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"countersign/domain/mplp"
)

// byName finds roles and keys whose ids are their names in lower case.
func byName(refs []Reference) (problems []mplp.Problem) {
	for _, ref := range refs {
		if strings.HasPrefix(*ref.Name, "No ") {
			problems = append(problems, mplp.Problem{Path: ref.Path, Code: "reference"})
			continue
		}
		*ref.Name = strings.ReplaceAll(strings.ToLower(*ref.Name), " ", "-")
	}
	return problems
}

func TestParseNamed_ReplacesNames(t *testing.T) {
	t.Parallel()
	d, err := ParseNamed([]byte(`{"v":1,"name":"A","effect":"require","match":{"keys":["Pay Bot"],"roles":["The Agents"]},
		"quorum":[{"role":"Finance Team","approvals":1}],"escalate":[{"after":9,"role":"Ops Lead","for":"finance team"}]}`), byName)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"name":"A","effect":"require","match":{"keys":["pay-bot"],"roles":["the-agents"]},"quorum":[{"role":"finance-team","approvals":1}],"escalate":[{"after":9,"role":"ops-lead","for":"finance-team"}]}`
	if got := string(d.Marshal()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	upper := d.Renamed(func(ref Reference) string { return fmt.Sprint(strings.ToUpper(*ref.Name), ref.IsKey) })
	if upper.Quorum[0].Role != "FINANCE-TEAMfalse" || upper.Escalate[0].For != "FINANCE-TEAMfalse" || upper.Match.Keys[0] != "PAY-BOTtrue" {
		t.Errorf("renamed: %s", upper.Marshal())
	}
	if got := string(d.Marshal()); got != want {
		t.Errorf("the original was renamed too: %s", got)
	}
}

func TestParseNamed_TellsEachPlaceOnce(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`"quorum":[{"role":"No One","approvals":1}]`:                           "quorum[0].role reference",
		`"quorum":[{"role":"No One","approvals":9}]`:                           "quorum[0].role reference, quorum[0].approvals limit",
		`"quorum":[{"role":"A B","approvals":1},{"role":"a b","approvals":1}]`: "quorum[1].role duplicate",
		`"quorum":[{"role":"é","approvals":1}]`:                                "quorum[0].role pattern",
		`"match":{"keys":["a",""]},"quorum":[{"role":"a","approvals":1}]`:      "match.keys[1] pattern",
		`"match":{"roles":["No A"]},"quorum":[{"role":"No B","approvals":1}]`:  "match.roles[0] reference, quorum[0].role reference",
		`"match":{"keys":["No A"` + strings.Repeat(`,"No A"`, 80) + `]}`:       "match.keys limit, match.keys[0] pattern",
	} {
		_, err := ParseNamed([]byte(`{"v":1,"name":"A","effect":"require",`+document+`}`), byName)
		var invalid *mplp.Invalid
		if !errors.As(err, &invalid) {
			t.Errorf("%s: %v", document, err)
			continue
		}
		var got []string
		for _, p := range invalid.Problems[:min(2, len(invalid.Problems))] {
			got = append(got, p.Path+" "+p.Code)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", document, text, want)
		}
	}
}
