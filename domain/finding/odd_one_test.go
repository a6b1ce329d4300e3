package finding

import (
	"fmt"
	"strings"
	"testing"
)

// listOf is the arguments of a call with a list: n items of a form, then others.
func listOf(n int, form string, others ...string) string {
	var items []string
	for i := range n {
		items = append(items, strings.ReplaceAll(form, "#", fmt.Sprint(i)))
	}
	return `{"list":[` + strings.Join(append(items, others...), ",") + `]}`
}

func TestOddOne_Looks(t *testing.T) {
	t.Parallel()
	expectSamples(t, findOddOne, Look, []sample{
		{args: listOf(8, `"p#@example.com"`, `"x@example.net"`), says: "Another domain than the other 8"},
		{args: listOf(9, `"p#@example.com"`, `"x@evil.example"`, `"y@evil.example"`), says: "Another domain than the other 9"},
		{args: listOf(8, `{"email":"Anna <p#@example.co.uk>","n":#}`, `{"email":"p9@example.org.uk","n":9}`), says: "Another domain"},
		{args: listOf(7, `"https://a#.example.com/hook"`, `"https://examp1e.com/hook"`), says: "Another domain than the other 7"},
		{args: listOf(8, `"/srv/app/f#"`, `"/etc/passwd"`), says: "Another root directory"},
		{args: listOf(8, `"repo#:read"`, `"org:admin"`), says: "More rights"},
		{args: listOf(7, `"s3:GetObject#"`, `"s3:DeleteBucket"`), says: "More rights"},
		{args: listOf(8, `"4#"`, `48`), says: "Another type"},
		{args: listOf(8, `{"id":#,"active":true}`, `{"id":9,"active":false}`), says: "One flag differs"},
		{args: listOf(8, `{"amount":#}`, `{"amount":"9"}`), says: "Another type"},
	})
}

func TestOddOne_IsSilentAboutOrdinaryLists(t *testing.T) {
	t.Parallel()
	expectNothing(t, findOddOne, []string{
		listOf(6, `"p#@example.com"`, `"x@example.net"`),
		listOf(8, `"p#@example#.com"`, `"x@example.net"`),
		listOf(8, `"p#@example.com"`, `"a@a.org"`, `"b@b.org"`, `"c@c.org"`),
		listOf(8, `"p#@mail.example.com"`, `"x@example.com"`),
		listOf(8, `"src/f#.go"`, `"README.md"`),
		listOf(8, `"word #"`, `"another"`),
		listOf(8, `"/srv/app/f#"`, `"/srv/www/x"`),
		listOf(8, `"repo#:write"`, `"org:read"`),
		listOf(8, `{"done":false}`, `{"done":true}`, `{"done":true}`),
		listOf(2, `{"done":false}`, `{"done":true}`),
		listOf(8, `#`, `null`),
		listOf(8, `"1.23#,50"`, `"7"`),
		listOf(8, `"א#"`, `"b"`),
		listOf(8, `"Read the book #"`, `"Delete old files"`),
		listOf(8, `[#,1]`, `[1]`),
		listOf(8, `"/"`, `"/a"`),
	})
}

func TestOddOne_QuotesTheAgentOnlyInTheValues(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "checked", findOddOne, requestOf(t, "call", listOf(8, `"/checked/#"`, `"/countersign-checked/this"`)))
}
