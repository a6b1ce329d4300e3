package policy

import (
	"cmp"
	"slices"

	"countersign/domain/quorum"
)

// Policy is an enabled version of a policy.
type Policy struct {
	ID      string
	Version int64
	*Compiled
}

// Resolution is what policies say of a post.
type Resolution struct {
	Matched  []Matched        // the policies that count, in the order given: rejecting or requiring ones
	Rejected bool             // a policy rejects it; its note is that of Matched[0]
	Requires *quorum.Requires // nil: nothing matched, or it is rejected
	Timeout  int64            // seconds; 0: neither a policy nor the agent names one
	Unknown  int              // conditions that were unknown, of all policies
}

// Matched is a policy that matched.
type Matched struct {
	Policy
	Action  int    // index of the action that it matched by; -1: the request as a whole
	Because string // why the condition is unknown, such as "args.amount is missing"; empty: it is true
}

// Resolve looks at every policy. A rejection beats all; otherwise everything that is
// required counts, the strictest of each.
func Resolve(policies []Policy, post *Post) *Resolution {
	r := newRequest(post)
	res := &Resolution{Timeout: post.Timeout}
	for _, p := range policies {
		value, action, because := p.evaluate(r)
		if value == isFalse {
			continue
		}
		if value == isUnknown {
			res.Unknown++
		}
		res.Matched = append(res.Matched, Matched{Policy: p, Action: action, Because: because})
	}
	isReject := func(m Matched) bool { return m.Effect == Reject }
	if res.Rejected = slices.ContainsFunc(res.Matched, isReject); res.Rejected {
		res.Matched = slices.DeleteFunc(res.Matched, func(m Matched) bool { return !isReject(m) })
		return res
	}
	if len(res.Matched) > 0 {
		res.merge(post.RequiredRole)
	}
	return res
}

// merge combines what the matching policies require.
func (res *Resolution) merge(requiredRole string) {
	r := &quorum.Requires{Rejections: MaxApprovals}
	if requiredRole != "" {
		raise(r, Threshold{Role: requiredRole, Approvals: 1})
	}
	for _, m := range res.Matched {
		r.Policies = append(r.Policies, quorum.PolicyRef{ID: m.ID, Version: m.Version, Hash: m.Hash})
		for _, t := range m.Quorum {
			raise(r, t)
		}
		r.Rejections = min(r.Rejections, cmp.Or(m.Rejections, 1))
		if m.Timeout > 0 && (res.Timeout == 0 || m.Timeout < res.Timeout) {
			res.Timeout = m.Timeout
		}
	}
	for i := range r.Quorum {
		r.Quorum[i].Also = res.escalations(r.Quorum[i].Role, requiredRole)
	}
	slices.SortFunc(r.Quorum, func(a, b quorum.Seat) int { return cmp.Compare(a.Role, b.Role) })
	for _, s := range r.Quorum {
		slices.SortFunc(s.Also, func(a, b quorum.Also) int { return cmp.Or(cmp.Compare(a.After, b.After), cmp.Compare(a.Role, b.Role)) })
	}
	res.Requires = r
}

// raise adds a threshold, or raises the one of the role.
func raise(r *quorum.Requires, t Threshold) {
	i := slices.IndexFunc(r.Quorum, func(s quorum.Seat) bool { return s.Role == t.Role })
	if i < 0 {
		r.Quorum = append(r.Quorum, quorum.Seat{Role: t.Role, Approvals: t.Approvals})
		return
	}
	r.Quorum[i].Approvals = max(r.Quorum[i].Approvals, t.Approvals)
}

// escalations returns who may fill a threshold later: the roles that everybody lets who
// asks for the threshold, from the latest of their times. Otherwise one policy would
// loosen another, or what the agent asked for.
func (res *Resolution) escalations(threshold, requiredRole string) (list []quorum.Also) {
	if threshold == requiredRole {
		return nil
	}
	isFirst := true
	for _, m := range res.Matched {
		if !slices.ContainsFunc(m.Quorum, func(t Threshold) bool { return t.Role == threshold }) {
			continue
		}
		var both []quorum.Also
		for _, e := range m.Escalate {
			i := slices.IndexFunc(list, func(a quorum.Also) bool { return a.Role == e.Role })
			switch {
			case e.For != threshold || i < 0 && !isFirst:
			case isFirst:
				both = append(both, quorum.Also{Role: e.Role, After: e.After})
			default:
				both = append(both, quorum.Also{Role: e.Role, After: max(e.After, list[i].After)})
			}
		}
		list, isFirst = both, false
	}
	return list
}
