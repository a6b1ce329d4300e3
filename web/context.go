package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"countersign/domain"
	"countersign/views"
)

const contextsPath = "/contexts"

func contextPath(id string) string { return contextsPath + "/" + url.PathEscape(id) }

func (s *Server) contexts(v *visit) error {
	cursor := v.QueryParam("cursor")
	contexts, next, err := s.svc.ContextRows(v.ctx(), v.ref(), domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	list := pager{path: contextsPath}
	view := views.ContextsView{
		Self: v.Request().URL.RequestURI(), Closed: !v.user.CanReadContexts(), EmptyAt: s.base.String(),
		NextURL: list.next(next), FirstURL: list.first(cursor),
	}
	for _, c := range contexts {
		view.Rows = append(view.Rows, newContextRow(c, s.svc.Now()))
	}
	return s.show(v, http.StatusOK, "Contexts", views.Contexts(view))
}

func newContextRow(c *domain.ContextRow, now time.Time) views.ContextRow {
	return views.ContextRow{
		ID: c.ID, URL: contextPath(c.ID), Title: contextTitle(&c.Context), Status: c.Status, Summary: c.Summary,
		Updated: views.Ago(c.UpdatedAt, now), Locked: c.Locked,
	}
}

func (s *Server) context(v *visit) error {
	c, err := s.svc.Context(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	plans, morePlans, err := s.svc.Plans(v.ctx(), v.ref(), domain.PlanFilter{ContextID: c.ID}, domain.Page{})
	if err != nil {
		return err
	}
	confirms, moreConfirms, err := s.svc.Confirms(v.ctx(), v.ref(), domain.ConfirmFilter{TargetType: domain.TargetContext, TargetID: c.ID, WithImports: true}, domain.Page{})
	if err != nil {
		return err
	}
	roles, err := s.rolePaths(v)
	if err != nil {
		return err
	}
	view := newContextView(c, plans, confirms)
	view.More = morePlans+moreConfirms != ""
	view.Owner = roles.link(c.OwnerRole)
	view.Self = contextPath(c.ID)
	return s.show(v, http.StatusOK, view.Title, views.Context(view))
}

func newContextView(c *domain.Context, plans []*domain.Plan, confirms []*domain.ConfirmRow) views.ContextView {
	view := views.ContextView{
		ID: c.ID, Title: contextTitle(c), Summary: contextSummary(c), Status: c.Status,
		Locked: c.Locked, Created: views.At(c.CreatedAt), Updated: views.At(c.UpdatedAt), Body: string(c.Native),
	}
	for _, plan := range plans {
		view.Plans = append(view.Plans, views.Link{Label: listedTitle(plan.Title), URL: planPath(plan.ID), Quoted: true})
	}
	for _, row := range confirms {
		view.Confirms = append(view.Confirms, newConfirmRef(&row.Confirm))
	}
	return view
}

// contextTitle names a context; a title is optional.
func contextTitle(c *domain.Context) string {
	if c.Title == "" {
		return c.ID
	}
	return c.Title
}

// contextSummary is the summary in the stored object, which nothing but its
// page needs.
func contextSummary(c *domain.Context) string {
	var object struct {
		Summary string `json:"summary"`
	}
	if json.Unmarshal(c.Native, &object) != nil {
		return ""
	}
	return object.Summary
}
