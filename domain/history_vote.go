package domain

import (
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/quorum"
)

// followVoting keeps what a request requires, until it ends.
func (h *History) followVoting(e *evidence.Entry, at int32) {
	v, err := evidence.NewVoting(e)
	if err != nil {
		h.report("request %s: what it requires cannot be read: %v", e.ConfirmID, err)
	}
	if v == nil {
		return
	}
	h.votings[at] = v
	for _, p := range factsOf(e).Policies {
		h.checkPolicy(e, p)
	}
}

// checkPolicy checks that a policy that matched was in force.
func (h *History) checkPolicy(e *evidence.Entry, p policyFact) {
	if !h.partial && h.policies[p.ID] != p.Version {
		h.report("request %s was matched by the policy %s, version %d, and version %d was in force", e.ConfirmID, p.ID, p.Version, h.policies[p.ID])
	}
}

// followVote checks a vote that did not end its request, and counts it.
func (h *History) followVote(e *evidence.Entry) {
	at, c := h.findKnown(e, "a vote on")
	if c == nil {
		return
	}
	v := h.votings[at]
	switch {
	case v == nil && c.status != pastPending:
		h.report("a vote on request %s, which entry %d had decided", e.ConfirmID, c.ended)
		return
	case v == nil:
		h.report("a vote on request %s, which needs none", e.ConfirmID)
		return
	}
	f := factsOf(e)
	h.checkFindings(e, f)
	if c.at > 0 && e.At.UnixMilli() > c.at {
		h.report("a vote on request %s after its deadline", e.ConfirmID)
	}
	if Status(f.Vote) != Approved && Status(f.Vote) != Rejected || Cause(e.Cause) != CauseHuman {
		h.report("a vote on request %s that is neither an approval nor a rejection of a person", e.ConfirmID)
	}
	h.checkVoter(e, c, v, f, Status(f.Vote))
	v.Add(e)
}

// checkVoter applies the rules of Service.authorizeVote to the log.
func (h *History) checkVoter(e *evidence.Entry, c *pastConfirm, v *evidence.Voting, f facts, status Status) {
	h.checkAuthority(e, c, f, status)
	if a := h.actors[e.Principal]; a != nil && !h.partial {
		if a.isOwnRequest(h.actorList[c.by]) {
			h.report("a vote on request %s by who had requested it", e.ConfirmID)
		}
		if !slices.Contains(a.roles, f.RoleID) {
			h.report("a vote on request %s in a role that %s did not hold", e.ConfirmID, e.Principal)
		}
	}
	with := *v
	with.Add(e)
	ballot, err := with.Ballot(nil)
	if err != nil {
		h.report("a vote on request %s: %v", e.ConfirmID, err)
		return
	}
	last := len(ballot.Votes) - 1
	before := quorum.Ballot{Requires: ballot.Requires, ReceivedAt: ballot.ReceivedAt, Requester: ballot.Requester, Votes: ballot.Votes[:last]}
	changes, err := before.Check(ballot.Votes[last])
	if err != nil || !changes && e.Type == evidence.EntryVoted {
		h.report("a vote on request %s that does not count: %v", e.ConfirmID, err)
	}
}

// endVoting checks that the votes led to the end of a request.
func (h *History) endVoting(e *evidence.Entry, at int32) {
	v := h.votings[at]
	delete(h.votings, at)
	switch {
	case v == nil:
		if len(e.Votes()) > 0 {
			h.report("request %s was decided by votes, and needs none", e.ConfirmID)
		}
	case h.partial: // VerifyBundle has checked it
	default:
		if err := v.Prove(e, h.hasLapsed); err != nil {
			h.report("request %s was %s, and the votes do not prove it: %v", e.ConfirmID, e.Type, err)
		}
	}
}

// hasLapsed reports whether a voter has lost the account, the role or the capability
// since.
func (h *History) hasLapsed(e *evidence.Entry) bool {
	a, f := h.actors[e.Principal], factsOf(e)
	if a == nil || a.disabled || !slices.Contains(a.roles, f.RoleID) {
		return true
	}
	status := Approved
	if Status(f.Vote) == Rejected || e.Type == "confirm.rejected" {
		status = Rejected
	}
	held := h.heldBy(a)
	return slices.ContainsFunc(neededOf(e, status), func(c Capability) bool { return !grants(held, c) })
}

// followEscalation checks that a role that may vote later does so on a request that
// waits.
func (h *History) followEscalation(e *evidence.Entry) {
	at, c := h.findKnown(e, "an escalation of")
	if c != nil && (h.votings[at] == nil || e.Kind != string(KindSystem)) {
		h.report("an escalation of request %s, which waits for no votes", e.ConfirmID)
	}
}
