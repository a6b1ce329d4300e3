package domain

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"countersign/domain/evidence"
)

// hasMissingConfirm reports whether the log has a request for this step whose row is
// missing or names something else. Without it an earlier approval would count.
func (s *Service) hasMissingConfirm(r Reader, planID, stepID string, confirms []*Confirm) (bool, error) {
	all, err := s.loggedRequests(r, planID)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all, func(e loggedRequest) bool {
		return (e.stepID == "" || e.stepID == stepID) && !slices.ContainsFunc(confirms, e.matches)
	}), nil
}

// loggedRequest is a log entry that requested a confirm about a plan.
type loggedRequest struct {
	seq               int64
	confirmID, stepID string // without a step it may be about any
}

// matches reports whether the entry is of this confirm as it is stored.
func (e loggedRequest) matches(c *Confirm) bool {
	return c.ID == e.confirmID && c.RequestedSeq == e.seq && !c.Imported &&
		c.StepID == e.stepID && (c.Binding == BoundStep) == (e.stepID != "")
}

// A plan with fewer requests than minCachedRequests is read as quickly without the
// cache. All plans together have at most maxCachedRequests in it.
const (
	minCachedRequests = 16
	maxCachedRequests = 1 << 16
)

// cachedRequests are the logged requests of one plan, so that the gate reads only
// newer ones. They are valid while the log still has the last one: nothing before it
// can have changed then.
type cachedRequests struct {
	list []loggedRequest // the oldest first; never modified
	last evidence.Hash
}

// loggedRequests returns all requests of a plan in a snapshot of the log.
func (s *Service) loggedRequests(r Reader, planID string) ([]loggedRequest, error) {
	known, err := s.findCachedRequests(r, planID)
	if err != nil {
		return nil, err
	}
	f := EntryFilter{PlanID: planID, Type: "confirm.requested", Limit: math.MaxInt32}
	if n := len(known.list); n > 0 {
		f.After = &known.list[n-1].seq
	}
	entries, err := r.Entries(f)
	if err != nil || len(entries) == 0 {
		return known.list, err
	}
	list := slices.Clone(known.list)
	for _, e := range entries {
		var facts struct {
			StepID string `json:"step_id"`
		}
		if err := json.Unmarshal(e.Data, &facts); err != nil {
			return nil, err
		}
		list = append(list, loggedRequest{e.Seq, e.ConfirmID, facts.StepID})
	}
	if len(list) < minCachedRequests {
		return list, nil
	}
	leaf, err := r.Leaf(list[len(list)-1].seq)
	if err == nil {
		s.requestCache.Put(planID, cachedRequests{list, evidence.LeafHash(leaf)}, len(list))
	}
	return list, err
}

// findCachedRequests returns the cached requests of a plan that this snapshot has too.
func (s *Service) findCachedRequests(r Reader, planID string) (cachedRequests, error) {
	known, ok := s.requestCache.Get(planID)
	if !ok {
		return cachedRequests{}, nil
	}
	leaf, err := r.Leaf(known.list[len(known.list)-1].seq)
	if errors.Is(err, ErrNotFound) || err == nil && evidence.LeafHash(leaf) != known.last {
		return cachedRequests{}, nil
	}
	return known, err
}
