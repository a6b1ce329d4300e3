package domain

import (
	"countersign/domain/finding"
	"countersign/domain/reading"
)

// Earlier returns the precedents as the rules of findings read them.
func (p *Precedents) Earlier() *finding.Earlier {
	found := &finding.Earlier{Actions: make([]finding.EarlierCalls, len(p.Actions))}
	for i, a := range p.Actions {
		found.Actions[i] = finding.EarlierCalls{
			Superseded: a.Superseded.call(), Rejected: a.Rejected.call(), Pending: a.Pending.call(),
			Unused: a.Unused.call(), LastApproved: a.LastApproved.call(),
		}
	}
	return found
}

func (p *Precedent) call() *finding.Call {
	if p == nil {
		return nil
	}
	c := &finding.Call{Request: p.ConfirmID, IsApproved: p.Status == Approved, Reason: p.Reason, At: p.At}
	if args, err := reading.Parse(p.Args); err == nil {
		c.Args = args
	}
	return c
}
