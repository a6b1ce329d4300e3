package ledger

import (
	"fmt"
	"runtime/debug"

	"countersign/domain"
	"countersign/domain/evidence"
)

// beginGroup begins a group's transaction. It waits until no other process writes, or
// the database is closed.
func (l *Ledger) beginGroup() error {
	if l.failed != nil {
		return nil // nothing is begun any more
	}
	l.proofs = &proofs{minSize: l.keys.minSize()}
	return l.conn.Begin(l.polling)
}

// commit runs a group in the transaction that was begun, sets the members' answers, and
// returns the entries that were committed. A member that fails is undone alone. A failure
// of the database undoes all of them, and is returned.
func (l *Ledger) commit(group []*pendingTx, begun error) ([]*evidence.Entry, error) {
	entries, err := l.attempt(group, begun)
	if err != nil {
		for _, m := range group {
			m.err = err
		}
	}
	return entries, err
}

func (l *Ledger) attempt(group []*pendingTx, begun error) ([]*evidence.Entry, error) {
	if l.failed != nil {
		return nil, l.failed
	}
	if begun != nil {
		return nil, l.rollbackGroup(begun)
	}
	// Other processes write too: the log stays as it is only from here on.
	first, err := l.reader().NextSeq()
	if err != nil {
		return nil, l.rollbackGroup(err)
	}
	l.counts.begin(first)
	// Entries of others that cannot be read are tried again when the group is published.
	if err := l.follow(first); err != nil && l.conn.Err != nil {
		return nil, l.rollbackGroup(err)
	}
	next := first
	var entries []*evidence.Entry
	var leaves []evidence.Hash
	var change *keyRotation
	for _, m := range group {
		x := &Tx{Log: l.reader(), first: first, next: next, before: entries, counts: &l.counts, signer: &l.signer, rotation: change}
		x.Log.tx = x
		if err := x.run(m); err != nil {
			return nil, l.rollbackGroup(err)
		}
		if m.err == nil {
			next, change = x.next, x.rotation
			entries, leaves = append(entries, x.entries...), append(leaves, x.leaves...)
		}
	}
	var signed *signedGroup
	if len(leaves) > 0 {
		if signed, err = l.signer.signGroup(l.reader(), first, leaves, change); err != nil {
			return nil, l.rollbackGroup(err)
		}
	}
	if err := l.counts.store(l.conn); err != nil {
		return nil, l.rollbackGroup(err)
	}
	if known, err := l.conn.Commit(signed != nil); err != nil {
		if known {
			return nil, l.rollbackGroup(err)
		}
		if err := l.recoverCommit(err, next, leaves); err != nil {
			return nil, err
		}
	}
	l.counts.committed(next)
	if signed != nil {
		l.refused.Store(nil)
		if err := l.signer.committed(signed); err != nil {
			l.o.Logger.Error("the signing key or the head file could not be written", "error", err)
		}
	}
	return entries, nil
}

// run runs a member in a savepoint. The error that it returns fails the whole group; the
// member's own is in m.err.
func (x *Tx) run(m *pendingTx) error {
	if m.err = m.ctx.Err(); m.err != nil {
		return nil // the caller left before
	}
	c := x.Log.Conn
	if err := c.Savepoint(); err != nil {
		return err
	}
	m.err = x.call(m.fn)
	if c.Err != nil {
		return c.Err
	}
	if m.err == nil && len(x.rows) > 0 {
		m.err = fmt.Errorf("%w: %s %s", errUncovered, x.rows[0].Table, x.rows[0].Key)
	}
	if m.err == nil {
		// This fails if the member ignored a statement that had failed.
		if m.err = c.Note(c.Release()); m.err == nil || c.Err != nil {
			x.counts.keepMember()
			return c.Err
		}
	}
	x.counts.dropMember()
	return c.RollbackTo()
}

// call runs fn. A panic becomes its error, so that the rest of the group goes on.
func (x *Tx) call(fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(x)
}

// rollbackGroup rolls back the group, and returns the answer of its members.
func (l *Ledger) rollbackGroup(cause error) error {
	l.refused.Store(&refusal{l.clock(), cause})
	l.counts = counters{}
	if err := l.conn.Rollback(); err != nil {
		return l.fail(fmt.Errorf("%w (after %w)", err, cause))
	}
	return domain.ErrNotStored.Because(cause)
}

// fail ends all writing: whether the group was committed is unknown until the database is
// opened again.
func (l *Ledger) fail(cause error) error {
	l.failed = domain.ErrStoreFailed.Because(cause)
	l.o.Fatal(cause)
	return domain.ErrOutcomeUnknown.Because(cause)
}

// refuse ends all writing between two groups.
func (l *Ledger) refuse(cause error) {
	l.runBetweenGroups(func() { _ = l.fail(cause) }) // nobody waits for this answer
}
