package views_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/views"
)

// A fragment is the very component that the page is built from.
func TestFragmentIsPartOfThePage(t *testing.T) {
	t.Parallel()
	for _, s := range stories() {
		var content, fragment bytes.Buffer
		ctx := views.WithToken(t.Context(), "form-token")
		if err := s.content.Render(ctx, &content); err != nil {
			t.Fatal(err)
		}
		if err := views.Fragment(s.frame, s.content).Render(ctx, &fragment); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(fragment.String(), content.String()) {
			t.Errorf("%s: the fragment does not begin with the content", s.name)
		}
		if !bytes.Contains(render(t, s), content.Bytes()) {
			t.Errorf("%s: the page does not hold the content", s.name)
		}
	}
}

func TestNavigationOffersOnlyWhatTheReaderMayOpen(t *testing.T) {
	t.Parallel()
	f := frame("Inbox", "/confirms")
	f.Nav = views.Nav{Current: "/confirms", Pending: 120, PendingCap: 99}
	doc := document(t, render(t, story{"", f, views.Failure(views.FailureView{Title: "x"})}))
	links := doc.Find(".sections a")
	if links.Length() != 1 || links.AttrOr("aria-current", "") != "page" {
		t.Errorf("%d links, current %q", links.Length(), links.AttrOr("aria-current", ""))
	}
	if got := strings.Fields(doc.Find("#pending-count").Text())[0]; got != "99+" {
		t.Errorf("count %q, want 99+", got)
	}
}

func TestHTMXConfigIsJSON(t *testing.T) {
	t.Parallel()
	doc := find(t, "inbox")
	var config map[string]any
	if err := json.Unmarshal([]byte(doc.Find(`meta[name="htmx-config"]`).AttrOr("content", "")), &config); err != nil {
		t.Fatal(err)
	}
	if config["extensions"] != "sse" {
		t.Errorf("extensions = %v", config["extensions"])
	}
	if n := doc.Find("#live").Length(); n != 1 {
		t.Errorf("%d live connections, want 1", n)
	}
	if n := find(t, "signin").Find("#live").Length(); n != 0 {
		t.Error("a signed-out page would open a live connection")
	}
}

func TestRefreshWithoutJavaScript(t *testing.T) {
	t.Parallel()
	f := frame("Inbox", "/confirms")
	f.Refresh = 30
	page := string(render(t, story{"", f, views.Inbox(inboxView())}))
	if !strings.Contains(page, `<noscript><meta http-equiv="refresh" content="30"></noscript>`) {
		t.Error("no refresh for readers without JavaScript")
	}
}

// Every icon of a page is drawn from the page's own sprite.
func TestIconsAreInTheSprite(t *testing.T) {
	t.Parallel()
	for _, s := range stories() {
		doc := document(t, render(t, s))
		known := map[string]bool{}
		doc.Find(".sprite symbol:has(path)").Each(func(_ int, symbol *goquery.Selection) { known["#"+symbol.AttrOr("id", "")] = true })
		doc.Find("use").Each(func(_ int, use *goquery.Selection) {
			if ref := use.AttrOr("href", ""); !known[ref] {
				t.Errorf("%s: there is no icon %q", s.name, ref)
			}
		})
	}
}
