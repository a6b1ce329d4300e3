package domain

import (
	"cmp"
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
	got, err := s.events(ctx, ref, f)
	if err != nil {
		return nil, nil, err
	}
	if got.more {
		next = &got.last
	}
	return got.list, next, nil
}

// eventReading is what one reading of the log gives.
type eventReading struct {
	EventFilter
	list []Event
	last Cursor // how far it has read: past what the filter or the reader's rights left out
	more bool   // it has not come to the end
	size int    // about how many bytes the list has as JSON
}

func (s *Service) events(ctx context.Context, ref Ref, f EventFilter) (*eventReading, error) {
	if f.Limit <= 0 || f.Limit > MaxPage {
		f.Limit = DefaultPage
	}
	if f.Family != "" && !slices.Contains(Families(), f.Family) && !slices.Contains(otherFamilies, f.Family) {
		return nil, Invalid("family", "enum", "There is no event family %s.", f.Family)
	}
	got := &eventReading{EventFilter: f, last: Cursor{Seq: -1}}
	if f.After != nil {
		got.last = *f.After
	}
	err := s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		if head, err := r.NextSeq(); err != nil {
			return err
		} else if got.last.Seq >= head {
			return Invalid("after", "limit", "The log has %d entries. Was it restored from a backup since?", head)
		}
		types := f.entryTypes()
		if types != nil && len(types) == 0 {
			return nil
		}
		return got.read(r, p, types)
	})
	return got, err
}

func (g *eventReading) read(r Reader, p *Principal, types []string) error {
	for looked := 0; looked < maxLooked; {
		// An entry may have been given in part, so it is read again.
		after, before := g.last.Seq-1, g.last
		entries, err := r.Entries(EntryFilter{
			After: &after, ConfirmID: g.ConfirmID, PlanID: g.PlanID, TraceID: g.TraceID, Types: types, Limit: MaxPage,
		})
		if err != nil {
			return err
		}
		for _, e := range entries {
			visible, err := p.seesEntry(r, e)
			if err != nil {
				return err
			}
			if g.take(e, visible); g.more {
				return nil
			}
		}
		if len(entries) < MaxPage || before == g.last {
			return nil
		}
		looked += len(entries)
	}
	g.more = true
	return nil
}

// eventOverhead is about how many bytes an event has beside what its entry says.
const eventOverhead = 1 << 10

// take adds the events of an entry that are still to be given, while there is
// room.
func (g *eventReading) take(e *evidence.Entry, visible bool) {
	for _, event := range eventsOf(e) {
		if !g.last.before(event.Cursor) {
			continue
		}
		if visible && (g.Family == "" || event.Family == g.Family) && (g.Type == "" || event.Type == g.Type) {
			size := eventOverhead + len(e.Data) + len(e.Role)
			if g.more = len(g.list) == g.Limit || len(g.list) > 0 && g.size+size > cmp.Or(g.bytes, MaxPageBytes); g.more {
				return
			}
			g.list, g.size = append(g.list, event), g.size+size
		}
		g.last = event.Cursor
	}
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

// EventStart is where FollowEvents begins for a listener who has heard up to the
// filter's place: there, or after this moment. What Events refuses is refused.
func (s *Service) EventStart(ctx context.Context, ref Ref, f EventFilter) (start *Cursor, err error) {
	f.Limit = 1
	err = s.aside(ctx, func() error {
		if f.After == nil {
			last, err := s.LastSeq(ctx)
			if err != nil {
				return err
			}
			f.After = new(EndOf(last))
		}
		start = f.After
		_, err := s.events(ctx, ref, f)
		return err
	})
	return start, err
}

// FollowEvents sends events as they happen, first what was missed, until ctx or
// the server ends.
func (s *Service) FollowEvents(ctx context.Context, ref Ref, f EventFilter, l Listener[Event]) error {
	f.Limit, f.bytes = pageFrames, pageBytes
	if f.After == nil {
		last, err := s.LastSeq(ctx)
		if err != nil {
			return err
		}
		f.After = new(EndOf(last))
	}
	return follow(ctx, s, ref, everyEntry, l, func() error {
		last, err := s.sendEvents(ctx, ref, f, l.Send)
		f.After = &last
		return err
	})
}

// sendEvents sends what there is now, and says how far it has read.
func (s *Service) sendEvents(ctx context.Context, ref Ref, f EventFilter, send func(Event) error) (last Cursor, err error) {
	for {
		var got *eventReading
		err := s.aside(ctx, func() (err error) {
			got, err = s.events(ctx, ref, f)
			return err
		})
		if err != nil {
			return last, err
		}
		for _, event := range got.list {
			if err := send(event); err != nil {
				return last, err
			}
		}
		if !got.more {
			return got.last, nil
		}
		f.After = &got.last
	}
}
