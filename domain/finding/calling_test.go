package finding

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"countersign/domain/reading"
)

// call is a question and the right call for it.
type call struct {
	Question string          `json:"q"`
	Args     json.RawMessage `json:"a"`
}

// The bars: of right calls so many may be contradicted, of changed numbers so many have
// to be found.
const (
	maxContradicted = 0.01
	minFound        = 0.75
)

// TestOf_LeavesRightCallsAlone holds the rules to their bars on our own calls: ten
// trades in five languages and more.
func TestOf_LeavesRightCallsAlone(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	for line := range bytes.Lines(data) {
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		calls = append(calls, c)
	}
	if len(calls) < 150 {
		t.Errorf("there are %d calls, want at least 150", len(calls))
	}
	checkCalls(t, calls)
}

// checkCalls holds the rules to their bars on calls.
func checkCalls(t *testing.T, calls []call) {
	t.Helper()
	contradicted, changed, found := 0, 0, 0
	for _, c := range calls {
		args, err := reading.Parse(c.Args)
		if err != nil {
			t.Fatalf("%s: %v", c.Args, err)
		}
		if findings := contradictions(c.Question, args); len(findings) > 0 {
			contradicted++
			t.Logf("contradicted: %s %s: %+v", c.Question, c.Args, findings)
		}
		for leaf := range args.Leaves() {
			for _, other := range otherNumbers(c.Question, leaf) {
				changed++
				if len(contradictions(c.Question, withText(args, leaf.Pointer, other))) > 0 {
					found++
				} else {
					t.Logf("not found: %s: %s is %s", c.Question, leaf.Pointer, other)
				}
			}
		}
	}
	t.Logf("%d calls, %d contradicted; %d numbers changed, %d found", len(calls), contradicted, changed, found)
	if float64(contradicted) > maxContradicted*float64(len(calls)) {
		t.Errorf("%d of %d right calls are contradicted, at most 1 %% may be", contradicted, len(calls))
	}
	if float64(found) < minFound*float64(changed) {
		t.Errorf("%d of %d changed numbers are found, want 75 %%", found, changed)
	}
}

// contradictions returns the findings of comparison that a reviewer is shown in the list.
func contradictions(question string, args reading.Value) []Finding {
	var found []Finding
	compare(&Request{Reason: question, Actions: []Action{{Args: args}}}, func(f Finding) {
		if f.Level != Note {
			found = append(found, f)
		}
	})
	return found
}

var wholeNumber = regexp.MustCompile(`^\d+(\.\d+)?$`)

// otherNumbers returns a number of two digits or more, that the question states, ten
// times as large and with two digits swapped.
func otherNumbers(question string, leaf reading.Value) []string {
	if leaf.Type != reading.Number || !wholeNumber.MatchString(leaf.Text) || len(leaf.Text) < 2 {
		return nil
	}
	d := decimals(leaf.Text)
	isStated := slices.ContainsFunc(numbersIn([]rune(question)), func(m mention) bool { return len(d) == 1 && m.isAny(d[0]) })
	if !isStated || len(d[0].digits)+max(0, d[0].exp) < 2 {
		return nil
	}
	digits := []byte(leaf.Text)
	others := []string{leaf.Text + "0"}
	if i := bytes.IndexByte(digits, '.'); i >= 0 && i+1 < len(digits) {
		others[0] = leaf.Text[:i] + leaf.Text[i+1:i+2] + "." + leaf.Text[i+2:] + "0"
	}
	for i := range digits[:len(digits)-1] {
		if digits[i] != '.' && digits[i+1] != '.' && digits[i] != digits[i+1] && (i > 0 || digits[1] != '0') {
			digits[i], digits[i+1] = digits[i+1], digits[i]
			return append(others, string(digits))
		}
	}
	return others
}

// withText returns a value with one leaf changed.
func withText(v reading.Value, pointer, text string) reading.Value {
	if v.Pointer == pointer && v.IsLeaf() {
		v.Text = text
		return v
	}
	v.Items = slices.Clone(v.Items)
	for i, item := range v.Items {
		v.Items[i] = withText(item, pointer, text)
	}
	return v
}
