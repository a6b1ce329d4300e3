package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"countersign/domain"
	"countersign/domain/evidence"
)

// ErrRollback says that the database is not the one that was written last: it
// was restored from a backup, or something was put in its place. Open refuses
// it unless a restore is accepted.
var ErrRollback = errors.New("rollback detected")

// loss is what is known of a rollback.
type loss struct {
	reason string
	known  string // the last checkpoint known of what there was; may be empty
	old    *evidence.SigningKey
}

func (l *loss) Error() string { return l.reason }

func (l *loss) Unwrap() error { return ErrRollback }

// inspect compares the database with its newest checkpoint and with the head
// file. A restore that is accepted is kept in mind until BeginEpoch.
func (s *sealer) inspect(ctx context.Context, c *conn, o Options) error {
	known, err := s.file.read() // before the database, which may be written to
	if err != nil {
		return err
	}
	if err := c.begin(ctx, c.dialect.words().beginRead); err != nil {
		return err
	}
	r := &reader{c: c, keys: s.keys}
	lost, err := s.compare(r, known, o.AcceptRestore)
	if err == nil && lost == nil && known == "" {
		err = s.unheld(r, o.Logger)
	}
	if err = errors.Join(err, c.rollback()); err != nil || lost == nil {
		return err
	}
	if !o.AcceptRestore {
		return lost
	}
	s.lost = lost
	return nil
}

// unheld says that nothing holds the log to what it was. The head file that is
// written from now on hides that.
func (s *sealer) unheld(r *reader, logger *slog.Logger) error {
	size, err := r.NextSeq()
	if size > 0 {
		logger.Warn("the head file is missing, so that a rollback cannot be ruled out", "file", s.file.path, "entries", size)
	}
	return err
}

func (s *sealer) compare(r *reader, known string, accept bool) (*loss, error) {
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
	if err != nil && !errors.Is(err, errNoKey) {
		return nil, err
	}
	if size == 0 && signed == "" {
		return nil, s.compareEmpty(known)
	}
	if !here && !accept {
		return nil, nil // it can be read; nothing can be signed
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
		return &loss{reason: "the key that signed the database is not here", known: known}, nil
	case known == "" && accept:
		return &loss{reason: "the head file is missing", old: key}, nil
	case known == "":
		return nil, nil
	}
	reason, err := s.behind(r, key.Origin(), size, known)
	if err != nil || reason == "" {
		return nil, err
	}
	return &loss{reason: fmt.Sprintf("%v: %s", ErrRollback, reason), known: known, old: key}, nil
}

// compareEmpty takes an empty database for a rollback when there was a log.
func (s *sealer) compareEmpty(known string) error {
	c, err := evidence.PeekCheckpoint(known)
	if known == "" || err == nil && c.Size == 0 {
		return nil
	}
	return fmt.Errorf("%w: the database is empty, and the head file %s knows of %d log entries; to start over remove it and the signing key",
		ErrRollback, s.file.path, c.Size)
}

// behind says what the head file knows that the database does not have.
func (s *sealer) behind(r *reader, origin string, size int64, known string) (string, error) {
	c, err := evidence.PeekCheckpoint(known)
	if err != nil {
		return fmt.Sprintf("the head file %s is damaged", s.file.path), nil
	}
	if c.Origin != origin {
		left, err := r.left(c.Origin)
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

// left says whether the log has left an origin by a restore.
func (r *reader) left(origin string) (bool, error) {
	entries, err := r.Entries(domain.EntryFilter{Type: evidence.EntryRestored})
	for _, e := range entries {
		if s, err := evidence.ParseSuccession(e); err == nil && s.OldOrigin == origin {
			return true, nil
		}
	}
	return false, err
}

// isRestored reports whether this transaction accepts a restored database. The key
// that signed what is there may be lost: who accepts it has verified what they can,
// and the new key signs it as it is.
func (x *tx) isRestored() bool { return x.handover != nil && x.handover.epoch }

// BeginEpoch starts a new epoch, if the database was found to be restored: a
// new key takes over under a new origin, since the old one's promises cannot be
// kept any more. It returns nil if nothing was found.
func (x *tx) BeginEpoch() (*evidence.Succession, error) {
	lost := x.sealer.lost
	if lost == nil {
		return nil, nil
	}
	signed, err := x.head()
	if err != nil {
		return nil, err
	}
	next, err := x.keys.prepare("")
	if err != nil {
		return nil, err
	}
	s := &evidence.Succession{NewVKey: next.VKey(), Size: x.next, LastKnown: lost.known}
	if c, err := evidence.PeekCheckpoint(signed); err == nil {
		s.OldOrigin = c.Origin
	}
	if lost.old != nil {
		s.OldVKey = lost.old.VKey()
	}
	x.handover = &handover{old: lost.old, next: next, epoch: true}
	return s, nil
}
