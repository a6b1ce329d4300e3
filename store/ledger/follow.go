package ledger

import (
	"fmt"
	"slices"

	"countersign/domain/evidence"
)

// wake tells the writer that other processes have committed.
func (l *Ledger) wake() {
	select {
	case l.woken <- struct{}{}:
	default: // it knows already
	}
}

// poll asks whether other processes have committed.
func (l *Ledger) poll() {
	moved, err := l.conn.Driver.HasForeignCommits(l.conn.Conn)
	if err != nil {
		l.logOnce(err)
		return
	}
	if moved || l.needsCatchUp {
		l.catchUp()
	}
}

// catchUp publishes the entries of other processes.
func (l *Ledger) catchUp() {
	if _, err := l.conn.Reconnect(l.polling); err != nil {
		l.logOnce(err)
		return
	}
	next, err := l.reader().NextSeq()
	if err == nil {
		err = l.follow(next)
	}
	if err == nil {
		err = l.checkNotTruncated(next)
	}
	if err != nil {
		l.logOnce(err)
		return
	}
	l.needsCatchUp = false
}

// checkNotTruncated refuses a log that is shorter than it was. After a permanent refusal
// it finds out whether changes can be signed again.
func (l *Ledger) checkNotTruncated(next int64) error {
	if next <= l.lastNotified {
		return fmt.Errorf("%w: the database has %d log entries, and had %d", ErrRollback, next, l.lastNotified+1)
	}
	if !l.refused.Load().isPermanent() {
		return nil
	}
	_, _, err := l.signer.resume(l.reader(), next, nil)
	if err == nil {
		l.refused.Store(nil)
	}
	return err
}

// follow publishes the entries of other processes before next, and adds them to the tree.
func (l *Ledger) follow(next int64) error {
	for l.lastNotified+1 < next {
		entries, leaves, err := l.foreignEntries()
		if err != nil || len(entries) == 0 {
			return err
		}
		l.signer.follow(entries, leaves)
		if slices.ContainsFunc(entries, (*evidence.Entry).ChangesKey) {
			l.reloadKey()
		}
		l.notify(entries)
	}
	return nil
}

// reloadKey reads the key that another process has changed to: MACs with the old key are
// worth nothing. If it cannot be read, the next signature fails and says why.
func (l *Ledger) reloadKey() {
	if signed, err := l.reader().head(); err == nil {
		_, _ = l.keys.load(signed)
	}
}

// foreignEntries returns the next entries that were not published, with their leaves.
// They are published once, so they must be proven, without a gap.
func (l *Ledger) foreignEntries() (entries []*evidence.Entry, leaves []evidence.Hash, err error) {
	r := l.reader()
	numbered := map[int64]evidence.Hash{}
	err = r.EachEntry("WHERE seq > $1 ORDER BY seq LIMIT $2", []any{l.lastNotified, maxGroup}, func(e *evidence.Entry, data []byte) {
		leaf := evidence.LeafHash(data)
		entries, leaves, numbered[e.Seq] = append(entries, e), append(leaves, leaf), leaf
	})
	if err != nil || len(entries) == 0 {
		return nil, nil, err
	}
	_, c, err := r.Checkpoint()
	if err != nil {
		return nil, nil, err
	}
	proven, err := evidence.ProveAll(c, numbered, r)
	if err != nil {
		return nil, nil, err
	}
	for i, e := range entries {
		if seq := l.lastNotified + 1 + int64(i); e.Seq != seq || !proven[seq] {
			return nil, nil, NotAsSigned(fmt.Errorf("entry %d is not the one that was signed", seq))
		}
	}
	return entries, leaves, nil
}

// logOnce logs a failure of what no caller waits for, once. A log that is not as it was
// signed is logged after another failure too. The next poll tries again.
func (l *Ledger) logOnce(err error) {
	l.conn.Err = nil
	worse := unsigned(err) && !l.refused.Load().isPermanent()
	if worse {
		l.refused.Store(&refusal{l.clock(), err})
	}
	if !l.needsCatchUp || worse {
		l.o.Logger.Error("new log entries could not be read", "error", err)
	}
	l.needsCatchUp = true
}
