package web

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"countersign/domain"
	"countersign/views"
)

// Bounds of what is kept of one moment.
const (
	maxInboxLists = 8
	maxInboxText  = 64 << 10 // bytes of the texts of a list
)

// inboxLists keeps lists of the inbox as they were drawn in this second: whenever
// anything happens, all who have an inbox open ask for it at once, and most of
// them see the same. A list is used again for the same rows alone, of which each
// is what was read, and not only like it. Rows that are in several lists, or in
// those of several seconds, are kept by themselves.
type inboxLists struct {
	rows   views.InboxDrawn
	mu     sync.Mutex
	second time.Time
	known  []*inboxList
}

// inboxList is a list that was asked for, and as it was drawn once it was asked
// for again: most people's lists are their own.
type inboxList struct {
	query inboxQuery
	rows  []domain.InboxRow
	html  string
}

// drawn draws rows as of the end of the second, so that no countdown promises
// time that is not there. No rows are no component.
func (l *inboxLists) drawn(q inboxQuery, rows []domain.InboxRow, now time.Time) templ.Component {
	if len(rows) == 0 {
		return nil
	}
	second := now.Truncate(time.Second)
	if second.Before(now) {
		second = second.Add(time.Second)
	}
	fresh := views.InboxRows(newInboxRows(q, rows), second, &l.rows)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !second.Equal(l.second) {
		l.second, l.known = second, nil
	}
	for _, list := range l.known {
		if list.query == q && slices.Equal(list.rows, rows) {
			return list.again(fresh)
		}
	}
	if len(l.known) < maxInboxLists && inboxText(rows) <= maxInboxText {
		l.known = append(l.known, &inboxList{query: q, rows: rows})
	}
	return fresh
}

// inboxText is how many bytes there are in texts of the rows.
func inboxText(rows []domain.InboxRow) (n int) {
	for _, row := range rows {
		n += row.Written()
	}
	return n
}

// again is the list as it was drawn before, or is drawn now to be kept.
func (l *inboxList) again(fresh templ.Component) templ.Component {
	if l.html == "" {
		var html strings.Builder
		if err := fresh.Render(context.Background(), &html); err != nil {
			return fresh
		}
		l.html = html.String()
	}
	return templ.Raw(l.html)
}
