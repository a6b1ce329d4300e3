package domain

import (
	"cmp"
	"encoding/json"
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
}

// Threshold is a number of approvals by holders of a role, for the variant that has the
// most.
type Threshold struct {
	Role                string // its name
	Approvals, Approved int
	Later               []LaterRole
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
}

// Variant is what some have approved: the request as it was asked, or as somebody edited
// it.
type Variant struct {
	First    *Decision // that approved it
	IsEdit   bool
	Approved int
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
	detail := &ConfirmVoting{Rejections: v.Requires.Rejections}
	if detail.Policies, err = matchedPolicies(r, c, v.Requires); err != nil {
		return nil, err
	}
	for i, progress := range v.progress().Quorum {
		t := Threshold{Approvals: progress.Approvals, Approved: progress.Approved}
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
	standing := v.Standing()
	for _, d := range v.decisions {
		if d.Cause != CauseHuman {
			continue
		}
		i := slices.IndexFunc(v.Votes, func(vote quorum.Vote) bool { return vote.Number == d.Seq })
		cast := CastVote{Decision: d, IsEdit: d.Status == Approved && d.EffectiveHash != c.ContentHash,
			IsReplaced: !slices.Contains(standing, d.Seq), HasLapsed: v.Votes[i].Lapsed}
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
		detail.Variants = append(detail.Variants, Variant{First: v.decisions[first], IsEdit: t.Hash != c.ContentHash, Approved: len(t.Votes)})
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
		m := MatchedPolicy{ID: named.ID, Version: named.Version}
		if i := slices.IndexFunc(logged.Policies, func(p policyFact) bool { return p.ID == named.ID }); i >= 0 {
			m.Because = logged.Policies[i].Because
		}
		versions, err := r.PolicyVersions(named.ID)
		if err != nil {
			return nil, err
		}
		for _, v := range versions {
			if v.Version != named.Version || quorum.PolicyHash([]byte(v.Document)) != named.Hash {
				continue
			}
			m.Name = v.Name
			var document policy.Document
			if json.Unmarshal([]byte(v.Document), &document) == nil {
				m.Note = document.Note
			}
		}
		if m.Name == "" {
			return nil, c.errUnproven()
		}
		list = append(list, m)
	}
	return list, nil
}
