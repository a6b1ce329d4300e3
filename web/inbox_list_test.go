package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// A list that was drawn before is used again for the same reader's rows in the
// same second, and for nothing else.
func TestInboxLists_AreDrawnOnceForTheSame(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 5, 14, 30, 0, 250_000_000, time.UTC)
	row := func(id string) domain.InboxRow {
		return domain.InboxRow{ConfirmRow: &domain.ConfirmRow{Tools: []string{"pay"}, Confirm: domain.Confirm{
			ID: id, TargetType: domain.TargetOther, Status: domain.Pending, ReceivedAt: now.Add(-time.Minute), ExpiresAt: now.Add(10 * time.Second),
		}}}
	}
	rows := []domain.InboxRow{row("c1"), row("c2")}
	lists := new(inboxLists)
	draw := func(q inboxQuery, rows []domain.InboxRow, at time.Time) string {
		t.Helper()
		var b strings.Builder
		if err := lists.drawn(q, rows, at).Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := draw(inboxQuery{}, rows, now)
	for _, word := range []string{"1 min ago", "9 s left"} { // at the second's end
		if strings.Count(first, word) != 2 {
			t.Errorf("%q is not in both rows of %s", word, first)
		}
	}
	for range 3 {
		if again := draw(inboxQuery{}, rows, now.Add(700*time.Millisecond)); again != first {
			t.Errorf("again it is %s, want %s", again, first)
		}
	}
	if lists.known[0].html == "" || len(lists.known) != 1 {
		t.Error("the list that was asked for again was not kept, or not by itself")
	}

	mine := []domain.InboxRow{rows[0], {ConfirmRow: rows[1].ConfirmRow, Mine: true}}
	changed := []domain.InboxRow{rows[0], row("c2")}
	changed[1].Locked = true
	for _, c := range []struct {
		name string
		q    inboxQuery
		rows []domain.InboxRow
		at   time.Time
		word string
	}{
		{"another filter", inboxQuery{Query: "pay"}, rows, now, `href="/confirms/c2?from=q%3Dpay"`},
		{"mine to decide", inboxQuery{}, mine, now, "Yours to decide"},
		{"the row has changed", inboxQuery{}, changed, now, "Locked"},
		{"fewer rows", inboxQuery{}, rows[:1], now, `id="row-c1"`},
		{"the next second", inboxQuery{}, rows, now.Add(time.Second), "8 s left"},
		{"the clock was set back", inboxQuery{}, rows, now.Add(-time.Second), "10 s left"},
	} {
		for range 3 {
			if got := draw(c.q, c.rows, c.at); got == first || !strings.Contains(got, c.word) {
				t.Errorf("%s: without %q, or as before: %s", c.name, c.word, got)
			}
		}
	}
	if lists.drawn(inboxQuery{}, nil, now) != nil {
		t.Error("no rows are something")
	}
}

// A moment in which everybody sees something else takes a bounded memory.
func TestInboxLists_AreBounded(t *testing.T) {
	t.Parallel()
	lists, now := new(inboxLists), time.Now()
	for range 3 * maxInboxLists {
		lists.drawn(inboxQuery{}, []domain.InboxRow{{ConfirmRow: new(domain.ConfirmRow)}}, now)
	}
	if len(lists.known) != maxInboxLists {
		t.Errorf("%d lists are kept, want %d", len(lists.known), maxInboxLists)
	}
}

// Long texts are drawn again rather than kept until somebody opens an inbox.
func TestInboxLists_KeepNoLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words", 60_000)
	for name, row := range map[string]*domain.ConfirmRow{
		"reason": {Reason: domain.Excerpt{Text: long}},
		"title":  {Title: long},
		"role":   {Confirm: domain.Confirm{RequestedByRole: long}},
		"tools":  {Tools: []string{"pay", long}},
	} {
		lists, now := new(inboxLists), time.Now()
		for range 2 {
			var b strings.Builder
			if err := lists.drawn(inboxQuery{}, []domain.InboxRow{{ConfirmRow: row}}, now).Render(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), long[:60]) {
				t.Errorf("%s: not in the list", name)
			}
		}
		if len(lists.known) != 0 {
			t.Errorf("%s: the list is kept", name)
		}
	}
}
