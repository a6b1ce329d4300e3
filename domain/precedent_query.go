package domain

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"countersign/domain/evidence"
)

// Limits of looking for precedents.
const (
	maxCallHits       = 50                  // requests that are considered for an action
	maxPrecedentReads = 3                   // of these, how many are read for one question
	rejectionAge      = 90 * 24 * time.Hour // a rejection that is older says little
	unusedAge         = 24 * time.Hour      // most agents run what was approved without consuming it
)

// precedentQuery looks for the precedents of one request.
type precedentQuery struct {
	r    Reader
	p    *Principal
	of   *ConfirmDetail
	now  time.Time
	read map[string]*pastRequest // by id; nil: not to be shown
}

// pastRequest is another request as the log proves it.
type pastRequest struct {
	confirm  *Confirm
	content  *evidence.Content // nil: it was forgotten
	decision *Decision         // nil: it is pending, or was cancelled
}

func (q *precedentQuery) run() (found Precedents, err error) {
	var before *pastRequest
	if id := q.of.Confirm.Supersedes; id != "" {
		if before, err = q.load(id); err != nil {
			return found, err
		}
	}
	if before != nil && before.confirm.RequestedGroup == q.of.Confirm.RequestedGroup { // anybody may name a request
		found.Superseded = before.whole()
	} else {
		before = nil
	}
	actions := q.of.Content.Actions
	for i := range actions[:min(len(actions), MaxPrecedentActions)] {
		of, err := q.ofAction(&actions[i])
		if err != nil {
			return found, err
		}
		if before != nil {
			of.Superseded = before.action(before.indexOf(actions, i))
		}
		found.Actions = append(found.Actions, of)
	}
	return found, nil
}

// ofAction finds the precedents of an action outside of what the request supersedes.
func (q *precedentQuery) ofAction(a *evidence.Action) (found ActionPrecedents, err error) {
	c, visible := q.of.Confirm, q.p.confirmVisibility()
	same, err := q.r.ConfirmsOfCall(CallFilter{Digest: callDigest(a), Except: c.RequestedSeq, Visible: visible}, maxCallHits)
	if err != nil {
		return found, err
	}
	if err := q.ofSameCall(same, a, &found); err != nil {
		return found, err
	}
	like, err := q.r.ConfirmsOfCall(CallFilter{Tool: a.Name, By: c.RequestedBy, Except: c.RequestedSeq, Visible: visible}, maxCallHits)
	if err != nil {
		return found, err
	}
	found.LastApproved, _, err = q.first(like, Approved, func(past *pastRequest) int {
		if past.confirm.RequestedBy != c.RequestedBy || past.decision.Cause != CauseHuman {
			return -1
		}
		return past.find(func(asked *evidence.Action) bool { return asked.Name == a.Name })
	})
	return found, err
}

// ofSameCall finds the precedents of a call among the requests with exactly this call.
func (q *precedentQuery) ofSameCall(same []CallHit, a *evidence.Action, found *ActionPrecedents) (err error) {
	hash := argsHash(a)
	isSame := func(past *pastRequest) int {
		return past.find(func(asked *evidence.Action) bool { return asked.Name == a.Name && argsHash(asked) == hash })
	}
	if !q.of.Confirm.IsFinal() {
		if found.Pending, _, err = q.first(same, Pending, isSame); err != nil {
			return err
		}
	}
	yes, approved, err := q.first(same, Approved, func(past *pastRequest) int {
		if i := isSame(past); i >= 0 && past.decision.Actions[i].ArgsHash == hash {
			return i
		}
		return -1
	})
	if err != nil {
		return err
	}
	no, rejected, err := q.first(same, Rejected, func(past *pastRequest) int {
		i := isSame(past)
		if i < 0 || past.decision.Cause != CauseHuman || past.decision.Actions[i].Type != ActionReject || q.now.Sub(past.decision.DecidedAt) > rejectionAge {
			return -1
		}
		return i
	})
	if err != nil {
		return err
	}
	// Who approved it after a rejection has the last word.
	if no != nil && (yes == nil || approved.decision.Cause != CauseHuman || approved.decision.Seq < rejected.decision.Seq) {
		found.Rejected = no
	}
	if yes == nil {
		return nil
	}
	unused, err := q.isUnused(approved, isSame(approved))
	if unused {
		found.Unused = yes
	}
	return err
}

