package ledger

import (
	"context"
	"errors"
	"fmt"

	"countersign/domain/evidence"
)

// ErrRollback says that the database is not the one that was written last: it was restored
// from a backup, or replaced. It is refused unless a restore is accepted.
var ErrRollback = errors.New("rollback detected")

// rollbackInfo is what is known of a rollback.
type rollbackInfo struct {
	reason string
	known  string // the last checkpoint known of what there was; may be empty
	old    *evidence.SigningKey
}

func (l *rollbackInfo) Error() string { return l.reason }

func (l *rollbackInfo) Unwrap() error { return ErrRollback }

// inspect compares the database with its newest checkpoint and with the head file. A
// restore that is accepted is remembered until BeginEpoch.
func (l *Ledger) inspect(ctx context.Context) error {
	known, err := l.signer.file.read() // before the database, which may be written to
	if err != nil {
		return err
	}
	if _, err := l.conn.Reconnect(ctx); err != nil {
		return err
	}
	if err := l.conn.Script(l.conn.Driver.SQL().BeginRead); err != nil {
		return err
	}
	lost, err := l.signer.compare(l.reader(), known, l.o.AcceptRestore)
	if err == nil && lost == nil && known == "" {
		err = l.warnNoHeadFile()
	}
	if err = errors.Join(err, l.conn.Rollback()); err != nil || lost == nil {
		return err
	}
	if !l.o.AcceptRestore {
		return lost
	}
	l.signer.rollback = lost
	return nil
}

// warnNoHeadFile says that nothing shows whether the log is as it was. The head file that
// is written from now on hides that.
func (l *Ledger) warnNoHeadFile() error {
	size, err := l.reader().NextSeq()
	if size > 0 {
		l.o.Logger.Warn("the head file is missing, so that a rollback cannot be ruled out", "file", l.o.Head, "entries", size)
	}
	return err
}

func (s *signer) compare(r *Reader, known string, accept bool) (*rollbackInfo, error) {
	size, err := r.NextSeq()
	if err != nil {
		return nil, err
	}
	signed, err := r.head()
	if err != nil {
		return nil, err
	}
	key, err := s.keys.load(signed)
	here := err == nil
	if err != nil && !errors.Is(err, ErrNoKey) {
		return nil, err
	}
	if size == 0 && signed == "" {
		return nil, s.compareEmpty(known)
	}
	if !here && !accept {
		return nil, nil // it can be read, but nothing can be signed
	}
	if here {
		_, err = s.keys.open(signed)
		if here = err == nil; !here && !accept {
			return nil, fmt.Errorf("%w: %w", ErrRollback, err)
		}
	}
	if _, err = r.tree(signed, size, here); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRollback, err)
	}
	switch {
	case !here:
		return &rollbackInfo{reason: "the key that signed the database is not here", known: known}, nil
	case known == "" && accept:
		return &rollbackInfo{reason: "the head file is missing", old: key}, nil
	case known == "":
		return nil, nil
	}
	reason, err := s.behind(r, key.Origin(), size, known)
	if err != nil || reason == "" {
		return nil, err
	}
	return &rollbackInfo{reason: fmt.Sprintf("%v: %s", ErrRollback, reason), known: known, old: key}, nil
}

// compareEmpty reports an empty database as a rollback if there was a log.
func (s *signer) compareEmpty(known string) error {
	c, err := evidence.PeekCheckpoint(known)
	if known == "" || err == nil && c.Size == 0 {
		return nil
	}
	return fmt.Errorf("%w: the database is empty, and the head file %s knows of %d log entries; to start over remove it and the signing key",
		ErrRollback, s.file.path, c.Size)
}

// behind describes what the head file knows and the database lacks; "" if nothing.
func (s *signer) behind(r *Reader, origin string, size int64, known string) (string, error) {
	c, err := evidence.PeekCheckpoint(known)
	if err != nil {
		return fmt.Sprintf("the head file %s is damaged", s.file.path), nil
	}
	if c.Origin != origin {
		left, err := r.hasLeftOrigin(c.Origin)
		if err != nil || left {
			return "", err // the file is from before the restore
		}
		return fmt.Sprintf("the head file %s is that of another log, or of a later epoch", s.file.path), nil
	}
	if c.Size > size {
		return fmt.Sprintf("the database has %d log entries, and the head file %s knows of %d", size, s.file.path, c.Size), nil
	}
	root, err := evidence.Root(c.Size, r)
	if err == nil && root != c.Root {
		return fmt.Sprintf("the log does not begin with the entries that the head file %s knows of", s.file.path), nil
	}
	return "", err
}

// hasLeftOrigin reports whether the log has left an origin by a restore.
func (r *Reader) hasLeftOrigin(origin string) (bool, error) {
	entries, err := r.ProvenEntries("WHERE type = $1 ORDER BY seq", evidence.EntryRestored)
	for _, e := range entries {
		if s, err := evidence.ParseKeyChange(e); err == nil && s.OldOrigin == origin {
			return true, nil
		}
	}
	return false, err
}

// isRestored reports whether this transaction accepts a restored database. The old
// signing key may be lost, so the new key signs the database unchanged.
func (x *Tx) isRestored() bool { return x.rotation != nil && x.rotation.epoch }

// BeginEpoch starts a new epoch if the database was restored: a new key takes over under a
// new origin, because the promises of the old one cannot be kept. Else it returns nil.
func (x *Tx) BeginEpoch() (*evidence.KeyChange, error) {
	lost := x.signer.rollback
	if lost == nil {
		return nil, nil
	}
	signed, err := x.Log.head()
	if err != nil {
		return nil, err
	}
	next, err := x.signer.keys.prepare("")
	if err != nil {
		return nil, err
	}
	s := &evidence.KeyChange{NewVKey: next.VKey(), Size: x.next, LastKnown: lost.known}
	if c, err := evidence.PeekCheckpoint(signed); err == nil {
		s.OldOrigin = c.Origin
	}
	if lost.old != nil {
		s.OldVKey = lost.old.VKey()
	}
	x.rotation = &keyRotation{old: lost.old, next: next, epoch: true}
	return s, nil
}
