package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/views"
)

// TestBarR10_HostileText puts hostile strings into everything that an agent may
// write, and reads every page and fragment that shows it: the elements and the
// names of their attributes are those that a harmless word gives, and nothing
// that hides is in the answer as it is.
func TestBarR10_HostileText(t *testing.T) {
	t.Parallel()
	b, strs := newBar(t, "R10", 30, 20_000)
	h := newHouse(t, tempDB(t))
	h.user("reader", "admin")
	_, agent := h.key(domain.KeyInput{Name: "agent", Roles: []string{"planner", "executor", "architect", "admin"}})
	reader := h.signedIn("reader")
	harmless := map[string]string{}
	for i, page := range pagesOf(h, reader, agent, "harmless", "word") {
		harmless[i] = skeleton(b, page)
	}
	const batch = 10
	random := b.random(0)
	set := 0
	hold := func(text string) {
		set++
		for name, page := range pagesOf(h, reader, agent, fmt.Sprint("set-", set), text) {
			if got := skeleton(b, page); got != harmless[name] {
				b.violated("%s is built otherwise with %q:\n%s", name, text, firstDifference(harmless[name], got))
			}
			for _, segment := range views.Visible(ownFields.ReplaceAllString(page, "")) {
				if segment.Kind == views.Invisible {
					b.violated("%s has %s as it is, with %q", name, segment.Text, text)
					break
				}
			}
			b.n.Add(1)
		}
	}
	for range strs / batch {
		var text []string
		for range batch {
			text = append(text, hostile(random))
		}
		hold(strings.Join(text, " "))
	}
	b.figure("strings", strs)
	runes := 0
	for from := rune(0); from <= utf8.MaxRune; from += 1024 {
		if sized(0, 1) == 0 && !slices.Contains([]rune{0, 0x400, 0x2000, 0xfc00, 0xe0000}, from) {
			continue // most that hide are in these
		}
		text := make([]rune, 0, 1024)
		for r := from; r < from+1024; r++ {
			if utf8.ValidRune(r) {
				text = append(text, r)
			}
		}
		if len(text) > 0 {
			hold(string(text))
		}
		runes += len(text)
	}
	b.figure("characters", runes)
}

// ownFields are those in which readers get back what they wrote themselves, as
// they wrote it: a search, and a decision that was refused, came too late or is to
// be confirmed.
var ownFields = regexp.MustCompile(`<input [^>]*>|<textarea id="(?:reason|user_edit_content)"[^>]*>[^<]*|Your text was not saved. Copy it from here:</strong><p class="agent-text">[^<]*`)

// fragments are what hostile strings are made of.
var fragments = []string{
	`<script>alert(1)</script>`, `</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `'><b>`, `<!--`, `-->`, `]]>`, `<![CDATA[`,
	`<div hx-get="/x" hx-trigger="load">`, `" hx-post="/confirms/x/decision" x="`, `data-hx-on="x"`, `<form action="/confirms/x/decision" method="post">`,
	`</form>`, `</textarea>`, `</title>`, `</style>`, `<style>*{display:none}</style>`, `<base href="//evil.example/">`, `<meta http-equiv="refresh" content="0;url=//evil.example">`,
	`<iframe srcdoc="x">`, `<object data=x>`, `<foreignObject><p>x`, `<math><mi>`, `<template>`, `<button name="decision" value="approve">`, `javascript:alert(1)`,
	`&lt;b&gt;`, `&#x202e;`, `&nbsp;`, `&`, `{{7*7}}`, `${7*7}`, `{ children... }`, "`", `\u003cscript\u003e`, `%3Cscript%3E`, `\`, `"`, `'`, `<`, `>`, `=`, `/`,
	"\u202e", "\u2066", "\u200b", "\u00a0", "\u2028", "\ufeff", "\U000e0041", "\x00", "\x1b[31m", "\r\n", "\n\n", "\t", "\u0085", "\ufffd", "p\u0430ypal", "日本", "👩\u200d👧",
	"confirm-1", "../../etc/passwd", "'; DROP TABLE confirms; --", strings.Repeat("W", 300), strings.Repeat(" ", 50),
}

func hostile(random *rand.Rand) string {
	var text strings.Builder
	for range 1 + random.IntN(5) {
		text.WriteString(fragments[random.IntN(len(fragments))])
	}
	return text.String()
}

