package web

import (
	"net/http"

	"countersign/domain"
	"countersign/views"
)

const inboxPath = "/confirms"

// home leads to the inbox.
func (s *Server) home(v *visit) error { return v.Redirect(http.StatusSeeOther, inboxPath) }

func (s *Server) inbox(v *visit) error {
	filter, cursor := newInboxFilter(v.QueryParams()), v.QueryParam("cursor")
	list, err := s.svc.Inbox(v.ctx(), v.ref(), filter.confirms(), domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	v.pending = &list.Pending
	pages := filter.pager()
	view := views.InboxView{
		Self: v.Request().URL.RequestURI(), EmptyAt: s.base.String(), Decided: filter.Decided,
		PendingURL: filter.tab(false), DecidedURL: filter.tab(true), PendingCount: list.Pending.All, PendingCap: maxPendingCount,
		Filter: filter.view(list.Rows), Rows: newInboxRows(filter, list.Rows, v.ref(), s.svc.Now()),
		NextURL: pages.next(list.Next), FirstURL: pages.first(cursor),
	}
	if v.user.Can(domain.KeyModify) {
		view.Connect = connectPath
	}
	if list.HasFoldedGroups {
		view.Share = domain.MaxPerGroup
	}
	return s.show(v, http.StatusOK, "Inbox", views.Inbox(view))
}
