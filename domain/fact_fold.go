package domain

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

// Limits of one transaction that folds decisions, so that those that decide get a turn.
const (
	factBatch = 32
	maxFacts  = 2_000
)

// FoldFacts counts the next decisions of people into the facts, and reports whether
// there may be more. It reads outside of the transaction that writes. That one keeps
// nothing if another process was first.
func (s *Service) FoldFacts(ctx context.Context) (more bool, err error) {
	f := new(factFold)
	err = s.store.View(ctx, func(r Reader) error { return f.read(r) })
	if err != nil || len(f.facts) == 0 {
		return false, err
	}
	err = s.store.Tx(ctx, func(tx Tx) error {
		switch watermark, err := readFactWatermark(tx); {
		case err != nil:
			return err
		case (watermark == nil) != (f.before == nil), watermark != nil && watermark.Seq != f.before.Seq:
			return errFactsMoved
		}
		pruned, err := tx.Entries(EntryFilter{After: &f.last, Type: entryPruned, Limit: 1})
		if err != nil || len(pruned) > 0 { // a pruned request may be among those that were read
			return cmp.Or(err, errFactsMoved)
		}
		if f.before == nil {
			if err := tx.DeleteFacts(); err != nil {
				return err
			}
		}
		return tx.SetFacts(slices.Collect(maps.Values(f.facts)))
	})
	if errors.Is(err, errFactsMoved) {
		return true, nil
	}
	return f.more, err
}

// factFold is the next decisions and what they add to the facts.
type factFold struct {
	before *Fact // where it goes on; nil: at the beginning
	last   int64 // number of the last log entry when it was read
	calls  []decidedCall
	facts  factSet // to write; none: nothing is new
	more   bool
}

// read reads the next entries, and counts them.
func (f *factFold) read(r Reader) (err error) {
	next, err := r.NextSeq()
	if err == nil {
		f.before, err = readFactWatermark(r)
	}
	if err != nil {
		return err
	}
	f.last = next - 1
	after := int64(-1)
	if f.before != nil {
		after = f.before.Seq
	}
	entries, err := r.Entries(EntryFilter{After: &after, Types: decidedEntries, Limit: factBatch})
	if err != nil || len(entries) == 0 && f.before != nil {
		return err
	}
	f.facts, f.more = factSet{}, len(entries) == factBatch
	for i, e := range entries {
		calls, err := decidedCalls(r, e)
		if err != nil {
			return err
		}
		for _, c := range calls {
			c.count(func(name string) *Fact { f.facts.add(name); return new(Fact) })
		}
		f.calls, after = append(f.calls, calls...), e.Seq
		if len(f.facts) > maxFacts {
			f.more = f.more || i+1 < len(entries)
			break
		}
	}
	watermark := f.facts.add(factWatermark)
	if f.before == nil { // what is stored is not from here
		err = f.facts.setKeys(r)
	} else if err = f.facts.load(r); err == nil {
		watermark = f.facts[factWatermark]
	}
	if err != nil {
		return err
	}
	for _, c := range f.calls {
		c.count(f.facts.add)
	}
	watermark.Seq = after
	return nil
}