// pagesOf writes objects that hold the text wherever they may, and reads every
// page and fragment about them.
func pagesOf(h *house, reader *visitor, agent domain.Ref, id, text string) map[string]string {
	h.t.Helper()
	quoted, limits := jsonString(text), h.Limits().MPLP()
	title := jsonString(within(text, limits.Title))
	args := fmt.Sprintf(`{%s:[%s,{"a":%s}]}`, quoted, quoted, quoted)
	action := fmt.Sprintf(`{"name":%s,"description":%s,"args":%s}`, jsonString(nameable(within(text, limits.Title))), quoted, args)
	situation, err := mplp.ParseContext(fmt.Appendf(nil, `{"context_id":%q,"title":%s,"summary":%s,"status":"active"}`, id, title, quoted), limits)
	if err == nil {
		_, err = h.CreateContext(h.t.Context(), agent, situation)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	plan, err := mplp.ParsePlan(fmt.Appendf(nil, `{"plan_id":%q,"context_id":%q,"title":%s,"objective":%s,"trace":{"trace_id":%q,"span_id":"s"},"steps":[{"step_id":"s1","description":%s,"agent_role":%s},{"step_id":"s2","description":%s,"dependencies":["s1"]}]}`,
		id, id, title, quoted, id, quoted, title, quoted), limits)
	if err == nil {
		_, err = h.PostPlan(h.t.Context(), agent, plan)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	gated := h.post(agent, fmt.Sprintf(`{"confirm_id":"%s-plan","target_type":"plan","target_id":%q,"step_id":"s1","reason":%s,"requested_by_role":"admin"}`, id, id, quoted))
	open := h.post(agent, fmt.Sprintf(`{"confirm_id":"%s-open","target_type":"other","reason":%s,"actions":[%s],"requested_by_role":"admin"}`, id, quoted, action))
	done := h.post(agent, fmt.Sprintf(`{"confirm_id":"%s-done","target_type":"context","target_id":%q,"reason":%s,"actions":[%s],"trace":{"trace_id":%q},"requested_by_role":"admin"}`, id, id, quoted, action, id))
	pages := map[string]string{}
	see := func(name string, answer told, status int) {
		if answer.status != status {
			h.t.Fatalf("%s: status %d with %q: %.300s", name, answer.status, text, answer.body)
		}
		pages[name] = strings.NewReplacer(id, "ID").Replace(answer.body)
	}
	decide := func(c *domain.Confirm, decision string, fields url.Values) told {
		fields.Set("decision", decision)
		fields.Set("content_hash", c.ContentHash)
		return reader.do(http.MethodPost, "/confirms/"+c.ID+"/decision", "", fields)
	}
	see("form refused", decide(open, "edit", url.Values{"reason": {text}, "user_edit_content": {text}, "args_0": {text}}), http.StatusUnprocessableEntity)
	see("edit reviewed", decide(open, "edit", url.Values{"reason": {text}, "args_0": {fmt.Sprintf(`{"new":%s}`, quoted)}}), http.StatusOK)
	if answer := decide(done, "request_changes", url.Values{"reason": {text}, "user_edit_content": {text}}); answer.status != http.StatusSeeOther {
		h.t.Fatalf("reject: status %d with %q: %.300s", answer.status, text, answer.body)
	}
	see("decided already", decide(done, "approve", url.Values{"reason": {text}}), http.StatusConflict)
	for name, path := range map[string]string{
		"confirm": "/confirms/" + open.ID, "plan's confirm": "/confirms/" + gated.ID, "decided confirm": "/confirms/" + done.ID, "receipt": "/confirms/" + done.ID + "?receipt=1",
		"inbox": "/confirms?target_id=" + id + "&status=pending&q=" + id, "plan": "/plans/" + id, "context": "/contexts/" + id, "trace": "/traces/" + id,
		"log": "/log?confirm_id=" + done.ID, "decided": "/confirms?status=decided&q=" + id, "search": "/confirms?q=" + url.QueryEscape("nothing "+string([]rune(text)[:min(utf8.RuneCountInString(text), 40)])),
	} {
		see(name, reader.do(http.MethodGet, path, "", nil), http.StatusOK)
		fragment := *reader
		fragment.htmx = true
		see(name+" (fragment)", fragment.do(http.MethodGet, path, "", nil), http.StatusOK)
	}
	for _, c := range []*domain.Confirm{open, gated} { // thousands of them would make lists say that there is more
		if _, err := h.CancelConfirm(h.t.Context(), agent, c.ID, ""); err != nil {
			h.t.Fatal(err)
		}
	}
	return pages
}

// within is as much of a text as has so many bytes.
func within(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// nameable is a text without control characters, which no name has.
func nameable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '.'
		}
		return r
	}, text)
}

