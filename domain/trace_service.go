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
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(PlanExecute); err != nil {
			return err
		}
		t = &Trace{ID: in.ID, ContextID: in.ContextID, PlanID: in.PlanID, Status: in.Status, Locked: in.Locked,
			RequestedBy: p.Ref, Group: p.Group, CreatedAt: s.clock()}
		if t.ID == "" {
			if t.ID, err = s.newID(); err != nil {
				return err
			}
		} else if _, err := tx.Trace(t.ID); err == nil {
			return refuse(CodeIDTaken, "There already is a trace with the id %s.", t.ID)
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		t.Native = mplp.CompleteTrace(in.Native, t.ID)
		if err := tx.InsertTrace(t); err != nil {
			return conflictOr(err, "trace")
		}
		return s.log(tx, p, evidence.Entry{Type: "trace.created", ObjectID: t.ID, TraceID: t.ID, PlanID: t.PlanID, Data: data("status", t.Status, "requested_group", t.Group)})
	})
	return t, err
}

// Trace returns a posted trace. Its poster may see it, and users with trace.read.
func (s *Service) Trace(ctx context.Context, ref Ref, id string) (t *Trace, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if t, err = r.Trace(id); err != nil {
			return notFoundOr(err, "trace")
		}
		if !t.isVisibleTo(p) {
			return errNotFound("trace")
		}
		return nil
	})
	return t, err
}

// TraceHistory is what the server knows of a trace.
type TraceHistory struct {
	Posted  *Trace            // nil: nobody posted it as an object
	Entries []*evidence.Entry // oldest first
	More    bool              // the log has more entries
	// Plans are the plans that Entries are about, by id, as they are now: the log does
	// not repeat their texts.
	Plans map[string]*mplp.Plan
}

// maxHistory is how many entries of a trace a page shows.
const maxHistory = MaxPage

// TraceHistory reads the log about one trace. Needs trace.read. Without it, another
// group's trace is not found.
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
			return errNotFound("trace")
		}
		if len(h.Entries) > maxHistory {
			h.Entries, h.More = h.Entries[:maxHistory], true
		}
		if err := p.require(TraceRead); err != nil {
			return err
		}
		h.Plans, err = s.plansOf(r, h.Entries)
		return err
	})
	return h, err
}

// plansOf returns the plans whose changes are among the entries.
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
		if plans[e.PlanID], err = s.loadPlanDocument(r, plan); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func (t *Trace) isVisibleTo(p *Principal) bool { return t.Group == p.Group || p.canReadTraces() }

func (p *Principal) canReadTraces() bool { return p.Kind != KindAgent && p.Can(TraceRead) }

// Traces lists the traces that the reader may see, newest first.
func (s *Service) Traces(ctx context.Context, ref Ref, page Page) (list []*Trace, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, next, err = r.Traces(TraceFilter{Visible: Visibility{All: p.canReadTraces(), Group: p.Group}}, page)
		return err
	})
	return list, next, err
}
