package web_test

import (
	"net/http"
	"testing"

	"countersign/domain"
)

// A list that is narrowed says by what, and how to have all of it: an empty log
// must not pass for one in which nothing happened.
func TestLogSaysWhatNarrowsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	for _, tc := range []struct{ name, query, family, kind, empty string }{
		{"everything", "", "Any family", "Any type", ""},
		{"a family", "?family=" + domain.FamilyGraphUpdate, domain.FamilyGraphUpdate, "Any type", ""},
		{"a type of another family", "?family=" + domain.FamilyRuntimeExecution + "&type=user.created", domain.FamilyRuntimeExecution, "user.created", "No entry matches this filter"},
		{"a family that there is none of", "?family=nothing", "nothing", "Any type", "No entry matches this filter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := b.in(t).get("/log" + tc.query).doc(t)
			chosen := func(name string) string { return doc.Find("select[name=" + name + "] option[selected]").Text() }
			if family, kind := chosen("family"), chosen("type"); family != tc.family || kind != tc.kind {
				t.Errorf("the filter says %q and %q, want %q and %q", family, kind, tc.family, tc.kind)
			}
			if got := doc.Find(".empty h2").Text(); got != tc.empty {
				t.Errorf("the list says %q, want %q", got, tc.empty)
			}
			if clear := doc.Find("a.clear").Length() == 1; clear != (tc.query != "") {
				t.Errorf("offers to clear the filter: %t", clear)
			}
		})
	}
}

func TestLogGoesBackPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reader", "executor"), w.asker()
	for range domain.DefaultPage {
		w.post(agent, bare)
	}
	doc := b.want(b.get("/log?type=confirm.requested"), http.StatusOK).doc(t)
	if got := doc.Find("tbody tr").Length(); got != domain.DefaultPage || doc.Find("a[rel=next]").Length() != 0 {
		t.Errorf("%d rows", got)
	}
	all := b.get("/log").doc(t)
	older := b.want(b.get(all.Find("a[rel=next]").AttrOr("href", "")), http.StatusOK).doc(t)
	if got := older.Find("tbody tr").Last().AttrOr("id", ""); got != "entry-0" {
		t.Errorf("the last entry is %q", got)
	}
	b.want(b.get("/log?cursor=x"), http.StatusUnprocessableEntity)
}
