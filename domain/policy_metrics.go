package domain

import (
	"sync/atomic"

	"countersign/domain/policy"
)

// PolicyMetrics counts what policies did in this process since it started.
type PolicyMetrics struct {
	Required int64 // policies that required something of a request
	Rejected int64 // policies that rejected one
	Unknown  int64 // conditions that could not be computed
	Votes    int64 // decisions on requests with a quorum
}

type policyCounters struct{ required, rejected, unknown, votes atomic.Int64 }

// PolicyMetrics returns the counts.
func (s *Service) PolicyMetrics() PolicyMetrics {
	c := &s.policyCounters
	return PolicyMetrics{Required: c.required.Load(), Rejected: c.rejected.Load(), Unknown: c.unknown.Load(), Votes: c.votes.Load()}
}

// countMatches counts what policies said of a request.
func (s *Service) countMatches(res *policy.Resolution) {
	c := &s.policyCounters
	if res.Rejected {
		c.rejected.Add(int64(len(res.Matched)))
	} else {
		c.required.Add(int64(len(res.Matched)))
	}
	c.unknown.Add(int64(res.Unknown))
}

// countVote counts a decision on a request with a quorum.
func (s *Service) countVote() { s.policyCounters.votes.Add(1) }
