package domain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// objectEvents returns the events that an object gained after it was posted.
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

// Events reads the log as MPLP events, oldest first. next is where to go on, nil at the
// end. A key sees its group's history. A place beyond the end of the log is invalid: it
// is from before a restore, and what followed there would be missed. Needs trace.read.
func (s *Service) Events(ctx context.Context, ref Ref, f EventFilter) (list []Event, next *Cursor, err error) {
	got, err := s.readEvents(ctx, ref, f)
	if err != nil {
		return nil, nil, err
	}
	if got.more {
		next = &got.position
	}
	return got.list, next, nil
}

// eventPage is a page of events being read.
type eventPage struct {
	EventFilter
	list     []Event
	position Cursor // of the last event read, also one that the filter omits
	more     bool   // the end was not reached
	size     int    // about how many bytes the list has as JSON
}

func (s *Service) readEvents(ctx context.Context, ref Ref, f EventFilter) (*eventPage, error) {
	if f.Limit <= 0 || f.Limit > MaxPage {
		f.Limit = DefaultPage
	}
	if f.Family != "" && !slices.Contains(EventFamilies(), f.Family) && !slices.Contains(otherFamilies, f.Family) {
		return nil, Invalid("family", "enum", "There is no event family %s.", f.Family)
	}
	got := &eventPage{EventFilter: f, position: Cursor{Seq: -1}}
	if f.After != nil {
		got.position = *f.After
	}
	err := s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		if head, err := r.NextSeq(); err != nil {
			return err
		} else if got.position.Seq >= head {
			return Invalid("after", "limit", "The log has %d entries. Was it restored from a backup?", head)
		}
		types := f.entryTypes()
		if types != nil && len(types) == 0 {
			return nil
		}
		return got.read(r, p, types)
	})
	return got, err
}

func (g *eventPage) read(r Reader, p *Principal, types []string) error {
	for looked := 0; looked < scanLimit; {
		// The page before may have ended within an entry, so it is read again.
		after, before := g.position.Seq-1, g.position
		entries, err := r.Entries(EntryFilter{
			After: &after, ConfirmID: g.ConfirmID, PlanID: g.PlanID, TraceID: g.TraceID, Types: types, Limit: MaxPage,
		})
		if err != nil {
			return err
		}
		for _, e := range entries {
			visible, err := p.canSeeEntry(r, e)
			if err != nil {
				return err
			}
			if g.addEntry(e, visible); g.more {
				return nil
			}
		}
		if len(entries) < MaxPage || before == g.position {
			return nil
		}
		looked += len(entries)
	}
	g.more = true
	return nil
}

// eventOverhead is roughly the size of an event without its entry's data, in bytes.
const eventOverhead = 1 << 10

// addEntry adds the events of an entry that come after the position, while there is
// room.
func (g *eventPage) addEntry(e *evidence.Entry, visible bool) {
	for _, event := range eventsOf(e) {
		if !g.position.isBefore(event.Cursor) {
			continue
		}
		if visible && (g.Family == "" || event.Family == g.Family) && (g.Type == "" || event.Type == g.Type) {
			size := eventOverhead + len(e.Data) + len(e.Role)
			if g.more = len(g.list) == g.Limit || len(g.list) > 0 && g.size+size > cmp.Or(g.bytes, MaxPageBytes); g.more {
				return
			}
			g.list, g.size = append(g.list, event), g.size+size
		}
		g.position = event.Cursor
	}
}

// scanLimit bounds how many entries one page reads: of a long history of which a reader
// may see little, it returns that little and where to go on.
const scanLimit = 2000

// entryTypes returns the entry types whose events may pass the filter, nil for all.
// With an id, the few entries about it are read instead.
func (f *EventFilter) entryTypes() []string {
	if f.Family == "" && f.Type == "" || f.ConfirmID != "" || f.PlanID != "" || f.TraceID != "" {
		return nil
	}
	types := []string{}
	for _, t := range EntryTypes() {
		e := evidence.Entry{Type: t}
		names := append(busTypes(&e, map[string]any{"target_type": string(TargetPlan)}), t)
		if (f.Family == "" || EventFamilyOf(t) == f.Family) && (f.Type == "" || slices.Contains(names, f.Type)) {
			types = append(types, t)
		}
	}
	return types
}

// otherFamilies are official families that no entry of this server belongs to.
var otherFamilies = []string{"import_process", "intent", "delta_intent", "impact_analysis", "compensation_plan", "methodology", "reasoning_graph", "cost_budget", "external_integration"}

// canSeeEntry reports whether a reader of history may see an entry. Users see all; keys
// only what concerns their group's confirms, plans and traces. A trace may name another
// group's plan, or none that exists.
func (p *Principal) canSeeEntry(r Reader, e *evidence.Entry) (bool, error) {
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
		if e.Type == entryVoted && !c.IsFinal() {
			return false, nil // an agent must not argue with half a jury
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

// EventStart returns where FollowEvents begins: at the filter's place, or after this
// moment. It refuses what Events refuses.
func (s *Service) EventStart(ctx context.Context, ref Ref, f EventFilter) (start *Cursor, err error) {
	f.Limit = 1
	err = s.readForStream(ctx, func() error {
		if f.After == nil {
			last, err := s.LastSeq(ctx)
			if err != nil {
				return err
			}
			f.After = new(EndOfEntry(last))
		}
		start = f.After
		_, err := s.readEvents(ctx, ref, f)
		return err
	})
	return start, err
}

// FollowEvents sends missed events, then new ones, until ctx or the server ends.
func (s *Service) FollowEvents(ctx context.Context, ref Ref, f EventFilter, l Listener[Event]) error {
	f.Limit, f.bytes = pageFrames, pageBytes
	if f.After == nil {
		last, err := s.LastSeq(ctx)
		if err != nil {
			return err
		}
		f.After = new(EndOfEntry(last))
	}
	return follow(ctx, s, ref, allEntriesTopic, l, func() error {
		last, err := s.sendEvents(ctx, ref, f, l.Send)
		f.After = &last
		return err
	})
}

// sendEvents sends what there is now and returns how far it has read.
func (s *Service) sendEvents(ctx context.Context, ref Ref, f EventFilter, send func(Event) error) (last Cursor, err error) {
	for {
		var got *eventPage
		err := s.readForStream(ctx, func() (err error) {
			got, err = s.readEvents(ctx, ref, f)
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
			return got.position, nil
		}
		f.After = &got.position
	}
}
