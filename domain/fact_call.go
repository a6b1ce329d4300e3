package domain

import (
	"errors"
	"slices"
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/finding"
	"countersign/domain/reading"
)

// decidedCall is an action that a person decided on.
type decidedCall struct {
	by, tool string
	outcome  string // one of the types of action decisions
	asked    finding.CallValues
	approved finding.CallValues // in place of what was asked, of an edit
	entry    *evidence.Entry
}

// decidedCalls returns the actions of a request that a person decided on. It returns
// none if the content is forgotten, or is not what the log proves.
func decidedCalls(r Reader, e *evidence.Entry) (calls []decidedCall, err error) {
	if e.Cause != string(CauseHuman) {
		return nil, nil
	}
	past, err := readDecided(r, e.ConfirmID)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnproven) {
		return nil, nil
	}
	if err != nil || past == nil || past.decision.Seq != e.Seq {
		return nil, err
	}
	actions := past.content.Actions
	for i := range min(len(actions), len(past.decision.Actions), maxFactActions) {
		decided := past.decision.Actions[i]
		switch decided.Type {
		case ActionReject:
		case ActionApprove, ActionEdit:
			if past.confirm.Status != Approved {
				continue // the rejection of another action ended it
			}
		default:
			continue
		}
		c := decidedCall{by: past.confirm.RequestedBy.String(), tool: actions[i].Name, outcome: decided.Type, entry: e}
		c.asked = callValues(actions[i].Args)
		if decided.Type == ActionEdit {
			c.approved = callValues(decided.Args)
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// readDecided returns a request with its content and its last decision, nil if it has
// none.
func readDecided(r Reader, id string) (*pastRequest, error) {
	c, err := r.Confirm(id)
	if err != nil || c.Imported || !c.IsFinal() {
		return nil, err
	}
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, err
	}
	past := &pastRequest{confirm: c}
	if past.content, err = evidence.ParseContent(stored.Content); err != nil {
		return nil, err
	}
	decisions, err := loadDecisions(r, c)
	if err != nil || len(decisions) == 0 {
		return nil, err
	}
	past.decision = decisions[len(decisions)-1]
	return past, nil
}

// callValues returns what is remembered of arguments. Those that cannot be read have
// nothing.
func callValues(args []byte) finding.CallValues {
	v, err := reading.Parse(args)
	if err != nil {
		return finding.CallValues{}
	}
	return finding.ValuesOf(v)
}

// count counts a call into the facts that at returns by their names.
func (c decidedCall) count(at func(name string) *Fact) {
	for _, name := range []string{callsFact(c.by), toolFact(c.by, c.tool), toolFact("", c.tool)} {
		f := at(name)
		c.add(f, c.outcome)
		f.Recent += c.outcome[:1]
		f.Recent = f.Recent[max(0, len(f.Recent)-maxRecent):]
	}
	approved := c.asked
	switch c.outcome {
	case ActionReject:
		for _, v := range c.asked.Values {
			c.add(at(valueFact(c.tool, v)), ActionReject)
		}
		return
	case ActionEdit:
		approved = c.approved
		for _, v := range c.asked.Values {
			if !slices.ContainsFunc(approved.Values, v.IsSame) {
				c.add(at(valueFact(c.tool, v)), ActionEdit)
			}
		}
	}
	c.countApproved(approved, at)
}

// countApproved counts what was approved.
func (c decidedCall) countApproved(approved finding.CallValues, at func(name string) *Fact) {
	for _, v := range approved.Values {
		c.countDistinct(at(memberFact(c.tool, v.Member)), at(valueFact(c.tool, v)))
	}
	for _, p := range approved.Pairs {
		c.countDistinct(at(payeeFact(c.tool, p)), at(accountFact(c.tool, p)))
	}
	for _, sum := range approved.Sums {
		for _, by := range []string{c.by, ""} {
			f := at(sumsFact(by, c.tool, sum))
			c.add(f, ActionApprove)
			recent := append(strings.Fields(f.Recent), sum.Amount)
			f.Recent = strings.Join(recent[max(0, len(recent)-maxRecentSums):], " ")
		}
	}
}

// countDistinct counts an approved value, and among all of its kind.
func (c decidedCall) countDistinct(all, one *Fact) {
	if one.Approved == 0 {
		all.Distinct++
	}
	c.add(all, ActionApprove)
	c.add(one, ActionApprove)
}

// add adds one decision to a fact.
func (c decidedCall) add(f *Fact, outcome string) {
	if f.FirstAt.IsZero() {
		f.FirstAt = c.entry.At
	}
	f.LastAt, f.Seq = c.entry.At, c.entry.Seq
	switch outcome {
	case ActionApprove:
		f.Approved++
	case ActionReject:
		f.Rejected++
	case ActionEdit:
		f.Edited++
	}
}
