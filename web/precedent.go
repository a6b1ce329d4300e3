package web

import (
	"strconv"

	"countersign/domain"
	"countersign/views"
)

// newPrecedents are the requests that the differences are shown to: what an action
// replaces, or else the last approved call of its tool.
func newPrecedents(p *confirmPage) (list []views.Precedent) {
	if p.Before == nil {
		return nil
	}
	for i, a := range p.Before.Actions {
		before, isReplaced := a.Superseded, true
		if before == nil {
			before, isReplaced = a.LastApproved, false
		}
		if before == nil || len(before.Args) == 0 {
			continue
		}
		list = append(list, views.Precedent{
			Number: i + 1, Request: views.Link{Label: before.ConfirmID, URL: p.Filter.confirmURL(before.ConfirmID)}, IsReplaced: isReplaced,
			Status: string(before.Status), Cause: string(before.Cause), By: before.DecidedBy, Reason: before.Reason, At: views.At(before.At),
			Before: string(before.Args), After: string(p.Content.Actions[i].Args),
		})
	}
	return list
}

// newRecord says what became of the requester's requests, in figures.
func newRecord(r *domain.RequesterRecord) string {
	if r == nil || r.Asked < 2 { // this one is among them
		return ""
	}
	asked := strconv.Itoa(r.Asked)
	if r.IsPartial {
		asked += "+"
	}
	text := asked + " asked"
	for _, count := range []struct {
		n    int
		word string
	}{{r.Rejected, "rejected"}, {r.Expired, "expired"}} {
		if count.n > 0 {
			text += ", " + strconv.Itoa(count.n) + " " + count.word
		}
	}
	return text + " in " + strconv.Itoa(domain.RecordDays) + " days"
}
