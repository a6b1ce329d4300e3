package web

import (
	"net/http"
	"net/url"

	"countersign/domain"
	"countersign/views"
	"countersign/web/route"
)

const inboxPath = "/confirms"

func (s *Server) mountInbox() {
	s.page("/", route.Known, func(v *visit) error { return v.Redirect(http.StatusSeeOther, inboxPath) })
	s.page(inboxPath, route.Known, s.inbox)
}

// inboxQuery is the filter of the inbox. A confirm opened from it carries it on
// as from, so that the next one is the next of the same list.
type inboxQuery struct {
	Decided                 bool
	TargetType, Role, Query string
	Group                   string // of what is pending: the requests of one principal group
	Mine                    bool
}

func newInboxQuery(values url.Values) inboxQuery {
	return inboxQuery{
		Decided: values.Get("status") == "decided", TargetType: values.Get("target_type"), Role: values.Get("role"),
		Query: values.Get("q"), Group: values.Get("group"), Mine: values.Get("mine") == "1",
	}
}

// parseFrom reads what encode wrote; anything else is the plain inbox.
func parseFrom(from string) inboxQuery {
	values, err := url.ParseQuery(from)
	if err != nil {
		return inboxQuery{}
	}
	return newInboxQuery(values)
}

// values are the query's, the defaults empty.
func (q inboxQuery) values() url.Values {
	values := url.Values{"target_type": {q.TargetType}, "role": {q.Role}, "q": {q.Query}}
	if q.Decided {
		values.Set("status", "decided")
	} else {
		values.Set("group", q.Group)
	}
	if q.Mine {
		values.Set("mine", "1")
	}
	return values
}

// encode gives the query without what is at its default.
func (q inboxQuery) encode() string {
	if q == (inboxQuery{}) {
		return "" // as most ask
	}
	return encodeSet(q.values())
}

// url is the inbox with this filter.
func (q inboxQuery) url() string { return withQuery(inboxPath, q.encode()) }

func (q inboxQuery) pager() pager { return pager{path: inboxPath, filter: q.values()} }

// tab is the same filter in the other list or the same.
func (q inboxQuery) tab(decided bool) string {
	q.Decided = decided
	return q.url()
}

// of is the same filter for one group.
func (q inboxQuery) of(g domain.Group) string {
	q.Group = string(g)
	return q.url()
}

// confirm is the page of one confirm of the list.
func (q inboxQuery) confirm(id string) string { return q.under(confirmPath(id)) }

// under carries the filter on to an address of a confirm.
func (q inboxQuery) under(path string) string {
	from := q.encode()
	if from == "" {
		return path
	}
	return withQuery(path, url.Values{"from": {from}}.Encode())
}

// filter is the list that the query means.
func (q inboxQuery) filter() domain.ConfirmFilter {
	f := domain.ConfirmFilter{
		TargetType: domain.TargetType(q.TargetType), RequestedByRole: q.Role, Query: q.Query, Mine: q.Mine && !q.Decided,
		Decided: q.Decided, WithImports: q.Decided,
	}
	if !q.Decided {
		f.Status, f.Group = domain.Pending, domain.Group(q.Group)
	}
	return f
}

func (s *Server) inbox(v *visit) error {
	if same, err := s.unchanged(v); same || err != nil {
		return err
	}
	q, cursor := newInboxQuery(v.QueryParams()), v.QueryParam("cursor")
	list, err := s.svc.Inbox(v.ctx(), v.ref(), q.filter(), domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	v.waiting = &list.Pending
	view := newInboxView(q, list.Rows)
	view.Rows = s.lists.drawn(q, list.Rows, s.svc.Now())
	if list.Few {
		view.Share = domain.GroupShare
	}
	view.Self, view.EmptyAt, view.PendingCount = v.Request().URL.RequestURI(), s.base.String(), list.Pending
	pages := q.pager()
	view.NextURL, view.FirstURL = pages.next(list.Next), pages.first(cursor)
	return s.show(v, http.StatusOK, "Inbox", views.SectionInbox, views.Inbox(view))
}
