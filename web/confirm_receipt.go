package web

import (
	"fmt"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/views"
)

func newReceipt(p *confirmPage) *views.Receipt {
	c, d := p.Confirm, p.Decisions[len(p.Decisions)-1]
	receipt := &views.Receipt{
		Status: string(c.Status), Means: consequence(c, d), Cause: p.causeWords(d), By: decider(d), Role: d.DecidedByRole, At: views.At(d.DecidedAt),
		Took: views.Span(d.DecidedAt.Sub(c.ReceivedAt)), Reason: d.Reason, Feedback: d.UserEditContent,
		ContentHash: c.ContentHash, EffectiveHash: c.EffectiveHash, LogIndex: strconv.FormatInt(d.Seq, 10),
	}
	if v := p.Voting; v != nil && d.Cause == domain.CauseHuman {
		counted := 0
		for _, vote := range v.Votes {
			if vote.IsCounted {
				counted++
			}
		}
		receipt.Cause, receipt.Votes = "decided by a vote", counted
	}
	if receipt.EffectiveHash == "" {
		receipt.EffectiveHash = c.ContentHash
	}
	if p.Reader.Can(domain.TraceRead) {
		receipt.LogURL = logEntryPath(d.Seq)
	}
	return receipt
}

// consequence returns what the agent may do now. A status alone does not say it.
func consequence(c *domain.Confirm, d *domain.Decision) string {
	approved := func(a domain.ActionDecision) bool { return a.Type != domain.ActionReject }
	switch {
	case c.Status == domain.Cancelled, c.Cause == domain.CauseTimeout:
		return "It may not run. The agent may ask again."
	case c.Status == domain.Rejected && c.Binding == domain.BoundNone && c.Actions > 1 && slices.ContainsFunc(d.Actions, approved):
		return "Only the approved actions may run."
	case c.Status == domain.Rejected && c.Actions > 1:
		return "None of the actions may run."
	case c.Status == domain.Rejected:
		return "It may not run."
	case c.EffectiveHash != "" && c.EffectiveHash != c.ContentHash:
		return "It may run with the edited arguments only."
	}
	return "It may run exactly as shown."
}

// causeWords returns who or what decided, in words.
func (p *confirmPage) causeWords(d *domain.Decision) string {
	switch d.Cause {
	case domain.CausePolicy:
		if p.RejectedBy != nil {
			return fmt.Sprintf("%s by the policy %s, version %d", d.Status, p.RejectedBy.Name, p.RejectedBy.Version)
		}
		return string(d.Status) + " by a policy"
	case domain.CauseHuman:
		return "decided by a person"
	case domain.CauseAgent:
		return "decided by an agent"
	case domain.CauseTimeout:
		if p.Voting != nil {
			approved, needed := domain.Counted(p.Voting.Thresholds)
			return fmt.Sprintf("%d of %d approvals in time", approved, needed)
		}
		return "nobody decided in time"
	case domain.CauseCancelled:
		return "cancelled without a decision"
	case domain.CauseImport:
		return "imported, not verified"
	}
	return string(d.Cause)
}
