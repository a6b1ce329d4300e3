package views_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/views"
)

// Approve, reject and request changes are offered for every target, and nothing
// is chosen beforehand.
func TestC2_DecisionsOffered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		story  string
		values []string // of the buttons named decision
		radios int
	}{
		{"confirm-action", []string{"approve", "edit", "reject", "request_changes"}, 0},
		{"confirm-plan", []string{"approve", "reject", "request_changes"}, 0},
		{"confirm-nothing", []string{"approve"}, 0},
		{"confirm-several", []string{"decide"}, 6},
		{"confirm-not-yours", nil, 0},
		{"confirm-approved", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.story, func(t *testing.T) {
			t.Parallel()
			doc := find(t, tt.story)
			got := map[string]bool{}
			for _, button := range doc.Find(`button[name="decision"]`).EachIter() {
				got[button.AttrOr("value", "")] = true
			}
			if len(got) != len(tt.values) {
				t.Errorf("offered %v, want %v", got, tt.values)
			}
			for _, value := range tt.values {
				if !got[value] {
					t.Errorf("%s is not offered", value)
				}
			}
			if n := doc.Find(`input[type="radio"]`).Length(); n != tt.radios {
				t.Errorf("%d radios, want %d", n, tt.radios)
			}
			if n := doc.Find(`input[checked], [autofocus]`).Length(); n != 0 {
				t.Errorf("%d controls are chosen or focused beforehand", n)
			}
		})
	}
}

// One rejected action stops the others only where a gate asks for the whole
// request: everywhere else each action is used by itself.
func TestSeveralActionsSayWhatMayRun(t *testing.T) {
	t.Parallel()
	for story, want := range map[string]string{
		"confirm-several":      "Decide each action. Only the actions you approve or edit may run.",
		"confirm-several-step": "Decide each action. If you reject one, none of them may run.",
	} {
		if got := find(t, story).Find(".decide form .hint").First().Text(); got != want {
			t.Errorf("%s says %q, want %q", story, got, want)
		}
	}
}

// The names of the fields stay, and controls outside the form belong to it.
func TestDecisionFormFields(t *testing.T) {
	t.Parallel()
	doc := find(t, "confirm-several")
	names := map[string]bool{}
	for _, editor := range doc.Find(".editor summary").EachIter() {
		name := strings.Join(strings.Fields(editor.Text()), " ")
		if names[name] {
			t.Errorf("two editors are named %q", name)
		}
		names[name] = true
	}
	form := doc.Find("#decision-form")
	if got := form.AttrOr("action", ""); got != form.AttrOr("hx-post", "-") {
		t.Errorf("action %q, hx-post %q", got, form.AttrOr("hx-post", ""))
	}
	if got := form.Find(`input[name="content_hash"]`).AttrOr("value", ""); got != hash {
		t.Errorf("content_hash = %q", got)
	}
	for _, name := range []string{"reason", "user_edit_content", "decided_by_role"} {
		if form.Find(`[name="`+name+`"]`).Length() != 1 {
			t.Errorf("no field %s", name)
		}
	}
	for _, name := range []string{"action_0", "action_1", "args_0", "args_1"} {
		fields := doc.Find(`[name="` + name + `"]`)
		if fields.Length() == 0 {
			t.Errorf("no field %s", name)
		}
		for _, field := range fields.EachIter() {
			if field.AttrOr("form", "") != "decision-form" {
				t.Errorf("%s belongs to no form", name)
			}
		}
	}
}

// Enter in a control submits nothing, because the form's first button is
// disabled.
func TestEnterDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, story := range []string{"confirm-action", "confirm-several", "confirm-plan", "edit-review"} {
		first := find(t, story).Find(`form[data-decision] button`).First()
		if _, disabled := first.Attr("disabled"); !disabled {
			t.Errorf("%s: the form's first button is %q", story, strings.TrimSpace(first.Text()))
		}
	}
}

// A refused form keeps what was typed and says beside the field what is wrong.
func TestRefusedFormKeepsInput(t *testing.T) {
	t.Parallel()
	doc := find(t, "confirm-edit-error")
	editor := doc.Find("#args_0")
	if !strings.Contains(editor.Text(), `"quantity": 50,,`) {
		t.Errorf("the editor holds %q", editor.Text())
	}
	if got := doc.Find("#reason").Text(); got != "Half of it is enough" {
		t.Errorf("the reason is %q", got)
	}
	if editor.AttrOr("aria-invalid", "") != "true" {
		t.Error("the editor is not marked invalid")
	}
	ids := strings.Fields(editor.AttrOr("aria-describedby", ""))
	if len(ids) != 2 || doc.Find("#"+ids[1]+`[role="alert"]`).Length() != 1 {
		t.Errorf("the editor is described by %v", ids)
	}
	if _, open := doc.Find(".editor").Attr("open"); !open {
		t.Error("the editor is closed over its message")
	}
}

