package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"countersign/domain"
	"countersign/views"
)

const (
	policiesPath  = "/policies"
	tryPolicyPath = policiesPath + "/try"
)

func policyPath(id string) string { return policiesPath + "/" + url.PathEscape(id) }

func (s *Server) policies(v *visit) error {
	list, err := s.svc.Policies(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	view := views.PoliciesView{Self: policiesPath, Notice: noticeOf(v)}
	if v.user.Can(domain.PolicyModify) {
		view.NewURL = policiesPath + "/new"
	}
	for _, p := range list {
		view.Rows = append(view.Rows, s.newPolicyRow(p))
	}
	return s.show(v, http.StatusOK, "Policies", views.Policies(view))
}

func (s *Server) newPolicy(v *visit) error {
	return s.showPolicy(v, http.StatusOK, policyPage{Fields: url.Values{"enabled": {"1"}}})
}

func (s *Server) policy(v *visit) error {
	return s.showPolicy(v, http.StatusOK, policyPage{ID: v.Param("id"), Notice: noticeOf(v)})
}

// savePolicy answers the form of a new policy and of one that there is.
func (s *Server) savePolicy(v *visit) error {
	page := policyPage{ID: v.Param("id"), Fields: v.fields()}
	if !v.user.Can(domain.PolicyModify) {
		return errNoPolicies()
	}
	in := readPolicy(v.fields())
	if len(in.Wrong) > 0 {
		page.Wrong = in.Wrong
		return s.showPolicy(v, http.StatusUnprocessableEntity, page)
	}
	saved, err := s.svc.SavePolicy(v.ctx(), v.ref(), domain.PolicyInput{ID: page.ID, Version: in.Version, Document: in.Marshal(), Enabled: in.Enabled})
	if page.Wrong = in.refused(err); page.Wrong != nil {
		// What came in between is listed on the page: who saves again has seen it.
		page.IsNewest = domain.ErrorCode(err) == domain.CodeContentChanged
		return s.showPolicy(v, statusOf(err), page)
	} else if err != nil {
		return err
	}
	return showSavedPolicy(v, saved, "policy-saved")
}

// showSavedPolicy leads to the policy, or to the request that must be approved first.
func showSavedPolicy(v *visit, saved *domain.SavedPolicy, done string) error {
	if saved.Confirm != nil {
		return redirect(v, confirmPath(saved.Confirm.ID)+"?done=policy-requested")
	}
	return redirect(v, policyPath(saved.Policy.ID)+"?done="+done)
}

// policyAction answers a button about a policy.
func (s *Server) policyAction(done string, act func(ctx context.Context, ref domain.Ref, id string) (*domain.SavedPolicy, error)) func(*visit) error {
	return func(v *visit) error {
		if !v.user.Can(domain.PolicyModify) {
			return errNoPolicies()
		}
		saved, err := act(v.ctx(), v.ref(), v.Param("id"))
		if refusedForm(err, nil) != nil {
			notice := views.Notice{Tone: views.ToneBad, Title: "Nothing was changed.", Detail: domain.AsError(err).Message}
			return s.showPolicy(v, statusOf(err), policyPage{ID: v.Param("id"), Notice: &notice})
		} else if err != nil {
			return err
		}
		return showSavedPolicy(v, saved, done)
	}
}

// renderPolicyDraft renders the form of a policy with what was sent.
func (s *Server) renderPolicyDraft(v *visit, status int, wrong views.Errors) error {
	id := v.Param("id")
	if v.Path() == tryPolicyPath {
		id = v.QueryParam("id")
	}
	return s.showPolicy(v, status, policyPage{ID: id, Fields: v.fields(), Wrong: wrong})
}

func errNoPolicies() error {
	return &domain.Error{Code: domain.CodeMissingCapability, Capability: domain.PolicyModify, Message: "You need the capability policy.modify to create and change policies."}
}

// policyPage is what a page of a policy shows beside what is stored.
type policyPage struct {
	ID       string     // empty: a new policy
	Fields   url.Values // of the form; nil: those of the current version
	Wrong    views.Errors
	Added    string // the field that is to be filled in next
	IsNewest bool   // the form goes on from the current version
	Notice   *views.Notice
	Trial    *domain.PolicyTrial
}

func (s *Server) showPolicy(v *visit, status int, page policyPage) error {
	may := v.user.Can(domain.PolicyModify)
	if page.ID == "" && !may {
		return errNoPolicies()
	}
	view, title := views.PolicyView{Notice: page.Notice}, "New policy"
	fields, action, tryURL, version := page.Fields, policiesPath, tryPolicyPath, ""
	if page.ID != "" {
		d, err := s.svc.Policy(v.ctx(), v.ref(), page.ID)
		if err != nil {
			return err
		}
		title, version, action = d.Name, strconv.FormatInt(d.Version, 10), policyPath(d.ID)
		tryURL = withQuery(tryPolicyPath, url.Values{"id": {d.ID}}.Encode())
		s.setPolicy(v, &view, d, may)
		if fields == nil {
			fields = storedFields(d)
		}
	}
	if may {
		roles, err := s.policyRoles(v)
		if err != nil {
			return err
		}
		view.Form = newPolicyForm(fields, roles, page.Wrong)
		view.Form.Action, view.Form.TryURL, view.Form.Added = action, tryURL, page.Added
		if page.IsNewest || page.Fields == nil {
			view.Form.Version = version
		}
	} else if page.Fields != nil {
		view.Notice = notSubmittedNotice("You need the capability policy.modify to change policies.")
	}
	if page.Trial != nil {
		s.setTrial(&view, page.Trial)
	}
	return s.show(v, status, title, views.Policy(view))
}

// storedFields are the form's fields of the current version. One that cannot be read is
// written anew.
func storedFields(d *domain.PolicyDetail) url.Values {
	fields := url.Values{"name": {d.Name}}
	if d.Named != nil {
		fields = policyFields(d.Named)
	}
	if d.Enabled {
		fields.Set("enabled", "1")
	}
	return fields
}

// policyRoles are all roles, nil for readers who may not see them.
func (s *Server) policyRoles(v *visit) ([]*domain.Role, error) {
	if !v.user.CanReadRoles() {
		return nil, nil
	}
	return s.svc.Roles(v.ctx(), v.ref())
}

// shortageWords say that too few people may fill a threshold.
func shortageWords(short domain.Shortage) string {
	return fmt.Sprintf("It needs %d of %s, and %d may approve: requests that it matches will time out.", short.Needed, short.Role, short.Holders)
}
