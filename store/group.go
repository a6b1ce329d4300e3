package store

import (
	"fmt"
	"runtime/debug"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// begin begins a group's transaction. It waits until no other process writes, or
// the database is closed.
func (w *writer) begin() error {
	if w.failed != nil {
		return nil // nothing is begun any more
	}
	w.c.atLeast = w.sealer.keys.known()
	return w.c.begin(w.polling, w.c.dialect.words().begin)
}

// commit runs a group in the transaction that was begun, sets the members' answers, and gives
// the entries that were committed. A member that fails is undone alone; a
// failure of the database undoes them all, and is returned.
func (w *writer) commit(group []*member, begun error) ([]*evidence.Entry, error) {
	entries, err := w.attempt(group, begun)
	if err != nil {
		for _, m := range group {
			m.err = err
		}
	}
	return entries, err
}

func (w *writer) attempt(group []*member, begun error) ([]*evidence.Entry, error) {
	if w.failed != nil {
		return nil, w.failed
	}
	if begun != nil {
		return nil, w.abandon(begun)
	}
	// Other processes write too, so the head is what it is only from here on.
	first, err := (&reader{c: w.c}).NextSeq()
	if err != nil {
		return nil, w.abandon(err)
	}
	w.c.counts.begin(first)
	w.c.head = first
	// What fails to be read of theirs is tried again when the group is published.
	if err := w.follow(first); err != nil && w.c.doomed != nil {
		return nil, w.abandon(err)
	}
	next := first
	var entries []*evidence.Entry
	var leaves []evidence.Hash
	var change *handover
	for _, m := range group {
		x := &tx{reader: reader{c: w.c, keys: w.sealer.keys}, next: next, before: entries, sealer: &w.sealer, handover: change}
		x.reader.tx = x
		if err := x.run(m); err != nil {
			return nil, w.abandon(err)
		}
		if m.err == nil {
			next, change = x.next, x.handover
			entries, leaves = append(entries, x.entries...), append(leaves, x.leaves...)
		}
	}
	if err := w.c.turn(first, next); err != nil {
		return nil, w.abandon(err)
	}
	var sealed *seal
	if len(leaves) > 0 {
		if sealed, err = w.sealer.seal(w.c, first, leaves, change); err != nil {
			return nil, w.abandon(err)
		}
	}
	if err := w.c.counts.write(w.c); err != nil {
		return nil, w.abandon(err)
	}
	time.Sleep(w.delay)
	if known, err := w.c.commit(sealed != nil); err != nil {
		if known {
			return nil, w.abandon(err)
		}
		if err := w.settle(err, next, leaves); err != nil {
			return nil, err
		}
	}
	w.c.counts.committed(next)
	if sealed != nil {
		w.refused.Store(nil)
		if err := w.sealer.committed(sealed); err != nil {
			w.logger.Error("the signing key or the head file could not be written", "error", err)
		}
	}
	return entries, nil
}

// run gives the member its turn, which can be undone alone. The error returned dooms
// the whole group; the member's own is in m.err.
func (x *tx) run(m *member) error {
	if m.err = m.ctx.Err(); m.err != nil {
		return nil // it left before its turn
	}
	if err := x.c.mark(); err != nil {
		return err
	}
	m.err = x.call(m.fn)
	if x.c.doomed != nil {
		return x.c.doomed
	}
	if m.err == nil && len(x.rows) > 0 {
		m.err = fmt.Errorf("%w: %s %s", errUncovered, x.rows[0].Table, x.rows[0].Key)
	}
	if m.err == nil {
		// This fails after a statement that the member overlooked had failed.
		if m.err = x.c.note(x.c.release()); m.err == nil || x.c.doomed != nil {
			x.c.counts.kept()
			return x.c.doomed
		}
	}
	if x.rightsChanged {
		x.c.rights.forget()
	}
	x.c.counts.dropped()
	return x.c.undo()
}

// call runs fn; a panic becomes its error, so that others in the group do not
// pay for it.
func (x *tx) call(fn func(domain.Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(x)
}

// abandon rolls the group back: nothing of it happened.
func (w *writer) abandon(cause error) error {
	w.refused.Store(&refusal{w.clock(), cause})
	w.c.rights.forget()
	w.c.counts = counts{}
	if err := w.c.rollback(); err != nil {
		return w.fail(fmt.Errorf("%w (after %w)", err, cause))
	}
	return &domain.Error{Code: domain.CodeEvidenceUnavailable,
		Message: "The change could not be logged, so it did not happen.", Err: cause}
}

// fail ends the writer's work: whether the group was committed is unknown
// until the database is opened again. Later groups are not begun.
func (w *writer) fail(cause error) error {
	w.failed = &domain.Error{Code: domain.CodeEvidenceUnavailable,
		Message: "The storage failed and the server is stopping. The change did not happen.", Err: cause}
	w.fatal(cause)
	return unknown(cause)
}