// first returns the newest hit with a status in which match finds an action, of those
// that had happened when the request was decided. It reads only a few.
func (q *precedentQuery) first(hits []CallHit, status Status, match func(*pastRequest) int) (*Precedent, *pastRequest, error) {
	reads := 0
	for _, hit := range hits {
		if hit.Status != status || reads == maxPrecedentReads {
			continue
		}
		reads++
		past, err := q.load(hit.ID)
		if err != nil {
			return nil, nil, err
		}
		if past == nil || past.content == nil || past.confirm.Status != status || q.of.Confirm.IsFinal() && past.confirm.DecidedSeq > q.of.Confirm.DecidedSeq {
			continue
		}
		if i := match(past); i >= 0 {
			return past.action(i), past, nil
		}
	}
	return nil, nil, nil
}

// load reads another request, nil if it is not to be shown.
func (q *precedentQuery) load(id string) (*pastRequest, error) {
	if past, known := q.read[id]; known {
		return past, nil
	}
	past, err := q.loadProven(id)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnproven) {
		past, err = nil, nil
	}
	q.read[id] = past
	return past, err
}

func (q *precedentQuery) loadProven(id string) (*pastRequest, error) {
	c, err := q.r.Confirm(id)
	if err != nil || !q.p.canSee(c) || c.Imported || c.IsDue(q.now) {
		return nil, err
	}
	past := &pastRequest{confirm: c}
	stored, err := loadContent(q.r, c)
	if err == nil {
		past.content, err = evidence.ParseContent(stored.Content)
	}
	if ignoreNotFound(err) != nil {
		return nil, err
	}
	decisions, err := loadDecisions(q.r, c)
	if err == nil && c.IsFinal() && len(decisions) > 0 {
		past.decision = decisions[len(decisions)-1]
	}
	return past, err
}

// isUnused reports whether an approval is recent and no execution has used this part.
func (q *precedentQuery) isUnused(past *pastRequest, i int) (bool, error) {
	if q.now.Sub(past.decision.DecidedAt) > unusedAge {
		return false, nil
	}
	_, err := q.r.Consumption(past.confirm.RequestedSeq, "action:"+strconv.Itoa(i))
	return errors.Is(err, ErrNotFound), ignoreNotFound(err)
}

// find returns the index of the first action that matches, -1 if none does.
func (p *pastRequest) find(match func(*evidence.Action) bool) int {
	for i := range p.content.Actions {
		if match(&p.content.Actions[i]) && (p.decision == nil || i < len(p.decision.Actions)) {
			return i
		}
	}
	return -1
}

// indexOf returns the action that actions[i] replaces: in the same place, or else the
// only one of its tool. It returns -1 if there is none.
func (p *pastRequest) indexOf(actions []evidence.Action, i int) int {
	if p.content == nil {
		return -1
	}
	name, found := actions[i].Name, -1
	if i < len(p.content.Actions) && p.content.Actions[i].Name == name {
		return i
	}
	for at := range p.content.Actions {
		if p.content.Actions[at].Name != name {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = at
	}
	return found
}

// whole describes the request without its actions.
func (p *pastRequest) whole() *Precedent {
	c := p.confirm
	found := &Precedent{ConfirmID: c.ID, RequestedBy: c.RequestedByName, Status: c.Status, Cause: c.Cause, At: c.ReceivedAt}
	if d := p.decision; d != nil {
		found.DecidedBy, found.Reason, found.At = d.DecidedByName, d.Reason, d.DecidedAt
	}
	return found
}

// action describes an action of the request, nil if there is no such action.
func (p *pastRequest) action(i int) *Precedent {
	if p.content == nil || i < 0 || i >= len(p.content.Actions) {
		return nil
	}
	found := p.whole()
	found.Args = p.content.Actions[i].Args
	if p.decision == nil || i >= len(p.decision.Actions) {
		return found
	}
	d := p.decision.Actions[i]
	found.Status, found.Reason = Approved, cmp.Or(d.Message, p.decision.Reason)
	switch {
	case d.Type == ActionReject:
		found.Status = Rejected
	case d.Type == ActionEdit:
		found.Args, found.Edited = d.Args, true
	}
	return found
}
