package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/views"
)

// tryPolicy shows the form again with what the policy would have done, or as one of its
// buttons changed it. It saves nothing.
func (s *Server) tryPolicy(v *visit) error {
	if !v.user.Can(domain.PolicyModify) {
		return errNoPolicies()
	}
	page := policyPage{ID: v.QueryParam("id"), Fields: v.fields()}
	v.address = policiesPath + "/new"
	if page.ID != "" {
		v.address = policyPath(page.ID)
	}
	if does := v.field("do"); does != "" {
		page.Added, page.Wrong = changePolicyForm(page.Fields, does)
		return s.showPolicy(v, statusOfForm(page.Wrong), page)
	}
	in := readPolicy(page.Fields)
	if page.Wrong = in.Wrong; len(in.Wrong) > 0 {
		return s.showPolicy(v, http.StatusUnprocessableEntity, page)
	}
	trial, err := s.svc.TryPolicy(v.ctx(), v.ref(), in.Marshal(), domain.DefaultTrial)
	if page.Wrong = in.refused(err); page.Wrong != nil {
		return s.showPolicy(v, statusOf(err), page)
	} else if err != nil {
		return err
	}
	page.Trial = trial
	return s.showPolicy(v, http.StatusOK, page)
}

func statusOfForm(wrong views.Errors) int {
	if len(wrong) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// changePolicyForm does what a button of the form says, and returns the field that is to
// be filled in next.
func changePolicyForm(fields url.Values, does string) (next string, wrong views.Errors) {
	addRow := func(name string, most int) (string, views.Errors) {
		field := numbered(name, min(countRows(fields, name, most), most-1))
		if !fields.Has(field) {
			fields.Set(field, "")
		}
		return field, nil
	}
	isByHand := fields.Get("by_hand") != ""
	switch {
	case does == "quorum":
		return addRow("quorum_role_", policy.MaxThresholds)
	case does == "escalation":
		return addRow("escalate_role_", policy.MaxEscalations)
	case does == "condition" && !isByHand:
		return addRow("member_", maxConditionRows)
	}
	in := &policyInput{form: fields, Wrong: views.Errors{}, fields: map[string]string{"condition": "condition"}}
	if in.readCondition(); len(in.Wrong) > 0 {
		return "", in.Wrong
	}
	if setHandwritten(fields, in.Condition); does != "rows" {
		return "condition", nil
	}
	if setCondition(fields, in.Condition); fields.Get("by_hand") != "" {
		return "", views.Errors{"condition": "This condition is not made of lines that must all hold."}
	}
	return "member_0", nil
}

// refused says at the form's fields why a policy was refused. It is nil for what no form
// can answer.
func (in *policyInput) refused(err error) views.Errors {
	if statusOf(err) == http.StatusUnprocessableEntity {
		in.refuse(domain.AsError(err).Problems)
		return in.Wrong
	}
	return refusedForm(err, nil)
}

// setTrial shows what a policy that is not saved would have done. What it says now counts,
// not what the saved one says.
func (s *Server) setTrial(view *views.PolicyView, t *domain.PolicyTrial) {
	view.Trial = &views.PolicyTrial{Sentence: t.Sentence, Counts: trialCounts(t)}
	view.Warnings, view.Shortages = policyWarnings(t.Warnings), nil
	for _, short := range t.Shortages {
		view.Shortages = append(view.Shortages, shortageWords(short))
	}
	for _, m := range t.Matches {
		match := views.PolicyMatch{
			URL: confirmPath(m.Row.ID), Tools: m.Row.Tools, Requester: m.Row.RequestedByName, At: views.Ago(m.Row.ReceivedAt, s.svc.Now()), Why: m.Because,
			Heading: views.Heading("", m.Row.Reason.Text, string(m.Row.TargetType)),
		}
		view.Trial.Matches = append(view.Trial.Matches, match)
	}
}

// trialCounts say how much a policy would have matched.
func trialCounts(t *domain.PolicyTrial) []string {
	said := fmt.Sprintf("It matches %d of the last %d requests", len(t.Matches), t.Looked)
	if t.Looked == 0 {
		said = "There is no request yet that it could be tried on"
	}
	if t.Unknown > 0 {
		said += fmt.Sprintf("; %d because something that it asks for is missing or of another kind", t.Unknown)
	}
	if t.NeedsMore > 0 {
		said += fmt.Sprintf("; %d would have needed more than one person", t.NeedsMore)
	}
	counts := []string{said + "."}
	if t.IsCutOff {
		counts = append(counts, "There was no time to look at more.")
	}
	var holders []string
	for _, h := range t.Holders {
		holders = append(holders, fmt.Sprintf("%d of %s", h.Holders, h.Role))
	}
	if len(holders) > 0 {
		counts = append(counts, "Who may approve now: "+strings.Join(holders, ", ")+".")
	}
	return counts
}

// policyWarnings are warnings as sentences.
func policyWarnings(list []mplp.Warning) (words []string) {
	for _, w := range list {
		subject := ""
		if w.Path == "condition" {
			subject = "the condition "
		}
		words = append(words, capitalised(subject+w.Message))
	}
	return words
}
