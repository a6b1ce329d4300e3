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
		if vote.Lapsed, err = hasLapsed(r, d); err != nil {
			return nil, err
		}
		v.Votes = append(v.Votes, vote)
	}
	return v, nil
}

// checkVotesLogged refuses decisions that are not those of the log's entries: whoever
// removes the row of a rejection must not let its user approve.
func (c *Confirm) checkVotesLogged(r Reader, decisions []*Decision) error {
	entries, err := r.Entries(EntryFilter{ConfirmID: c.ID, Type: entryVoted, Limit: maxVotes + 1})
	if err != nil {
		return err
	}
	if c.IsFinal() {
		decisions = decisions[:max(len(decisions)-1, 0)]
	}
	if !slices.EqualFunc(entries, decisions, func(e *evidence.Entry, d *Decision) bool {
		return matchesDecision(e, d) && e.EffectiveHash == d.EffectiveHash && e.Principal == d.DecidedBy.String()
	}) {
		return c.errUnproven()
	}
	return nil
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

// cast counts a decision as a vote. It reports whether the decision changes anything, and
// sets Votes if it ends the confirm.
func (v *voting) cast(d *Decision) (changes, ends bool, err error) {
	vote := voteOf(d)
	if changes, err = v.Check(vote); err != nil {
		return false, false, refuseVote(err)
	}
	if changes {
		v.Votes = append(v.Votes, vote)
	}
	if d.Status == Rejected {
		d.Votes, ends = v.Rejections()
		return changes, ends, nil
	}
	tally := v.Count(d.EffectiveHash)
	d.Votes = tally.Votes
	return changes, tally.IsMet, nil
}

func refuseVote(err error) error {
	switch {
	case errors.Is(err, quorum.ErrOwnRequest):
		return refuse(CodeSelfApproval, "You cannot decide your own or your keys' requests.")
	case errors.Is(err, quorum.ErrRejected):
		return refuse(CodeAlreadyVoted, "You have rejected this. A rejection cannot become an approval.")
	}
	return refuse(CodeRoleNotHeld, "Your role has no vote on this request now.")
}

// prepareVote checks that the principal may vote so, and sets the role of the decision.
func (s *Service) prepareVote(r Reader, p *Principal, c *Confirm, v *voting, d *Decision, asked string) error {
	role, err := s.authorizeVote(r, p, c, v, neededCapabilities(d), asked)
	if err != nil {
		return err
	}
	if d.UserEditContent != "" && d.Status == Approved && v.Requires.Approvals() > 1 {
		return Invalid("user_edit_content", "quorum", "Several people must approve this, and the others would not approve these words. Edit the arguments instead, or reject.")
	}
	d.RoleID, d.DecidedByRole = role.ID, role.Name
	return nil
}

// castVote counts a decision. Unless it ends the confirm, it is written here, with the
// entry that is returned; nil if the same vote was there already.
func (s *Service) castVote(tx Tx, p *Principal, c *Confirm, v *voting, d *Decision) (entry *evidence.Entry, isFinal bool, err error) {
	if d.Seq, err = tx.NextSeq(); err != nil {
		return nil, false, err
	}
	changes, isFinal, err := v.cast(d)
	if err != nil {
		return nil, false, err
	}
	if isFinal || !changes {
		s.countVote()
		return nil, isFinal, nil
	}
	if len(v.decisions) >= maxVotes {
		return nil, false, refuse(CodeInvalidTransition, "There are %d votes on this request already. It takes a vote that decides it.", maxVotes)
	}
	s.countVote()
	d.Number, d.Votes = len(v.decisions), nil
	if d.ID == "" {
		if d.ID, err = s.newID(); err != nil {
			return nil, false, err
		}
	}
	if err := tx.InsertDecision(d); err != nil {
		return nil, false, err
	}
	facts := []any{"decision_id", d.ID, "target_type", c.TargetType, "target_id", c.TargetID, "vote", d.Status, "role_id", d.RoleID}
	if c.StepID != "" {
		facts = append(facts, "step_id", c.StepID)
	}
	entry = newDecisionEntry(entryVoted, d.DecidedByRole, c, d)
	entry.EffectiveHash, entry.Data = d.EffectiveHash, data(append(facts, findingFacts(d)...)...)
	return entry, false, s.append(tx, p, entry)
}

// endVoting prepares the last decision on a confirm with a quorum.
func (s *Service) endVoting(tx Tx, c *Confirm, d *Decision) error {
	before, err := tx.Decisions(c.RequestedSeq)
	if err != nil {
		return err
	}
	d.Number = len(before)
	return tx.DeleteConfirmRoles(c.RequestedSeq)
}

// Progress says how far the voting on a pending confirm is: numbers only, so that nobody
// argues with half a jury. The variant with the most approvals counts.
type Progress struct {
	Quorum     []quorum.Progress
	Rejections int // that end it
}

func (v *voting) progress() *Progress {
	best := v.Count("") // of no variant: nobody has approved anything
	for _, t := range v.Variants() {
		if len(t.Votes) > len(best.Votes) {
			best = t
		}
	}
	return &Progress{Quorum: best.Quorum, Rejections: v.Requires.Rejections}
}

// Counted returns how many approvals there are, and how many are needed.
func (p *Progress) Counted() (approved, needed int) {
	for _, q := range p.Quorum {
		approved, needed = approved+q.Approved, needed+q.Approvals
	}
	return approved, needed
}

// loadProgress returns how far the voting on a confirm is, nil if it needs none.
func loadProgress(r Reader, c *Confirm) (*Progress, error) {
	if c.Quorum == 0 {
		return nil, nil
	}
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return nil, err
	}
	v, err := loadVoting(r, c, content)
	if err != nil {
		return nil, err
	}
	return v.progress(), nil
}

// countedDecisions returns the decisions that led to the end of a confirm: those that
// the last one's entry names, and the last. Without a quorum that is all of them.
func countedDecisions(r Reader, c *Confirm, all []*Decision) ([]*Decision, error) {
	if c.Quorum == 0 || len(all) < 2 {
		return all, nil
	}
	last := all[len(all)-1]
	votes, err := loadVotes(r, last.Seq)
	if err != nil {
		return nil, err
	}
	var counted []*Decision
	for _, d := range all[:len(all)-1] {
		if slices.Contains(votes, d.Seq) {
			counted = append(counted, d)
		}
	}
	return append(counted, last), nil
}

// loadVotes returns the numbers of the votes that a final entry names.
func loadVotes(r Reader, seq int64) ([]int64, error) {
	entries, err := r.EntriesAt([]int64{seq})
	if err != nil {
		return nil, err
	}
	if entries[seq] == nil {
		return nil, ErrUnproven
	}
	return entries[seq].Votes(), nil
}
