package domain

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// ConfirmVoting is what the page of a confirm says of the votes on it.
type ConfirmVoting struct {
	Thresholds []Threshold // all must be met, by one variant
	Rejections int         // that end it
	Rejected   int         // that there are
	Votes      []CastVote  // in order, with those that were replaced
	Variants   []Variant   // that have approvals, in the order of the first
	Mine       *CastVote   // the reader's that stands; nil: none
	Policies   []MatchedPolicy

	votes  *voting
	reader string
}

// Threshold is a number of approvals by holders of a role, for the variant that has the
// most.
type Threshold struct {
	Role                string // its name
	Approvals, Approved int
	Later               []LaterRole
	id                  string // of the role
}

// LaterRole may fill a threshold from a time on.
type LaterRole struct {
	Role string // its name
	From time.Time
}

// CastVote is a vote as the page shows it.
type CastVote struct {
	*Decision
	IsEdit     bool // it approves an edit
	IsReplaced bool // by a later one of the same user
	HasLapsed  bool // the voter has lost the account, the role or the capability
	IsCounted  bool // it led to the end
}

// Variant is what some have approved: the request as it was asked, or as somebody edited
// it.
type Variant struct {
	First      *Decision // that approved it
	IsEdit     bool
	Thresholds []Threshold
}

// Counted returns how many approvals thresholds have, and how many they need.
func Counted(thresholds []Threshold) (approved, needed int) {
	for _, t := range thresholds {
		approved, needed = approved+t.Approved, needed+t.Approvals
	}
	return approved, needed
}

// VoteEffect is what an approval of the reader would do.
type VoteEffect struct {
	Thresholds []Threshold // of the variant, with it
	Adds       bool        // otherwise the variant has as many approvals without it
	IsLast     bool        // it ends the request
	IsSame     bool        // the same vote stands already
}

// Approval returns what an approval by the reader would do, of the variant with an
// effective hash, cast at a time in a role with this id.
func (v *ConfirmVoting) Approval(hash, role string, at time.Time) VoteEffect {
	vote := quorum.Vote{Number: math.MaxInt64, User: v.reader, Role: role, Hash: hash, Approves: true, At: atEntry(at)}
	with := *v.votes.Ballot
	before := with.Count(hash)
	changes, err := with.Check(vote)
	if changes {
		with.Votes = append(slices.Clone(with.Votes), vote)
	}
	tally := with.Count(hash)
	e := VoteEffect{Thresholds: v.count(tally.Quorum), IsLast: tally.IsMet, IsSame: err == nil && !changes}
	approved, _ := Counted(e.Thresholds)
	had, _ := Counted(v.count(before.Quorum))
	e.Adds = approved > had
	return e
}

// count returns the thresholds with other numbers of approvals.
func (v *ConfirmVoting) count(progress []quorum.Progress) []Threshold {
	list := slices.Clone(v.Thresholds)
	for i, t := range list {
		at := slices.IndexFunc(progress, func(p quorum.Progress) bool { return p.Role == t.id })
		list[i].Approved = progress[at].Approved
	}
	return list
}

// MatchedPolicy is a policy that made the voting necessary.
type MatchedPolicy struct {
	ID      string
	Version int64
	Name    string
	Note    string // for reviewers
	Because string // why its condition is unknown; empty: it is true
}

