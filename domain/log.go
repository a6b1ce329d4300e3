package domain

import (
	"context"
	"slices"

	"countersign/domain/evidence"
)

// Entries reads the log. Needs trace.read; a key sees only what its group
// requested, so for keys the filter must name a confirm or plan of its own.
func (s *Service) Entries(ctx context.Context, ref Ref, f EntryFilter) (list []*evidence.Entry, err error) {
	err = s.history(ctx, ref, f, func(r Reader) error {
		list, err = r.Entries(f)
		return err
	})
	return list, err
}

// LogPage is Entries, the newest first and a page at a time: it goes on before
// the number that it gives, nil at the end. Of an object with a long history it
// looks at no more than maxLooked entries for those of a type, so that a page may
// have fewer than it holds, or none, and still go on.
func (s *Service) LogPage(ctx context.Context, ref Ref, f EntryFilter) (list []*evidence.Entry, before *int64, err error) {
	size := f.Limit
	f.Newest = true
	err = s.history(ctx, ref, f, func(r Reader) error {
		if f.amongMany() {
			list, before, err = lookFor(r, f)
			return err
		}
		f.Limit++ // one more says whether there is a next page
		if list, err = r.Entries(f); len(list) > size {
			list = list[:size]
			before = &list[size-1].Seq
		}
		return err
	})
	return list, before, err
}

// amongMany says whether entries of some types are asked for among those that an
// id leads to.
func (f *EntryFilter) amongMany() bool {
	return (f.Type != "" || f.Types != nil) && (f.ConfirmID != "" || f.PlanID != "" || f.TraceID != "" || f.ObjectID != "")
}

// lookFor reads all that the ids lead to and keeps what is of the types.
func lookFor(r Reader, f EntryFilter) (list []*evidence.Entry, before *int64, err error) {
	all := f
	all.Type, all.Types, all.Limit = "", nil, MaxPage
	for looked := 0; looked < maxLooked; looked += all.Limit {
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

// history runs fn on a snapshot if the principal may read what the filter leaves
// of the log.
func (s *Service) history(ctx context.Context, ref Ref, f EntryFilter, fn func(Reader) error) error {
	return s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.needs(TraceRead); err != nil {
			return err
		}
		if p.Kind == KindAgent {
			if err := ownHistory(r, p, f); err != nil {
				return err
			}
		}
		return fn(r)
	})
}

func ownHistory(r Reader, p *Principal, f EntryFilter) error {
	switch {
	case f.ConfirmID != "":
		_, err := byID(f.ConfirmID).visible(r, p)
		return err
	case f.PlanID != "":
		_, err := visiblePlan(r, p, f.PlanID)
		return err
	}
	return Invalid("confirm_id", "required", "Name a confirm or a plan of your own.")
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
