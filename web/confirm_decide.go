package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// decide answers a decision. One with edited arguments is posted twice: the
// first time it is shown, before and after, and the second time it must name
// the hash of what was shown.
func (s *Server) decide(v *visit) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	in, wrong := readDecision(v.fields(), p.actions())
	if wrong != nil {
		return s.refuseDecision(v, p, wrong)
	}
	hash, err := p.effectiveHash(in)
	if err != nil {
		return err
	}
	if in.edits() && in.Confirmed == "" {
		return s.reviewEdit(v, p, in, hash)
	}
	if in.Confirmed != "" && in.Confirmed != hash {
		return s.refuseDecision(v, p, views.Errors{"": "This is not the edit that was shown to you. Look at it again; nothing was decided."})
	}
	_, err = s.svc.Decide(v.ctx(), v.ref(), p.Confirm.ID, in.DecisionInput)
	if err != nil {
		return s.undecided(v, p, err)
	}
	return s.decided(v, p)
}

// undecided answers a decision that the service refused.
func (s *Server) undecided(v *visit, p *confirmPage, err error) error {
	if wrong := problems(err, map[string]string{"reason": "reason", "decided_by_role": "decided_by_role"}); wrong != nil {
		return s.refuseDecision(v, p, wrong)
	}
	if stale(err) {
		return s.showConflict(v, err)
	}
	return err
}

// decided shows the receipt: as the component to htmx, otherwise on a page of
// its own, so that reloading posts nothing again.
func (s *Server) decided(v *visit, p *confirmPage) error {
	if !isHTMX(v) {
		query := encodeSet(url.Values{"from": {p.Query.encode()}, "receipt": {"1"}})
		return v.Redirect(http.StatusSeeOther, withQuery(confirmPath(p.Confirm.ID), query))
	}
	p, err := s.loadConfirm(v, true)
	if err != nil {
		return err
	}
	return s.showConfirm(v, http.StatusOK, newConfirmView(p))
}

// decisionAgain is showAgain of a decision.
func (s *Server) decisionAgain(v *visit, status int, wrong views.Errors) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	if view.Form != nil {
		view.Conflict = &views.Notice{Tone: views.ToneWarn, Title: "Nothing was decided", Detail: wrong[""]}
		keep(view.Form, p.actions(), v.fields(), nil)
	} else {
		view.Conflict = uncounted("Your session had ended, and there is nothing left for you to decide here.")
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, status, view)
}

// refuseDecision shows the form again with everything that was in it.
func (s *Server) refuseDecision(v *visit, p *confirmPage, wrong views.Errors) error {
	view := newConfirmView(p)
	if view.Form != nil {
		keep(view.Form, p.actions(), v.fields(), wrong)
	} else {
		sentences := slices.Sorted(maps.Values(wrong))
		view.Conflict = &views.Notice{Tone: views.ToneBad, Title: "Nothing was decided", Detail: strings.Join(sentences, " ")}
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, http.StatusUnprocessableEntity, view)
}

// reviewEdit shows what an edit would change, unless it could not be decided
// anyway.
func (s *Server) reviewEdit(v *visit, p *confirmPage, in *decision, hash string) error {
	if err := p.decidable(in); err != nil {
		return s.undecided(v, p, err)
	}
	view := newEditReview(p, in)
	view.Hidden = append(hidden(v.fields()), views.HiddenField{Name: "confirmed", Value: hash})
	return s.show(v, http.StatusOK, "Review the edit", views.SectionInbox, views.EditReview(view))
}

// effectiveHash names what the decision would approve. It is empty when the
// content has been forgotten, and then nothing can be decided.
func (p *confirmPage) effectiveHash(in *decision) (string, error) {
	if p.Stored == nil {
		return "", nil
	}
	return domain.EffectiveHash(p.Stored, in.Edits)
}

// decidable says beforehand what deciding would be refused for.
func (p *confirmPage) decidable(in *decision) error {
	approves, rejects := in.needs()
	switch {
	case in.ContentHash == "":
		return domain.Invalid("content_hash", "required", "Name the content hash of what you decide on.")
	case approves && p.Standing.Approve != nil:
		return p.Standing.Approve
	case rejects && p.Standing.Reject != nil:
		return p.Standing.Reject
	case in.ContentHash != p.Confirm.ContentHash:
		return &domain.Error{Code: domain.CodeContentChanged, Message: "The content is not what you were shown. Look at it again."}
	}
	return nil
}

// newEditReview is the before and after of every edited action.
func newEditReview(p *confirmPage, in *decision) views.EditReviewView {
	view := views.EditReviewView{
		ID: p.Confirm.ID, Action: p.Query.under(confirmPath(p.Confirm.ID) + "/decision"), BackURL: p.Query.confirm(p.Confirm.ID),
		Deadline: views.Until(p.Confirm.ExpiresAt, p.Now), Reason: in.Reason, Feedback: in.UserEditContent, Role: in.DecidedByRole,
	}
	for i, action := range p.actions() {
		if in.Edits[i] != nil {
			view.Edits = append(view.Edits, views.ActionEdit{Number: i + 1, Name: action.Name, Before: string(action.Args), After: string(in.Edits[i])})
		} else {
			view.Others = append(view.Others, views.ActionChoice{Number: i + 1, Name: action.Name, Decision: in.Actions[i].Type})
		}
	}
	return view
}

// hidden gives every field back as it came, but for the form token, which each
// form has of its own.
func hidden(sent url.Values) (fields []views.HiddenField) {
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if name != csrfField && name != "confirmed" {
			fields = append(fields, views.HiddenField{Name: name, Value: sent.Get(name)})
		}
	}
	return fields
}
