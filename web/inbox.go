package web

import (
	"net/http"
	"net/url"
	"slices"

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
	Mine                    bool
}

func newInboxQuery(values url.Values) inboxQuery {
	return inboxQuery{
		Decided: values.Get("status") == "decided", TargetType: values.Get("target_type"), Role: values.Get("role"),
		Query: values.Get("q"), Mine: values.Get("mine") == "1",
	}
}

// parseFrom reads what fromQuery wrote; anything else is the plain inbox.
func parseFrom(from string) inboxQuery {
	values, err := url.ParseQuery(from)
	if err != nil {
		return inboxQuery{}
	}
	return newInboxQuery(values)
}

// encode gives the query without what is at its default.
func (q inboxQuery) encode() string {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Decided {
		set("status", "decided")
	}
	set("target_type", q.TargetType)
	set("role", q.Role)
	set("q", q.Query)
	if q.Mine {
		set("mine", "1")
	}
	return values.Encode()
}

// url is the inbox with this filter.
func (q inboxQuery) url() string { return withQuery(inboxPath, q.encode()) }

// tab is the same filter in the other list or the same.
func (q inboxQuery) tab(decided bool) string {
	q.Decided = decided
	return q.url()
}

func (q inboxQuery) page(cursor string) string {
	if cursor == "" {
		return ""
	}
	values, _ := url.ParseQuery(q.encode())
	values.Set("cursor", cursor)
	return withQuery(inboxPath, values.Encode())
}

// confirm is the page of one confirm of the list.
func (q inboxQuery) confirm(id string) string { return q.under(confirmPath(id)) }

// under carries the filter on to an address of a confirm.
func (q inboxQuery) under(path string) string {
	if from := q.encode(); from != "" {
		return path + "?from=" + url.QueryEscape(from)
	}
	return path
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// filter is the list that the query means.
func (q inboxQuery) filter() domain.ConfirmFilter {
	f := domain.ConfirmFilter{
		TargetType: domain.TargetType(q.TargetType), RequestedByRole: q.Role, Query: q.Query, Mine: q.Mine && !q.Decided,
		Decided: q.Decided, WithImports: q.Decided,
	}
	if !q.Decided {
		f.Status = domain.Pending
	}
	return f
}

func (s *Server) inbox(v *visit) error {
	q, cursor := newInboxQuery(v.QueryParams()), v.QueryParam("cursor")
	rows, next, err := s.svc.Confirms(v.ctx(), v.ref(), q.filter(), domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	titles, err := s.planTitles(v, rows)
	if err != nil {
		return err
	}
	pending, err := s.svc.PendingCount(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	list := confirmList{Rows: rows, Titles: titles, Reader: v.who, Now: s.svc.Now()}
	view := newInboxView(q, list)
	view.Self, view.NextURL, view.EmptyAt, view.PendingCount = v.Request().URL.RequestURI(), q.page(next), s.base.String(), pending
	if cursor != "" {
		view.FirstURL = q.url()
	}
	return s.show(v, http.StatusOK, "Inbox", views.SectionInbox, views.Inbox(view))
}

// planTitles gives the titles of the plans in the list, by id: rows of a list
// name their target by id only.
func (s *Server) planTitles(v *visit, rows []*domain.ConfirmRow) (map[string]string, error) {
	if !slices.ContainsFunc(rows, func(row *domain.ConfirmRow) bool { return row.TargetType == domain.TargetPlan }) {
		return nil, nil
	}
	plans, _, err := s.svc.Plans(v.ctx(), v.ref(), domain.PlanFilter{}, domain.Page{Limit: domain.MaxPage})
	titles := map[string]string{}
	for _, plan := range plans {
		titles[plan.ID] = plan.Title
	}
	return titles, err
}