// jsonString writes a JSON string with nothing escaped that need not be.
func jsonString(text string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err) // a string always has a JSON form
	}
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(out.String(), "\n"))
}

// skeleton is the tree of elements with the names of their attributes. Marks of
// what hides, the count of them, and how much a list leaves out, are the text's
// own; and there are as many lines as the text has.
func skeleton(b *bar, page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		b.violated("not HTML: %v", err)
	}
	return strings.Join(branches(root), "\n")
}

func branches(n *html.Node) (lines []string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode && c.Type != html.CommentNode {
			continue
		}
		class := attribute(c, "class")
		if followsText(class) {
			lines = append(lines, foreign(c)...)
			continue
		}
		inner := branches(c)
		switch {
		case slices.Contains([]string{"invisible", "mixed-script", "look-alike", "not-ascii", "edge-space", "turned", "turned number"}, class):
			lines = append(lines, inner...)
			continue
		case class == "hidden-count" || class == "left-out":
			continue
		case c.Data == "p" && class == "label" && len(inner) == 0,
			class == "row-reason" && slices.Equal(inner, []string{"<div class dir hx-ignore"}):
			continue // of the same text a row has the heading alone, or its beginning too
		}
		branch := []string{"<" + c.Data + " " + strings.Join(attributes(c), " ")}
		if c.Type == html.CommentNode {
			branch[0] = "<!--"
		}
		for _, line := range inner {
			branch = append(branch, " "+line)
		}
		// One line of many is like the next.
		if repeated := c.Data == "li" || c.Data == "tr" || class == "line"; repeated && len(lines) >= len(branch) && slices.Equal(lines[len(lines)-len(branch):], branch) {
			continue
		}
		lines = append(lines, branch...)
	}
	return lines
}

// followsText reports whether what an element has inside follows from a text: rows by
// the kind of their values, what there is to notice, marks of gaps, and a reason that
// stands higher or lower.
func followsText(class string) bool {
	return slices.ContainsFunc(strings.Fields(class), func(token string) bool {
		return slices.Contains([]string{"rows", "findings", "notices", "row-values", "row-why", "blanks", "sizes", "asked-before", "bar-notice", "reason", "reason-below"}, token)
	})
}

// Of these, elements that follow from a text are made.
var (
	drawnElements   = strings.Fields("a b bdi blockquote br code dd details div dl dt em figcaption figure h2 input label li mark ol p q section small span strong summary svg time ul use")
	drawnAttributes = strings.Fields(`aria-describedby aria-hidden aria-invalid aria-label aria-labelledby checked class data-depth data-item data-line data-local data-mark data-encoded data-name data-pointer data-sent data-text data-type
		datetime dir form hidden href hx-ignore id name open title type value`)
	drawnHref  = regexp.MustCompile(`^(#[a-zA-Z0-9_-]+|/confirms/[0-9a-zA-Z-]+[?a-zA-Z0-9=&%_-]*)$`)
	drawnClass = regexp.MustCompile(`^[a-z0-9 -]*$`)
)

// foreign lists what no page of the server has in an element that follows from a text.
func foreign(n *html.Node) (lines []string) {
	isKnown := n.Type == html.TextNode || n.Type == html.ElementNode && slices.Contains(drawnElements, n.Data)
	for _, a := range n.Attr {
		isKnown = isKnown && slices.Contains(drawnAttributes, a.Key) && (a.Key != "class" || drawnClass.MatchString(a.Val)) &&
			(a.Key != "href" || drawnHref.MatchString(a.Val) || n.Data == "use")
	}
	if !isKnown {
		lines = append(lines, fmt.Sprintf("foreign: <%s %v", n.Data, n.Attr))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		lines = append(lines, foreign(c)...)
	}
	return lines
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func attributes(n *html.Node) (names []string) {
	for _, a := range n.Attr {
		names = append(names, a.Key)
	}
	slices.Sort(names)
	return names
}

// firstDifference shows where two skeletons part.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: want %s, got %s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(b), len(a))
}
