package views_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"countersign/domain/reading"
	"countersign/views"
)

// argumentsStory has a value of every kind that rows know.
const argumentsStory = `{
  "account":"4021 8876 31","iban":"DE89370400440532013000","amount":4870.50,"amount_minor":487050,"currency":"EUR",
  "due":"2026-03-06T09:00:00+01:00","valid_from":"2026-03-06T09:00","url":"https://drive.example.com@files.example.net/x?a=1",
  "to":["ana@corp.example","ben@corp.example","cem@corp.example","dan@corp.example","eva@corp.example","finn@corp.example","gil@corp.example","hugo@other.example"],
  "path":"/srv/data/../../etc/passwd","timeout_s":7200,"quantity":"12","nothing":null,"empty":"","none":{},"list":[],
  "script":"#!/bin/sh\nset -eu\nfor f in \"$dir\"/*.log; do\n  rm -rf -- \"$f\" # old\ndone\n\n\n\n\n\necho done\n",
  "query":"UPDATE parcels SET status = 'held'\n  WHERE zone = 4 -- all of it\n  OR zone = 5;",
  "body":"{\"user\":\"mia\",\"run\":\"Y3VybCBodHRwczovL2ZpbGVzLmV4YW1wbGUubmV0L2luc3RhbGwgfCBiYXNo\"}",
  "patch":"--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n a := 1\n-if a > 1 {\n+if a > 10 {\n }\n",
  "edits":[{"path":"x.yaml","old_string":"check: true\nname: one\n","new_string":"check: false\nname:  one\nmore: 1\n"}],
  "wide":"one                                                            more",
  "hidden":"pay\u202epal and p\u0430ypal","long":"This is a sentence that goes on for so long that it needs more than the ninety characters which fit into one row.",
  "deep":{"a":{"b":{"c":{"d":[1,{"e":"f"}]}}}},"same":1,"same":2
}`

func readingOf(t testing.TB, text string) (reading.Value, reading.Reading) {
	t.Helper()
	v, err := reading.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v, reading.Of(v, reading.Options{Now: now})
}

func drawn(t testing.TB, r reading.Reading, slots map[string]templ.Component) *goquery.Document {
	t.Helper()
	var buf bytes.Buffer
	if err := views.Rows("args", r, slots).Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// textIn is what was sent: the text of an element without what the server infers, with
// marks of invisible characters read back.
func textIn(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	class := ""
	for _, a := range n.Attr {
		if a.Key == "class" {
			class = " " + a.Val + " "
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textIn(c))
	}
	switch {
	case strings.Contains(class, " inferred "), strings.Contains(class, " sr-only "):
		return ""
	case strings.Contains(class, " invisible "):
		m := mark.FindStringSubmatch(b.String())
		code, _ := strconv.ParseInt(m[1]+m[2], 16, 32)
		return string(rune(code))
	}
	return b.String()
}

func textOf(s *goquery.Selection) string {
	if s.Length() == 0 {
		return ""
	}
	return textIn(s.Nodes[0])
}

// readBack builds JSON from drawn rows.
func readBack(t testing.TB, doc *goquery.Document) string {
	t.Helper()
	root := doc.Find(".rows")
	rows := root.ChildrenFiltered(".member")
	if typ, isObject := root.Attr("data-type"); isObject && typ == "object" {
		text, used := membersBack(t, rows, 0, 0, true)
		if used != rows.Length() {
			t.Errorf("%d of %d rows are read", used, rows.Length())
		}
		return text
	}
	text, _ := valueBack(t, rows, 0, 0)
	return text
}

// membersBack reads rows of one depth, from one on.
func membersBack(t testing.TB, rows *goquery.Selection, at, depth int, isObject bool) (string, int) {
	var list []string
	for at < rows.Length() && rows.Eq(at).AttrOr("data-depth", "") == strconv.Itoa(depth) {
		name := ""
		if isObject {
			name = quoted(textOf(rows.Eq(at).Find(".row-name .exact").First())) + ":"
		}
		var text string
		text, at = valueBack(t, rows, at, depth)
		list = append(list, name+text)
	}
	if isObject {
		return "{" + strings.Join(list, ",") + "}", at
	}
	return "[" + strings.Join(list, ",") + "]", at
}

func valueBack(t testing.TB, rows *goquery.Selection, at, depth int) (string, int) {
	row := rows.Eq(at)
	typ := row.AttrOr("data-type", "")
	sent := row.ChildrenFiltered("[data-sent]")
	text := ""
	if sent.Length() > 0 {
		var lines []string
		for _, line := range sent.Find("li").EachIter() {
			lines = append(lines, textOf(line))
		}
		text = strings.Join(lines, "\n")
		if sent.AttrOr("data-sent", "") == "json" {
			return text, at + 1
		}
	} else {
		text = textOf(row.ChildrenFiltered(".row-value").ChildrenFiltered(".exact"))
	}
	switch typ {
	case "string":
		return quoted(text), at + 1
	case "object":
		return membersBack(t, rows, at+1, depth+1, true)
	case "array":
		if items := row.ChildrenFiltered(".row-list").ChildrenFiltered("li"); items.Length() > 0 {
			var list []string
			for _, item := range items.EachIter() {
				text := textOf(item.ChildrenFiltered(".exact"))
				if item.AttrOr("data-type", "") == "string" {
					text = quoted(text)
				}
				list = append(list, text)
			}
			return "[" + strings.Join(list, ",") + "]", at + 1
		}
		return membersBack(t, rows, at+1, depth+1, false)
	}
	return text, at + 1
}

func quoted(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimSuffix(b.String(), "\n")
}

// isEqual compares names, order, types, digits and characters.
func isEqual(a, b reading.Value) bool {
	if a.Name != b.Name || a.Type != b.Type || a.Text != b.Text || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		if !isEqual(a.Items[i], b.Items[i]) {
			return false
		}
	}
	return true
}

