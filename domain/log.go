package domain

import (
	"context"

	"countersign/domain/evidence"
)

// Entries reads the log. Needs trace.read; a key sees only what its group
// requested, so for keys the filter must name a confirm or plan of its own.
func (s *Service) Entries(ctx context.Context, ref Ref, f EntryFilter) (list []*evidence.Entry, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		if p.Kind == KindAgent {
			if err := ownHistory(r, p, f); err != nil {
				return err
			}
		}
		list, err = r.Entries(f)
		return err
	})
	return list, err
}

func ownHistory(r Reader, p *Principal, f EntryFilter) error {
	switch {
	case f.ConfirmID != "":
		c, err := r.Confirm(f.ConfirmID)
		if err == nil && !p.sees(c) {
			return notFound("confirm")
		}
		return found(err, "confirm")
	case f.PlanID != "":
		_, err := visiblePlan(r, p, f.PlanID)
		return err
	}
	return invalid("confirm_id", "required", "Name a confirm or a plan of your own.")
}

// LastSeq is the number of the newest log entry, -1 when there is none. It is
// the cursor that live pages resume from, and tells nothing else, so anyone
// known may ask.
func (s *Service) LastSeq(ctx context.Context) (last int64, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		next, err := r.NextSeq()
		last = next - 1
		return err
	})
	return last, err
}
