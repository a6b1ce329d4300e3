package views_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/views"
)

// render gives a story's whole page.
func render(t *testing.T, s story) []byte {
	t.Helper()
	var buf bytes.Buffer
	ctx := views.WithToken(t.Context(), "form-token")
	if err := views.Page(s.frame, s.content).Render(ctx, &buf); err != nil {
		t.Fatalf("render %s: %v", s.name, err)
	}
	return buf.Bytes()
}

func document(t *testing.T, page []byte) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return doc
}

// find gives a story by name.
func find(t *testing.T, name string) *goquery.Document {
	t.Helper()
	for _, s := range stories() {
		if s.name == name {
			return document(t, render(t, s))
		}
	}
	t.Fatalf("no story %q", name)
	return nil
}

// TestStorybook renders every state of every page and holds each to what the
// content security policy, keyboards and screen readers need. With
// COUNTERSIGN_STORYBOOK set to a directory the pages are left there to look at.
func TestStorybook(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("COUNTERSIGN_STORYBOOK")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, s := range stories() {
		page := render(t, s)
		if err := os.WriteFile(filepath.Join(dir, s.name+".html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			doc := document(t, page)
			checkPolicy(t, doc)
			checkIDs(t, doc)
			checkForms(t, doc)
			if n := doc.Find("h1").Length(); n != 1 {
				t.Errorf("%d h1, want 1", n)
			}
		})
	}
}

// checkPolicy looks for what the policy would block or htmx would run.
func checkPolicy(t *testing.T, doc *goquery.Document) {
	t.Helper()
	doc.Find("*").Each(func(_ int, el *goquery.Selection) {
		for _, attr := range el.Nodes[0].Attr {
			name := strings.ToLower(attr.Key)
			if name == "style" || strings.HasPrefix(name, "on") || strings.HasPrefix(name, "hx-on") || strings.HasPrefix(attr.Val, "js:") || strings.HasPrefix(attr.Val, "javascript:") {
				t.Errorf("<%s %s=%q>", goquery.NodeName(el), attr.Key, attr.Val)
			}
		}
	})
	if n := doc.Find("style, script:not([src]), iframe, object, embed, base").Length(); n != 0 {
		t.Errorf("%d elements that the policy blocks", n)
	}
	doc.Find("[hx-trigger]").Each(func(_ int, el *goquery.Selection) {
		if strings.Contains(el.AttrOr("hx-trigger", ""), "[") {
			t.Error("a trigger filter needs eval")
		}
	})
	doc.Find("[hx-ignore] [hx-get], [hx-ignore] form").Each(func(_ int, el *goquery.Selection) {
		t.Errorf("a control where agents write: <%s>", goquery.NodeName(el))
	})
}

// checkIDs holds that ids are unique and that every reference to one resolves.
func checkIDs(t *testing.T, doc *goquery.Document) {
	t.Helper()
	seen := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, el *goquery.Selection) {
		id := el.AttrOr("id", "")
		if seen[id] {
			t.Errorf("id %q twice", id)
		}
		seen[id] = true
	})
	for _, attr := range []string{"for", "aria-describedby", "aria-labelledby", "form"} {
		doc.Find("[" + attr + "]").Each(func(_ int, el *goquery.Selection) {
			for _, id := range strings.Fields(el.AttrOr(attr, "")) {
				if !seen[id] {
					t.Errorf("%s=%q leads nowhere", attr, id)
				}
			}
		})
	}
}

// checkForms holds that every form that changes something carries the token,
// and that every control has a name to speak.
func checkForms(t *testing.T, doc *goquery.Document) {
	t.Helper()
	doc.Find(`form[method="post"]`).Each(func(_ int, form *goquery.Selection) {
		if got := form.Find(`input[name="csrf"]`).AttrOr("value", ""); got != "form-token" {
			t.Errorf("form to %q has token %q", form.AttrOr("action", ""), got)
		}
	})
	doc.Find(`input:not([type="hidden"], [hidden]), select, textarea`).Each(func(_ int, el *goquery.Selection) {
		id := el.AttrOr("id", "")
		if el.Closest("label").Length() == 0 && doc.Find(`label[for="`+id+`"]`).Length() == 0 {
			t.Errorf("control %q has no label", el.AttrOr("name", ""))
		}
	})
	doc.Find("button, a[href]").Each(func(_ int, el *goquery.Selection) {
		_, off := el.Attr("disabled")
		_, hidden := el.Attr("hidden")
		if !off && !hidden && strings.TrimSpace(el.Text()) == "" {
			t.Errorf("<%s %s> says nothing", goquery.NodeName(el), el.AttrOr("class", ""))
		}
	})
}

// A page's bytes hold no character that hides, whatever agents wrote; the
// editor is excepted, because it must give back what it was given.
func TestNoHiddenCharacterReachesThePage(t *testing.T) {
	t.Parallel()
	editor := regexp.MustCompile(`(?s)<textarea.*?</textarea>`)
	for _, s := range stories() {
		page := editor.ReplaceAll(render(t, s), nil)
		if n := views.Hidden(string(page)); n != 0 {
			t.Errorf("%s: %d hidden characters", s.name, n)
		}
	}
}
