package web

import (
	"net/http"
	"net/url"
	"slices"

	"countersign/domain"
	"countersign/views"
)

// planStatuses are those that plans can be listed by.
var planStatuses = []string{"draft", "proposed", "approved", "in_progress", "completed", "cancelled", "failed"}

func (s *Server) plans(v *visit) error {
	status, cursor := v.QueryParam("status"), v.QueryParam("cursor")
	if !slices.Contains(planStatuses, status) {
		status = ""
	}
	plans, next, err := s.svc.PlanRows(v.ctx(), v.ref(), domain.PlanFilter{Status: domain.PlanStatus(status)}, domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	list := pager{path: plansPath, filter: url.Values{"status": {status}}}
	view := views.PlansView{
		Self: v.Request().URL.RequestURI(), EmptyAt: s.base.String(), NextURL: list.next(next), FirstURL: list.first(cursor),
		Statuses: choices(status, "Any status", planStatuses...),
	}
	for _, plan := range plans {
		view.Rows = append(view.Rows, newPlanRow(plan, s.svc.Now()))
	}
	return s.show(v, http.StatusOK, "Plans", views.Plans(view))
}

func (s *Server) plan(v *visit) error { return s.showPlan(v, http.StatusOK, nil) }

// showPlan renders a plan with why the last action on it was refused, if it was.
func (s *Server) showPlan(v *visit, status int, refused error) error {
	view, err := s.loadPlan(v)
	if err != nil {
		return err
	}
	if refused != nil {
		view.Error = newRefusal(refused)
		if view.Cancel != nil {
			view.Cancel.Reason = v.field("reason")
		} else {
			view.Unsent = typedWords(v)
		}
	}
	return s.show(v, status, view.Title, views.Plan(view))
}

func (s *Server) loadPlan(v *visit) (view views.PlanView, err error) {
	detail, err := s.svc.Plan(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return view, err
	}
	roles, err := s.rolePaths(v)
	if err != nil {
		return view, err
	}
	view = newPlanView(detail, s.drawings, roles)
	view.Self = planPath(detail.Plan.ID)
	view.TraceURL = traceURL(v.user, view.TraceID)
	return view, nil
}

// newRefusal is why an action was refused, on the page where it was tried.
func newRefusal(err error) *views.Notice {
	refused := domain.AsError(err)
	return &views.Notice{Tone: views.ToneBad, Title: refusals[refused.Code].title, Detail: refused.Message}
}

// isStale reports whether a refusal is best read beside the object as it is now.
func isStale(err error) bool {
	status := statusOf(err)
	return status == http.StatusConflict || status == http.StatusUnprocessableEntity
}

func (s *Server) proposePlan(v *visit) error {
	if _, err := s.svc.ProposePlan(v.ctx(), v.ref(), v.Param("id"), domain.ProposeInput{}); isStale(err) {
		return s.showPlan(v, statusOf(err), err)
	} else if err != nil {
		return err
	}
	return redirect(v, planPath(v.Param("id")))
}

func (s *Server) cancelPlan(v *visit) error {
	if _, err := s.svc.CancelPlan(v.ctx(), v.ref(), v.Param("id"), v.field("reason")); isStale(err) {
		return s.showPlan(v, statusOf(err), err)
	} else if err != nil {
		return err
	}
	return redirect(v, planPath(v.Param("id")))
}

// renderPlanCancelDraft is showAgain of a plan's cancellation.
func (s *Server) renderPlanCancelDraft(v *visit, status int, wrong views.Errors) error {
	view, err := s.loadPlan(v)
	if err != nil {
		return err
	}
	if view.Cancel != nil {
		view.Cancel.Reason, view.Cancel.Error = v.field("reason"), wrong[""]
	} else {
		view.Error = notSubmittedNotice("Your session expired, and you can no longer cancel this.")
		view.Unsent = typedWords(v)
	}
	return s.show(v, status, view.Title, views.Plan(view))
}