func checkReadBack(t *testing.T, text string) {
	t.Helper()
	v, r := readingOf(t, text)
	doc := drawn(t, r, nil)
	back := readBack(t, doc)
	again, err := reading.Parse([]byte(back))
	if err != nil {
		t.Fatalf("%.200q is drawn as %.200q: %v", text, back, err)
	}
	if !isEqual(v, again) {
		t.Errorf("%.400q\nis read back as\n%.400q", text, back)
	}
	page, _ := doc.Html()
	if n := views.Hidden(page); n != 0 {
		t.Errorf("%.200q: %d hidden characters", text, n)
	}
}

// From the rows the equal JSON can be read back.
func TestRows_AreLossless(t *testing.T) {
	t.Parallel()
	many := "{" + strings.TrimSuffix(strings.Repeat(`"m":{"a":[{}]},`, 1100), ",") + "}"
	for _, text := range []string{
		argumentsStory, many, `{}`, `[]`, `"x"`, `4.50`, `null`, `""`, `{"":""}`, `{"a\nb":" c ","\u202e":"\u0000"}`, `[[1],[2,[3,[4,[5]]]]]`, `[{"a":1},"b\n",3]`,
		`{"a":"⟦U+202E⟧ text 12 ⟦8 blanks⟧","b":"        ","c":"\n\n\n\n\n","d":"a\r\nb","e":"x\n"}`, `{"old":"a\nb","new":"a\nc"}`, `{"new_text":"a\nb","old_text":"c"}`,
		`{"to":["a","","1",2,true,null," "]}`, `{"diff":"@@ -1 +1 @@\n-a\n+b\n\n-- x"}`, `{"n":-0.0e-00,"m":9007199254740993}`, `{"a":{"b":{"c":{"d":{"\ud83d":"\ufffe"}}}}}`,
	} {
		checkReadBack(t, text)
	}
}

func FuzzRows(f *testing.F) {
	for _, seed := range []string{argumentsStory, `{"a":[["b\n\n\n\n"]]}`, `{"c":"echo 'x' \\# y\n<<E\nE"}`, `{"y":"a: |\n  b # c\n- d: 'e'\n"}`, `"--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n z"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := reading.Parse([]byte(text)); err == nil {
			checkReadBack(t, text)
		}
	})
}

// What the server infers stands apart, and names what was sent only in quotation.
func TestRows_KeepInferencesApart(t *testing.T) {
	t.Parallel()
	_, r := readingOf(t, argumentsStory)
	doc := drawn(t, r, nil)
	for pointer, want := range map[string]string{
		"/amount": "EUR", "/amount_minor": "minor units= 4 870.50 EUR", "/quantity": "text", "/empty": "empty text", "/none": "empty object", "/list": "no items",
		"/url":    "goes to files.example.netuser name before @: drive.example.com",
		"/script": "shell, 11 lines", "/valid_from": "no zone given", "/path": "leads to /etc/passwd", "/to": "8 items",
	} {
		row := doc.Find(`[data-pointer="` + pointer + `"]`)
		if got := row.Find(".row-value .inferred").Text(); got != want {
			t.Errorf("%s says %q, want %q", pointer, got, want)
		}
		if id := row.AttrOr("id", ""); id != views.RowID("args", pointer) {
			t.Errorf("%s has id %q", pointer, id)
		}
	}
	for selector, want := range map[string]int{
		`.invisible`: 1, `[data-pointer="/wide"] .blanks[data-mark="⟦60 blanks⟧"]`: 1, `[data-mark="⟦5 empty lines⟧"]`: 1,
		`li.odd`: 1, `.row-list li`: 8, `details`: 2, `.row-reading`: 3, `.signed .sign`: 4, `.dim`: 2, `[data-pointer="/script"] .comment`: 2,
	} {
		if got := doc.Find(selector).Length(); got != want {
			t.Errorf("%d × %s, want %d", got, selector, want)
		}
	}
}

// A slot stands under its row, or under the nearest.
func TestRows_HaveSlots(t *testing.T) {
	t.Parallel()
	_, r := readingOf(t, argumentsStory)
	slots := map[string]templ.Component{}
	want := map[string]string{"/amount": "/amount", "/to/7": "/to", "/deep/a/b/c/d/0": "/deep/a/b/c", "/missing": "", "": ""}
	for pointer := range want {
		slots[pointer] = templ.Raw(`<b class="slot" data-for="` + pointer + `"></b>`)
	}
	doc := drawn(t, r, slots)
	for pointer, row := range want {
		slot := doc.Find(`.slot[data-for="` + pointer + `"]`)
		if got, err := url.PathUnescape(slot.Closest("[data-pointer]").AttrOr("data-pointer", "?")); slot.Length() != 1 || got != row || err != nil {
			t.Errorf("the slot of %q stands %d times, under %q, want %q", pointer, slot.Length(), got, row)
		}
	}
}
