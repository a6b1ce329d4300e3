package domain

import (
	"context"
	"fmt"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// objectEvents are the events that an object gained after it was posted
// (requirements C-15, P-4b), to follow those that came with it.
func objectEvents(entries []*evidence.Entry) (list []mplp.Raw) {
	for _, e := range entries {
		list = append(list, eventsOf(e)[0].object())
	}
	return list
}

// Entry types whose events an object shows as its own.
var (
	confirmEntries = []string{"confirm.approved", "confirm.rejected", "confirm.cancelled", "confirm.consumed"}
	planEntries    = []string{"plan.revised", "plan.proposed", "plan.approved", "plan.rejected", "plan.started", "plan.completed", "plan.failed", "plan.cancelled"}
)

// Events reads the log as MPLP events, oldest first; next is where to go on, nil
// at the end. Needs trace.read; a key sees its group's history. A place that the
// log has not reached is invalid: it is one of a log that a restore has taken
// back, and what followed there would be missed unnoticed.
func (s *Service) Events(ctx context.Context, ref Ref, f EventFilter) (list []Event, next *Cursor, err error) {
	list, last, more, err := s.events(ctx, ref, f)
	if more {
		next = &last
	}
	return list, next, err
}

// events also says how far it has read: past everything that the filter or the
// reader's rights left out.
func (s *Service) events(ctx context.Context, ref Ref, f EventFilter) (list []Event, last Cursor, more bool, err error) {
	if f.Limit <= 0 || f.Limit > MaxPage {
		f.Limit = DefaultPage
	}
	if f.Family != "" && !slices.Contains(Families(), f.Family) && !slices.Contains(otherFamilies, f.Family) {
		return nil, last, false, Invalid("family", "enum", "There is no event family %s.", f.Family)
	}
	last = Cursor{Seq: -1}
	if f.After != nil {
		last = *f.After
	}
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		if head, err := r.NextSeq(); err != nil {
			return err
		} else if last.Seq >= head {
			return Invalid("after", "limit", "The log has %d entries. Was it restored from a backup since?", head)
		}
		types := f.entryTypes()
		if types != nil && len(types) == 0 {
			return nil
		}
		for looked := 0; ; {
			// An entry may have been given in part, so it is read again.
			after, before := last.Seq-1, last
			entries, err := r.Entries(EntryFilter{
				After: &after, ConfirmID: f.ConfirmID, PlanID: f.PlanID, TraceID: f.TraceID, Types: types, Limit: MaxPage,
			})
			if err != nil {
				return err
			}
			for _, e := range entries {
				visible, err := p.seesEntry(r, e)
				if err != nil {
					return err
				}
				for _, event := range eventsOf(e) {
					if !last.before(event.Cursor) {
						continue
					}
					if visible && (f.Family == "" || event.Family == f.Family) && (f.Type == "" || event.Type == f.Type) {
						if len(list) == f.Limit {
							more = true
							return nil
						}
						list = append(list, event)
					}
					last = event.Cursor
				}
			}
			if len(entries) < MaxPage || before == last {
				return nil
			}
			if looked += len(entries); looked >= maxLooked {
				more = true
				return nil
			}
		}
	})
	return list, last, more, err
}

// maxLooked is how many entries one reading looks at, at the most: of a long
// history that few may see it gives the few, or none, and where to go on.
const maxLooked = 2000

// entryTypes are those of which some event may pass the filter; nil for all.
// With an id the few entries about it are read instead.
func (f *EventFilter) entryTypes() []string {
	if f.Family == "" && f.Type == "" || f.ConfirmID != "" || f.PlanID != "" || f.TraceID != "" {
		return nil
	}
	types := []string{}
	for _, t := range EntryTypes() {
		e := evidence.Entry{Type: t}
		names := append(busTypes(&e, map[string]any{"target_type": string(TargetPlan)}), t)
		if (f.Family == "" || FamilyOf(t) == f.Family) && (f.Type == "" || slices.Contains(names, f.Type)) {
			types = append(types, t)
		}
	}
	return types
}

// otherFamilies are those of the official list that nothing here belongs to.
var otherFamilies = []string{"import_process", "intent", "delta_intent", "impact_analysis", "compensation_plan", "methodology", "reasoning_graph", "cost_budget", "external_integration"}

// seesEntry says whether a reader of history may see an entry: a user all, a
// key only what concerns its group's confirms, plans and traces. A trace may name a
// plan that is another group's, or that there is not.
func (p *Principal) seesEntry(r Reader, e *evidence.Entry) (bool, error) {
	if p.Kind != KindAgent {
		return true, nil
	}
	group := func(g Group, err error) (bool, error) {
		if err != nil {
			return false, fmt.Errorf("entry %d: %w", e.Seq, err)
		}
		return g == p.Group, nil
	}
	switch {
	case e.ConfirmID != "":
		c, err := r.Confirm(e.ConfirmID)
		if err != nil {
			return group("", err)
		}
		return group(c.RequestedGroup, nil)
	case e.Type == "trace.created":
		t, err := r.Trace(e.ObjectID)
		if err != nil {
			return group("", err)
		}
		return group(t.Group, nil)
	case e.PlanID != "":
		plan, err := r.Plan(e.PlanID)
		if err != nil {
			return group("", err)
		}
		return group(plan.Group, nil)
	}
	return false, nil
}

// FollowEvents sends events as they happen, first what was missed, until ctx or
// the server ends.
func (s *Service) FollowEvents(ctx context.Context, ref Ref, f EventFilter, send func(Event) error) error {
	if f.After == nil {
		last, err := s.LastSeq(ctx)
		if err != nil {
			return err
		}
		f.After = new(EndOf(last))
	}
	sub := s.feed.Subscribe()
	defer func() { sub.Close() }()
	for {
		last, err := s.sendEvents(ctx, ref, f, send)
		if err != nil {
			return err
		}
		f.After = &last
		select {
		case _, ok := <-sub.Entries():
			if !ok && s.feedClosed() {
				return nil
			} else if !ok {
				sub = s.feed.Subscribe() // it was too slow: reading the log catches up
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sendEvents sends what there is now, and says how far it has read.
func (s *Service) sendEvents(ctx context.Context, ref Ref, f EventFilter, send func(Event) error) (last Cursor, err error) {
	for more := true; more; f.After = &last {
		var list []Event
		if list, last, more, err = s.events(ctx, ref, f); err != nil {
			return last, err
		}
		for _, event := range list {
			if err := send(event); err != nil {
				return last, err
			}
		}
	}
	return last, nil
}
