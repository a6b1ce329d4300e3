package domain

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"

	"countersign/domain/evidence"
)

// overlooked holds the log to there being no other confirm that could speak for
// the step: one whose row is lost, or says that it is about something else,
// would give an earlier approval the word. Of confirms bound to other steps
// there is nothing to find.
func (s *Service) overlooked(r Reader, planID, stepID string, confirms []*Confirm) (bool, error) {
	all, err := s.requested.of(r, planID)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all, func(e request) bool {
		return (e.stepID == "" || e.stepID == stepID) && !slices.ContainsFunc(confirms, e.is)
	}), nil
}

// request is an entry of the log that asked for a confirm of a plan.
type request struct {
	seq               int64
	confirmID, stepID string // no step: it may speak for any
}

// is says whether the entry is of this confirm as it is stored.
func (e request) is(c *Confirm) bool {
	return c.ID == e.confirmID && c.RequestedSeq == e.seq && !c.Imported &&
		c.StepID == e.stepID && (c.Binding == BoundStep) == (e.stepID != "")
}

// Bounds of what is remembered of requests: fewer of a plan are read as quickly,
// and more of all plans are not kept.
const (
	fewRequests = 16
	maxRequests = 1 << 16
)

// requested remembers the requests that the log has of a plan, so that a query
// of a plan with many reads only those that came after them. What is remembered
// holds while the last of them is in the log as it was: nothing before it
// changes then.
type requested struct {
	mu    sync.Mutex
	known map[string]requests // by plan
	size  int
}

type requests struct {
	list []request // the oldest first; nobody changes it
	last evidence.Hash
}

// of are all requests of a plan in a snapshot of the log.
func (q *requested) of(r Reader, planID string) ([]request, error) {
	known, err := q.find(r, planID)
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
		list = append(list, request{e.Seq, e.ConfirmID, facts.StepID})
	}
	if len(list) < fewRequests {
		return list, nil
	}
	leaf, err := r.Leaf(list[len(list)-1].seq)
	if err == nil {
		q.keep(planID, requests{list, evidence.LeafHash(leaf)})
	}
	return list, err
}

// find gives what is remembered of a plan, if the snapshot has it.
func (q *requested) find(r Reader, planID string) (requests, error) {
	q.mu.Lock()
	known, ok := q.known[planID]
	q.mu.Unlock()
	if !ok {
		return requests{}, nil
	}
	leaf, err := r.Leaf(known.list[len(known.list)-1].seq)
	if errors.Is(err, ErrNotFound) || err == nil && evidence.LeafHash(leaf) != known.last {
		return requests{}, nil
	}
	return known, err
}

func (q *requested) keep(planID string, of requests) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.size += len(of.list) - len(q.known[planID].list)
	if q.known == nil || q.size > maxRequests {
		q.known, q.size = map[string]requests{}, len(of.list)
	}
	q.known[planID] = of
}
