package domain

import (
	"context"
	"slices"

	"countersign/domain/evidence"
)

// Entries reads the log. Needs trace.read. A key sees only its group's history, so its
// filter must name a confirm or plan of its own.
func (s *Service) Entries(ctx context.Context, ref Ref, f EntryFilter) (list []*evidence.Entry, err error) {
	err = s.readHistory(ctx, ref, f, func(r Reader) error {
		list, err = r.Entries(f)
		return err
	})
	return list, err
}

// LogPage is Entries by page, the newest first. before is where the next page begins,
// nil at the end. With an id and a type it reads at most scanLimit entries, so a page
// may have fewer than its limit, or none, and still have a next one.
func (s *Service) LogPage(ctx context.Context, ref Ref, f EntryFilter) (list []*evidence.Entry, before *int64, err error) {
	size := f.Limit
	f.Newest = true
	err = s.readHistory(ctx, ref, f, func(r Reader) error {
		if f.needsScan() {
			list, before, err = scanEntries(r, f)
			return err
		}
		f.Limit++ // one more, to know whether there is a next page
		if list, err = r.Entries(f); len(list) > size {
			list = list[:size]
			before = &list[size-1].Seq
		}
		return err
	})
	return list, before, err
}

// needsScan reports whether entries of some types are selected among those of an id.
func (f *EntryFilter) needsScan() bool {
	return (f.Type != "" || f.Types != nil) && (f.ConfirmID != "" || f.PlanID != "" || f.TraceID != "" || f.ObjectID != "")
}

// scanEntries reads the entries of the ids and keeps those of the types.
func scanEntries(r Reader, f EntryFilter) (list []*evidence.Entry, before *int64, err error) {
	all := f
	all.Type, all.Types, all.Limit = "", nil, MaxPage
	for looked := 0; looked < scanLimit; looked += all.Limit {
		entries, err := r.Entries(all)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			if f.Type != "" && e.Type != f.Type || f.Types != nil && !slices.Contains(f.Types, e.Type) {
				continue
			}
			if len(list) == f.Limit {
				return list, &list[f.Limit-1].Seq, nil
			}
			list = append(list, e)
		}
		if len(entries) < all.Limit {
			return list, nil, nil
		}
		all.Before = &entries[len(entries)-1].Seq
	}
	return list, all.Before, nil
}

// readHistory runs fn on a snapshot if the principal may read the entries that the
// filter selects.
func (s *Service) readHistory(ctx context.Context, ref Ref, f EntryFilter, fn func(Reader) error) error {
	return s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		if p.Kind == KindAgent {
			if err := checkOwnHistory(r, p, f); err != nil {
				return err
			}
		}
		return fn(r)
	})
}

func checkOwnHistory(r Reader, p *Principal, f EntryFilter) error {
	switch {
	case f.ConfirmID != "":
		_, err := byID(f.ConfirmID).findVisible(r, p)
		return err
	case f.PlanID != "":
		_, err := visiblePlan(r, p, f.PlanID)
		return err
	}
	return Invalid("confirm_id", "required", "Name a confirm or a plan that you may see.")
}

// LastSeq returns the number of the newest log entry, -1 if there is none. Live pages
// resume from it. It reveals nothing else, so it checks no rights.
func (s *Service) LastSeq(ctx context.Context) (last int64, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		next, err := r.NextSeq()
		last = next - 1
		return err
	})
	return last, err
}