// The second half of an edit sends back what it was given.
func TestEditReviewSendsEverythingBack(t *testing.T) {
	t.Parallel()
	doc := find(t, "edit-review")
	for _, field := range editReview().Hidden {
		got, ok := doc.Find(`form input[type="hidden"][name="` + field.Name + `"]`).Attr("value")
		if !ok || got != field.Value {
			t.Errorf("%s = %q, want %q", field.Name, got, field.Value)
		}
	}
	if _, live := doc.Find("#confirm").Attr("hx-trigger"); live {
		t.Error("what is about to be signed would be replaced under the reader")
	}
	if got := find(t, "edit-review-several").Find(`[data-verdict]`).Text(); strings.Contains(got, "Approve") {
		t.Errorf("with one action rejected the button says %q", got)
	}
}

// Every status has a word and an icon, not only a colour.
func TestStatusIsNotOnlyAColour(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"pending", "approved", "rejected", "cancelled", "unsubstantiated", "in_progress", "something_new", ""} {
		badge := document(t, []byte(htmlBuffer(t, views.Status(status)))).Find(".badge")
		if strings.TrimSpace(badge.Text()) == "" || badge.Find("svg use").Length() != 1 {
			t.Errorf("status %q: %q", status, badge.Text())
		}
	}
}

// What nobody decided never reads like a human no, although each of its
// actions counts as rejected.
func TestEndWithoutDecisionDoesNotReadAsRejected(t *testing.T) {
	t.Parallel()
	cancelled := with(timeoutView(), func(v *views.ConfirmView) {
		v.Status, v.Cause, v.Receipt.Status = "cancelled", "cancelled", "cancelled"
	})
	for want, doc := range map[string]*goquery.Document{
		"Timed out": find(t, "confirm-timeout"),
		"Cancelled": document(t, []byte(htmlBuffer(t, views.Confirm(cancelled)))),
	} {
		for _, selector := range []string{".kicker .badge", ".receipt h2", ".action .badge"} {
			if got := strings.TrimSpace(doc.Find(selector).First().Text()); got != want {
				t.Errorf("%s says %q, want %q", selector, got, want)
			}
		}
	}
}

// Content that was forgotten is not content that was never given, and what is
// over is not offered for a decision.
func TestForgottenAndImportedAreNotForDeciding(t *testing.T) {
	t.Parallel()
	if got := find(t, "confirm-forgotten").Find(".confirm-content").Text(); !strings.Contains(got, "was deleted") || strings.Contains(got, "No action attached") {
		t.Errorf("forgotten content is shown as %q", got)
	}
	if got := find(t, "confirm-import").Find("#main").Text(); strings.Contains(got, "can decide") || strings.Contains(got, "You would approve") {
		t.Errorf("an import says %q", got)
	}
}

// The drawing has every node and edge, each node is a link that says its status,
// and the table below it holds the same steps.
func TestP1_DrawingAndTable(t *testing.T) {
	t.Parallel()
	doc := find(t, "plan")
	svg := doc.Find(`svg[role="group"]`)
	if n := svg.Find("title").First().Text(); n != "Fix Login Bug" {
		t.Errorf("title %q", n)
	}
	if n := svg.Find("a.step[href]").Length(); n != 5 {
		t.Errorf("%d steps drawn, want 5", n)
	}
	if n := svg.Find("path.edge").Length(); n != 5 {
		t.Errorf("%d edges drawn, want 5", n)
	}
	if n := svg.Find("a.gated .gate-ring").Length(); n != 1 {
		t.Errorf("%d gated steps marked, want 1", n)
	}
	svg.Find("a.step").Each(func(_ int, step *goquery.Selection) {
		if step.Find("text.word").Text() == "" || step.Find("svg.icon").Length() != 1 {
			t.Errorf("step %q has only a colour", step.Find("title").Text())
		}
		box := step.Find("rect.box")
		for _, words := range step.Find("text").EachIter() {
			cut := words.Parent()
			if cut.Nodes[0].Data != "svg" || cut.AttrOr("width", "") != box.AttrOr("width", "-") || cut.AttrOr("x", "") != box.AttrOr("x", "-") {
				t.Errorf("step %q may be drawn over others", words.Text())
			}
		}
		if href := step.AttrOr("href", ""); doc.Find(href).Length() != 1 {
			t.Errorf("%s leads nowhere", href)
		}
	})
	if n := doc.Find("table.steps tbody tr").Length(); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
}

// The log says who or what decided: the entry of a deadline is a rejection too.
func TestLogNamesTheCause(t *testing.T) {
	t.Parallel()
	if got := find(t, "log").Find("#entry-42 td").Eq(2).Text(); !strings.Contains(got, "timeout") {
		t.Errorf("the entry of a timeout says %q", got)
	}
}

// However many roles may decide, the page names few of them and counts the rest.
func TestManyDecidersAreCounted(t *testing.T) {
	t.Parallel()
	view := tradeView()
	view.MayDecide = slices.Repeat([]string{"night-watch"}, 3_000)
	said := document(t, render(t, story{content: views.Confirm(view)})).Find(".may-decide")
	if n := said.Find(".badge").Length(); n > 20 || !strings.Contains(said.Text(), strconv.Itoa(3_000-n)+" other roles") {
		t.Errorf("names %d roles: %s", n, said.Text())
	}
}
