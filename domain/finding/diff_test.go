package finding

import (
	"encoding/json"
	"strings"
	"testing"
)

// patch is the arguments of a call with a diff.
func patch(lines ...string) string {
	text, _ := json.Marshal("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n" + strings.Join(lines, "\n") + "\n")
	return `{"patch":` + string(text) + `}`
}

// replaced is the arguments of a call with a text before and after.
func replaced(before, after string) string {
	text, _ := json.Marshal(map[string]string{"old_string": before, "new_string": after})
	return string(text)
}

// indented is a diff that indents n lines by a tab.
func indented(n int, more ...string) []string {
	var lines []string
	for i := range n {
		line := "call(" + string(rune('a'+i)) + ")"
		lines = append(lines, "-"+line, "+\t"+line)
	}
	return append(lines, more...)
}

func TestDiff_Stops(t *testing.T) {
	t.Parallel()
	const says = "A condition is removed"
	expectSamples(t, findDiffs, Stop, []sample{
		{args: patch(indented(5, "-if !user.IsAdmin() {")...), says: says},
		{args: patch(indented(8, "-log(a)", "-  assert amount < limit")...), says: says},
		{args: patch(indented(4, "-requireSignature(x)")...), says: says},
		{args: patch(indented(4, "-return a && b")...), says: says},
		{args: patch("-a  b", "-c  d", "-check(x)", "-e  f", "-g  h", "-i  j", "+a b", "+c d", "+e f", "+g h", "+i j"), says: says},
		{args: patch("-one", "-two", "-three", "-verify()", "+two", "+three", "+one"), says: says}, // moved
		{args: replaced("a\nb\nc\nd\nif x:\ne", "  a\n  b\n  c\n  d\n  e"), says: says},
		{args: replaced("a\r\nb\r\nc\r\nd\r\nraise E\r\ne", "\ta\r\n\tb\r\n\tc\r\n\td\r\n\te"), says: says},
	})
	expectSamples(t, findDiffs, Look, []sample{
		{args: patch(indented(5, "-audit(x)")...), says: "A line is removed"},
		{args: patch(indented(5, "-# if you change this")...), says: "A line is removed"},
	})
}

func TestDiff_IsSilentAboutOrdinaryChanges(t *testing.T) {
	t.Parallel()
	expectNothing(t, findDiffs, []string{
		patch(indented(6)...),
		patch("-if a {", "+if b {"),
		patch(indented(2, "-if x {", "-}", "+y", "+z")...),
		patch("-a", "-b", "-c", "-if d {", "-e", "-f"),
		patch("+a", "+b", "+c", "+if d {", "+e", "+f"),
		patch(indented(5, "+if x {", "+}")...),
		patch(indented(5, "-", "-   ")...),
		patch("-if a == b", "-x", "-y", "-z", "+if  a == b", "+x ", "+y ", "+z "),
		says("- if it rains\n- a\n+ b\n- c\n+ d\n- e\n+ f"),
		replaced("a\nb\nc", "a\nb"),
		replaced("größe = 1,5\nname = ä", "größe = 2,5\nname = ö"),
		replaced("אם\nא\nב\nג", "אם\nא \nב \nג "),
		`{"old":1,"new":2}`,
		`{"before":"2026-01-01","after":"2026-02-01"}`,
	})
}

func TestDiff_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "Countersign", findDiffs, requestOf(t, "call", patch(indented(5, "-if Countersign.checked(this)")...)))
}
