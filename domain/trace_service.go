package domain

import (
	"context"
	"errors"
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// CreateTrace stores a posted trace as it is. Needs plan.execute.
func (s *Service) CreateTrace(ctx context.Context, ref Ref, in *mplp.TraceObject) (t *Trace, err error) {
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.needs(PlanExecute); err != nil {
			return err
		}
		t = &Trace{ID: in.ID, ContextID: in.ContextID, PlanID: in.PlanID, Status: in.Status, Locked: in.Locked,
			RequestedBy: p.Ref, Group: p.Group, CreatedAt: s.clock()}
		if t.ID == "" {
			if t.ID, err = s.newID(); err != nil {
				return err
			}
		} else if _, err := tx.Trace(t.ID); err == nil {
			return refuse(CodeIDTaken, "There is a trace with the id %s already.", t.ID)
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		t.Native = mplp.CompleteTrace(in.Native, t.ID)
		if err := tx.InsertTrace(t); err != nil {
			return taken(err, "trace")
		}
		return s.log(tx, p, evidence.Entry{Type: "trace.created", ObjectID: t.ID, TraceID: t.ID, PlanID: t.PlanID, Data: data("status", t.Status, "requested_group", t.Group)})
	})
	return t, err
}

// Trace finds a posted trace. Its poster sees it, and whoever holds trace.read;
// a key only its group's.
func (s *Service) Trace(ctx context.Context, ref Ref, id string) (t *Trace, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if t, err = r.Trace(id); err != nil {
			return found(err, "trace")
		}
		if !t.seenBy(p) {
			return notFound("trace")
		}
		return nil
	})
	return t, err
}

// TraceHistory is what the server knows of a trace.
type TraceHistory struct {
	Posted  *Trace            // nil: nobody posted it as an object
	Entries []*evidence.Entry // what the log says of it, oldest first
	More    bool              // the log says more than that
	// Plans are the plans that Entries tell of, by id, as they are now: the log does
	// not repeat what is in them.
	Plans map[string]*mplp.Plan
}

// maxHistory is how many entries of a trace a page shows; the log has the rest.
const maxHistory = MaxPage

// TraceHistory reads the log about one trace. Needs trace.read; without it,
// another's trace is like one that does not exist.
func (s *Service) TraceHistory(ctx context.Context, ref Ref, id string) (h *TraceHistory, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		h = &TraceHistory{}
		if h.Posted, err = r.Trace(id); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if h.Entries, err = r.Entries(EntryFilter{TraceID: id, Limit: maxHistory + 1}); err != nil {
			return err
		}
		own := h.Posted != nil && h.Posted.Group == p.Group
		if known := h.Posted != nil || len(h.Entries) > 0; !known || !own && !p.Can(TraceRead) {
			return notFound("trace")
		}
		if len(h.Entries) > maxHistory {
			h.Entries, h.More = h.Entries[:maxHistory], true
		}
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		h.Plans, err = s.plansOf(r, h.Entries)
		return err
	})
	return h, err
}

// plansOf are the plans whose changes the entries are.
func (s *Service) plansOf(r Reader, entries []*evidence.Entry) (map[string]*mplp.Plan, error) {
	plans := map[string]*mplp.Plan{}
	for _, e := range entries {
		family, _, _ := strings.Cut(e.Type, ".")
		if plans[e.PlanID] != nil || family != "plan" && family != "step" {
			continue
		}
		plan, err := r.Plan(e.PlanID)
		if errors.Is(err, ErrNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		if plans[e.PlanID], err = s.planDocument(r, plan); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func (t *Trace) seenBy(p *Principal) bool { return t.Group == p.Group || p.readsTraces() }

func (p *Principal) readsTraces() bool { return p.Kind != KindAgent && p.Can(TraceRead) }

// Traces lists the traces that the reader may see, newest first.
func (s *Service) Traces(ctx context.Context, ref Ref, page Page) (list []*Trace, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, next, err = r.Traces(TraceFilter{Visible: Visibility{All: p.readsTraces(), Group: p.Group}}, page)
		return err
	})
	return list, next, err
}