// votingDetail returns the voting on a confirm, nil if it needs none.
func votingDetail(r Reader, p *Principal, c *Confirm, content *evidence.Content) (*ConfirmVoting, error) {
	if c.Quorum == 0 || content == nil {
		return nil, nil
	}
	v, err := loadVoting(r, c, content)
	if err != nil {
		return nil, err
	}
	detail := &ConfirmVoting{Rejections: v.Requires.Rejections, votes: v, reader: p.Ref.String()}
	if detail.Policies, err = matchedPolicies(r, c, v.Requires); err != nil {
		return nil, err
	}
	for i, progress := range v.progress().Quorum {
		t := Threshold{id: progress.Role, Approvals: progress.Approvals, Approved: progress.Approved}
		if t.Role, err = roleName(r, progress.Role); err != nil {
			return nil, err
		}
		for _, also := range v.Requires.Quorum[i].Also {
			name, err := roleName(r, also.Role)
			if err != nil {
				return nil, err
			}
			t.Later = append(t.Later, LaterRole{name, c.ReceivedAt.Add(time.Duration(also.After) * time.Second)})
		}
		detail.Thresholds = append(detail.Thresholds, t)
	}
	slices.SortFunc(detail.Thresholds, func(a, b Threshold) int { return cmp.Compare(a.Role, b.Role) })
	standing, counted := v.Standing(), []*Decision(nil)
	if c.IsFinal() && c.Cause == CauseHuman {
		if counted, err = countedDecisions(r, c, v.decisions); err != nil {
			return nil, err
		}
	}
	for _, d := range v.decisions {
		if d.Cause != CauseHuman {
			continue
		}
		i := slices.IndexFunc(v.Votes, func(vote quorum.Vote) bool { return vote.Number == d.Seq })
		cast := CastVote{Decision: d, IsEdit: d.Status == Approved && d.EffectiveHash != c.ContentHash,
			IsReplaced: !slices.Contains(standing, d.Seq), HasLapsed: v.Votes[i].Lapsed, IsCounted: slices.Contains(counted, d)}
		detail.Votes = append(detail.Votes, cast)
		if !cast.IsReplaced && d.DecidedBy == p.Ref {
			detail.Mine = &cast
		}
		if !cast.IsReplaced && d.Status == Rejected && !cast.HasLapsed {
			detail.Rejected++
		}
	}
	for _, t := range v.Variants() {
		first := slices.IndexFunc(v.decisions, func(d *Decision) bool { return d.EffectiveHash == t.Hash && d.Status == Approved })
		detail.Variants = append(detail.Variants, Variant{First: v.decisions[first], IsEdit: t.Hash != c.ContentHash, Thresholds: detail.count(t.Quorum)})
	}
	return detail, nil
}

// roleName returns the name of a role, or its id if it no longer exists.
func roleName(r Reader, id string) (string, error) {
	role, err := r.Role(id)
	if ignoreNotFound(err) != nil {
		return "", err
	}
	if err != nil {
		return id, nil
	}
	return role.Name, nil
}

// matchedPolicies returns the policies that a request names, with the reasons that its
// entry gives.
func matchedPolicies(r Reader, c *Confirm, requires *quorum.Requires) (list []MatchedPolicy, err error) {
	entries, err := r.EntriesAt([]int64{c.RequestedSeq})
	if err != nil {
		return nil, err
	}
	var logged struct {
		Policies []policyFact `json:"policies"`
	}
	if e := entries[c.RequestedSeq]; e == nil || json.Unmarshal(e.Data, &logged) != nil {
		return nil, c.errUnproven()
	}
	for _, named := range requires.Policies {
		m, err := matchedPolicy(r, c, named)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(logged.Policies, func(p policyFact) bool { return p.ID == named.ID }); i >= 0 {
			m.Because = logged.Policies[i].Because
		}
		list = append(list, *m)
	}
	return list, nil
}

func matchedPolicy(r Reader, c *Confirm, named quorum.PolicyRef) (*MatchedPolicy, error) {
	versions, err := r.PolicyVersions(named.ID)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.Version != named.Version || quorum.PolicyHash([]byte(v.Document)) != named.Hash {
			continue
		}
		m := &MatchedPolicy{ID: named.ID, Version: named.Version, Name: v.Name}
		var document policy.Document
		if json.Unmarshal([]byte(v.Document), &document) == nil {
			m.Note = document.Note
		}
		return m, nil
	}
	return nil, c.errUnproven()
}

// rejectingPolicy returns the policy that rejected a confirm, nil if none did.
func rejectingPolicy(r Reader, c *Confirm) (*MatchedPolicy, error) {
	if c.Cause != CausePolicy || c.Imported {
		return nil, nil
	}
	entries, err := r.EntriesAt([]int64{c.DecidedSeq})
	if err != nil {
		return nil, err
	}
	var logged struct {
		Policy *quorum.PolicyRef `json:"policy"`
	}
	if e := entries[c.DecidedSeq]; e == nil || json.Unmarshal(e.Data, &logged) != nil || logged.Policy == nil {
		return nil, c.errUnproven()
	}
	return matchedPolicy(r, c, *logged.Policy)
}
