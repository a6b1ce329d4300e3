package domain

import (
	"errors"
	"slices"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/quorum"
)

// maxVotes bounds the votes on one confirm that do not end it: everybody who looks at the
// confirm counts them.
const maxVotes = 200

// voting is the voting on a confirm that a policy matched.
type voting struct {
	*quorum.Ballot
	decisions []*Decision
}

// loadVoting returns the voting on a confirm, nil if it needs none. Votes of people who
// have lost the right since do not count.
func loadVoting(r Reader, c *Confirm, content *evidence.Content) (*voting, error) {
	requires, err := content.Quorum()
	if err != nil || (requires == nil) != (c.Quorum == 0) {
		return nil, c.errUnproven()
	}
	if requires == nil {
		return nil, nil
	}
	v := &voting{Ballot: &quorum.Ballot{Requires: requires, ReceivedAt: atEntry(c.ReceivedAt), Requester: string(c.RequestedGroup)}}
	if v.decisions, err = r.Decisions(c.RequestedSeq); err != nil {
		return nil, err
	}
	if err := c.checkVotesLogged(r, v.decisions); err != nil {
		return nil, err
	}
	for _, d := range v.decisions {
		if d.Cause != CauseHuman {
			continue
		}
		vote := voteOf(d)
		if !c.IsFinal() { // else it was counted then
			if vote.Lapsed, err = hasLapsed(r, d); err != nil {
				return nil, err
			}
		}
		v.Votes = append(v.Votes, vote)
	}
	return v, nil
}

// checkVotesLogged refuses decisions that differ from the log. Otherwise the user of a
// rejection could approve after somebody had removed its row.
func (c *Confirm) checkVotesLogged(r Reader, decisions []*Decision) error {
	entries, err := voteEntries(r, c)
	if err == nil && !c.areVotes(entries, decisions) {
		err = c.errUnproven()
	}
	return err
}

func voteEntries(r Reader, c *Confirm) ([]*evidence.Entry, error) {
	return r.Entries(EntryFilter{ConfirmID: c.ID, Type: entryVoted, Limit: maxVotes + 1})
}

// areVotes reports whether the decisions, without the one that ended the confirm, are those
// of the entries.
func (c *Confirm) areVotes(entries []*evidence.Entry, decisions []*Decision) bool {
	if c.IsFinal() {
		decisions = decisions[:max(len(decisions)-1, 0)]
	}
	return slices.EqualFunc(entries, decisions, func(e *evidence.Entry, d *Decision) bool {
		return matchesDecision(e, d) && e.EffectiveHash == d.EffectiveHash && e.Principal == d.DecidedBy.String()
	})
}

func voteOf(d *Decision) quorum.Vote {
	return quorum.Vote{Number: d.Seq, User: d.DecidedBy.String(), Role: d.RoleID, Hash: d.EffectiveHash,
		Approves: d.Status == Approved, At: atEntry(d.DecidedAt)}
}

// atEntry returns a time as entries have it. Votes are counted alike from both.
func atEntry(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// hasLapsed reports whether a voter has lost the account, the role or the capability.
func hasLapsed(r Reader, d *Decision) (bool, error) {
	user, err := r.User(d.DecidedBy.ID)
	if errors.Is(err, ErrNotFound) || err == nil && (user.Disabled || !slices.Contains(user.Roles, d.RoleID)) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	voter := &Principal{Ref: d.DecidedBy}
	for _, id := range user.Roles {
		role, err := r.Role(id)
		if err != nil {
			return false, err
		}
		voter.Roles = append(voter.Roles, role)
	}
	return slices.ContainsFunc(neededCapabilities(d), func(c Capability) bool { return !voter.Can(c) }), nil
}

// authorizeVote is authorizeDecision for a confirm with a quorum. Only users vote, and
// nobody votes on their own request. It returns the role that the vote is cast in.
func (s *Service) authorizeVote(r Reader, p *Principal, c *Confirm, v *voting, needed []Capability, asked string) (*Role, error) {
	if p.Kind != KindUser {
		return nil, refuse(CodeHumanRequired, "Policies require that people decide this. A key cannot.")
	}
	for _, capability := range needed {
		if err := p.require(capability); err != nil {
			return nil, err
		}
	}
	if own, err := p.ownRequestReason(r, c); err != nil {
		return nil, err
	} else if own != "" {
		return nil, refuse(CodeSelfApproval, "%s", own)
	}
	may := p.votingRoles(v, atEntry(s.clock()))
	if asked != "" {
		chosen, err := findRole(r, asked)
		if ErrorCode(err) == CodeInternal {
			return nil, err
		}
		if err != nil || !slices.ContainsFunc(may, func(role *Role) bool { return role.ID == chosen.ID }) {
			return nil, refuse(CodeRoleNotHeld, "You cannot vote in the role %s. You must hold it, and it must have a vote on this request now.", asked)
		}
		return chosen, nil
	}
	if len(may) == 0 {
		return nil, refuse(CodeRoleNotHeld, "You hold none of the roles that have a vote on this request now.")
	}
	return may[0], nil
}

// votingRoles returns the roles in which the principal may vote at a time, those that
// are still needed first.
func (p *Principal) votingRoles(v *voting, now time.Time) (needed []*Role) {
	var others []*Role
	missing := v.missing()
	for _, role := range p.Roles {
		seats := v.Seats(role.ID, now)
		switch {
		case len(seats) == 0:
		case slices.ContainsFunc(seats, func(seat string) bool { return slices.Contains(missing, seat) }):
			needed = append(needed, role)
		default:
			others = append(others, role)
		}
	}
	return append(needed, others...)
}

// missing returns the roles of the thresholds that no variant has met.
func (v *voting) missing() (roles []string) {
	variants := v.Variants()
	for i, s := range v.Requires.Quorum {
		if !slices.ContainsFunc(variants, func(t quorum.Tally) bool { return t.Quorum[i].Approved == s.Approvals }) {
			roles = append(roles, s.Role)
		}
	}
	return roles
}

// votingRights are the rights where votes are counted.
func (s *Service) votingRights(r Reader, p *Principal, c *Confirm, content *evidence.Content, st *DecisionRights) error {
	v, err := loadVoting(r, c, content)
	if err != nil {
		return err
	}
	now := atEntry(s.clock())
	roles, err := r.Roles()
	if err != nil {
		return err
	}
	for _, role := range roles {
		if len(v.Seats(role.ID, now)) > 0 {
			st.Who = append(st.Who, role)
		}
	}
	if p.Kind == KindUser {
		st.Roles = p.votingRoles(v, now)
	}
	_, st.Approve = s.authorizeVote(r, p, c, v, []Capability{ConfirmApprove}, "")
	_, st.Reject = s.authorizeVote(r, p, c, v, []Capability{ConfirmReject}, "")
	if v.hasRejected(p) && st.Approve == nil {
		st.Approve = refuseVote(quorum.ErrRejected)
		st.Reject = refuse(CodeAlreadyVoted, "You have rejected this. It waits for others.")
	}
	return nil
}

func (v *voting) hasRejected(p *Principal) bool {
	standing := v.Standing()
	return slices.ContainsFunc(v.decisions, func(d *Decision) bool {
		return d.DecidedBy == p.Ref && d.Status == Rejected && slices.Contains(standing, d.Seq)
	})
}
