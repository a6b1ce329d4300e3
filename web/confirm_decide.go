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
	form, wrong := p.withVote(v.fields())
	if wrong != nil {
		return s.refuseDecision(v, p, http.StatusUnprocessableEntity, wrong)
	}
	in, wrong := readDecision(form, p.actions(), p.editors())
	if wrong != nil {
		return s.refuseDecision(v, p, http.StatusUnprocessableEntity, wrong)
	}
	hash, err := p.effectiveHash(in)
	if err != nil {
		return err
	}
	if approves, rejects := in.needs(); p.Voting != nil && approves && !rejects && in.DecidedByRole == "" {
		in.DecidedByRole = p.roleFor(hash) // as the page said
	}
	if wrong := p.unacknowledged(in, form); wrong != nil {
		return s.refuseDecision(v, p, http.StatusUnprocessableEntity, wrong)
	}
	if in.edits() && in.Confirmed == "" {
		return s.reviewEdit(v, p, in, form, hash)
	}
	if in.Confirmed != "" && in.Confirmed != hash {
		return s.refuseDecision(v, p, http.StatusUnprocessableEntity, views.Errors{"": "This is not the edit that you reviewed. Nothing was decided. Check it again."})
	}
	in.Findings = p.shownFindings()
	_, err = s.svc.Decide(v.ctx(), v.ref(), p.Confirm.ID, in.DecisionInput)
	if err != nil {
		return s.undecided(v, p, err)
	}
	return s.decided(v, p)
}

// undecided answers a decision that the service refused to make.
func (s *Server) undecided(v *visit, p *confirmPage, err error) error {
	if wrong := problems(err, map[string]string{"reason": "reason", "decided_by_role": "decided_by_role", "user_edit_content": "user_edit_content"}); wrong != nil {
		return s.refuseDecision(v, p, http.StatusUnprocessableEntity, wrong)
	}
	if isStale(err) {
		return s.showConflict(v, err)
	}
	if code := domain.ErrorCode(err); p.Voting != nil && (code == domain.CodeRoleNotHeld || code == domain.CodeAlreadyVoted) {
		return s.refuseDecision(v, p, statusOf(err), views.Errors{"": domain.AsError(err).Message})
	}
	return err
}

// decided shows the receipt: as the component to htmx, otherwise on a page of
// its own, so that reloading posts nothing again.
func (s *Server) decided(v *visit, before *confirmPage) error {
	if !isHTMX(v) && (before.Voting == nil || before.Voting.Mine == nil) {
		return v.Redirect(http.StatusSeeOther, before.Filter.receiptURL(before.Confirm.ID, false))
	}
	p, err := s.loadConfirm(v, true)
	if err != nil {
		return err
	}
	p.Again = isSameVote(before.Voting, p.Voting)
	if !isHTMX(v) {
		return v.Redirect(http.StatusSeeOther, p.Filter.receiptURL(p.Confirm.ID, p.Again))
	}
	return s.showConfirm(v, http.StatusOK, newConfirmView(p))
}

// renderDecisionDraft is showAgain of a decision.
func (s *Server) renderDecisionDraft(v *visit, status int, wrong views.Errors) error {
	p, err := s.loadConfirm(v, false)
	if err != nil {
		return err
	}
	view := newConfirmView(p)
	if view.Form != nil {
		view.Conflict = &views.Notice{Tone: views.ToneWarn, Title: "Nothing was decided", Detail: wrong[""]}
		refillForm(view.Form, p, v.fields(), nil)
	} else {
		view.Conflict = notSubmittedNotice("Your session expired, and you can no longer decide this.")
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, status, view)
}

// refuseDecision shows the form again with everything that was in it.
func (s *Server) refuseDecision(v *visit, p *confirmPage, status int, wrong views.Errors) error {
	view := newConfirmView(p)
	if view.Form != nil {
		refillForm(view.Form, p, v.fields(), wrong)
	} else {
		sentences := slices.Sorted(maps.Values(wrong))
		view.Conflict = &views.Notice{Tone: views.ToneBad, Title: "Nothing was decided", Detail: strings.Join(sentences, " ")}
		view.Unsent = typedWords(v)
	}
	return s.showConfirm(v, status, view)
}

// reviewEdit shows what an edit would change, unless it would be refused.
func (s *Server) reviewEdit(v *visit, p *confirmPage, in *decision, form url.Values, hash string) error {
	if err := p.decidable(in); err != nil {
		return s.undecided(v, p, err)
	}
	view := newEditReview(p, in)
	if p.Voting != nil {
		view.Effect = p.voteWords(in, hash)
	}
	form = maps.Clone(form)
	form.Set("decided_by_role", in.DecidedByRole)
	view.Hidden = append(hidden(form), views.HiddenField{Name: "confirmed", Value: hash})
	return s.show(v, http.StatusOK, "Review the edit", views.EditReview(view))
}

// effectiveHash returns the hash of what the decision would approve. It is empty if the
// content was deleted: then nothing can be decided.
func (p *confirmPage) effectiveHash(in *decision) (string, error) {
	if p.Stored == nil {
		return "", nil
	}
	return domain.EffectiveHash(p.Stored, in.Edits)
}

// decidable returns the error with which the service would refuse the decision.
func (p *confirmPage) decidable(in *decision) error {
	approves, rejects := in.needs()
	switch {
	case in.ContentHash == "":
		return domain.Invalid("content_hash", "required", "Send the content hash of what you decide on.")
	case approves && p.Rights.Approve != nil:
		return p.Rights.Approve
	case rejects && p.Rights.Reject != nil:
		return p.Rights.Reject
	case in.ContentHash != p.Confirm.ContentHash:
		return &domain.Error{Code: domain.CodeContentChanged, Message: "The content has changed since you saw it. Check it again."}
	}
	return nil
}

// newEditReview returns the arguments of each edited action before and after.
func newEditReview(p *confirmPage, in *decision) views.EditReviewView {
	view := views.EditReviewView{
		ID: p.Confirm.ID, Action: p.Filter.addTo(confirmPath(p.Confirm.ID) + "/decision"), BackURL: p.Filter.confirmURL(p.Confirm.ID),
		Deadline: views.Until(p.Confirm.ExpiresAt, p.Now), Reason: in.Reason, Feedback: in.UserEditContent, Role: in.DecidedByRole,
	}
	for _, role := range p.Rights.Roles {
		if role.ID == in.DecidedByRole {
			view.Role = role.Name
		}
	}
	for i, action := range p.actions() {
		if in.Edits[i] != nil {
			view.Edits = append(view.Edits, views.ActionEdit{Number: i + 1, Name: action.Name, Before: string(action.Args), After: string(in.Edits[i]), Misfits: in.Misfits[i]})
		} else {
			view.Others = append(view.Others, views.ActionChoice{Number: i + 1, Name: action.Name, Decision: in.Actions[i].Type})
		}
	}
	return view
}

// hidden returns every field as it was sent, except the form token, which each
// form has of its own.
func hidden(sent url.Values) (fields []views.HiddenField) {
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if name != csrfField && name != "confirmed" {
			fields = append(fields, views.HiddenField{Name: name, Value: sent.Get(name)})
		}
	}
	return fields
}
