package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"countersign/domain"
	"countersign/domain/evidence"
)

// signing has the key that signs the checkpoints of a database. It lies in a
// file of its own: never in the database, and in no backup. Other processes
// read the same file, and may rotate the key.
type signing struct {
	path string
	mu   sync.Mutex
	key  *evidence.SigningKey // as last read; nil: not yet
	// The checkpoint whose signature was checked last, so that a gate that is
	// asked often checks each one once.
	checked    string
	checkpoint evidence.Checkpoint
	// size is how many entries the longest log had of which this process has
	// signed or read a checkpoint.
	size   int64
	rights rightsLog
}

// errNoKey says that the log goes on under a key that is not here.
var errNoKey = errors.New("the signing key is missing")

// readKey reads a key file, which nobody but its owner may be able to read.
func readKey(path string) (*evidence.SigningKey, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", errNoKey, path)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("signing key %s: others may read it (mode %o): make it 600, and if others may have read it rotate it", path, mode)
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return nil, err
	}
	key, err := evidence.ParseSigningKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", path, err)
	}
	return key, nil
}

// VKey is the public half of the key in a key file.
func VKey(path string) (string, error) {
	key, err := readKey(path)
	if err != nil {
		return "", err
	}
	return key.VKey(), nil
}

// current is the key as it was last read.
func (s *signing) current() *evidence.SigningKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}

// next is where a key waits that is about to take over.
func (s *signing) next() string { return s.path + ".next" }

// load reads the key file again. A key that waits has taken over once the
// newest checkpoint carries its signature: a process may have ended between
// the commit and the change of files.
func (s *signing) load(head string) (*evidence.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, err := readKey(s.next()); err == nil && head != "" {
		if _, err := evidence.OpenCheckpoint(head, waiting.VKey()); err == nil {
			return waiting, s.takeOver(waiting)
		}
	}
	key, err := readKey(s.path)
	if err == nil {
		s.key = key
	}
	return key, err
}

// create makes the key of a new log. Whoever calls it holds the database's
// lock, so no other process does.
func (s *signing) create() (*evidence.SigningKey, error) {
	key, err := s.load("")
	if !errors.Is(err, errNoKey) {
		return key, err
	}
	origin, err := evidence.NewOrigin(rand.Reader)
	if err != nil {
		return nil, err
	}
	if key, err = evidence.NewSigningKey(rand.Reader, origin); err != nil {
		return nil, err
	}
	if err := writeFile(s.path, key.Secret()+"\n", false); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return s.load("")
}

// prepare makes a key that waits to take over, under the same origin or a new
// one. Its place must be one that it can take: a file that is mounted by itself,
// say, cannot be replaced, and the log would go on under a key that waits for
// ever, or is lost with what is around the mount.
func (s *signing) prepare(origin string) (key *evidence.SigningKey, err error) {
	text, err := os.ReadFile(s.path)
	if err == nil {
		err = writeFile(s.path, string(text), true)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the signing key cannot be replaced: %w", err)
	}
	if origin == "" {
		if origin, err = evidence.NewOrigin(rand.Reader); err != nil {
			return nil, err
		}
	}
	if key, err = evidence.NewSigningKey(rand.Reader, origin); err != nil {
		return nil, err
	}
	if err := writeFile(s.next(), key.Secret()+"\n", true); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return key, nil
}

// adopt makes the key that waited the one that signs.
func (s *signing) adopt(key *evidence.SigningKey) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeOver(key)
}

func (s *signing) takeOver(key *evidence.SigningKey) error {
	s.key = key
	err := os.Rename(s.next(), s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process saw it first
	}
	return err
}

// open reads a checkpoint that the key has signed.
func (s *signing) open(signed string) (evidence.Checkpoint, error) {
	s.mu.Lock()
	key := s.key
	if key != nil && signed == s.checked {
		defer s.mu.Unlock()
		return s.checkpoint, nil
	}
	s.mu.Unlock()
	if key != nil {
		if c, err := evidence.OpenCheckpoint(signed, key.VKey()); err == nil {
			s.remember(signed, c)
			return c, nil
		}
	}
	key, err := s.load(signed)
	if err != nil {
		return evidence.Checkpoint{}, err
	}
	c, err := evidence.OpenCheckpoint(signed, key.VKey())
	if err != nil {
		return c, fmt.Errorf("the newest checkpoint is not signed with the key in %s, which all that use the database must share: %w", s.path, err)
	}
	s.remember(signed, c)
	return c, nil
}

func (s *signing) remember(signed string, c evidence.Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked, s.checkpoint = signed, c
	s.size = max(s.size, c.Size)
}

// known is how many entries the log has at least.
func (s *signing) known() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// MAC implements domain.Reader, with the key that signs.
func (r *reader) MAC(purpose string, message []byte) ([]byte, error) {
	key := r.keys.current()
	if key == nil {
		signed, err := r.head()
		if err == nil {
			key, err = r.keys.load(signed)
		}
		if err != nil {
			return nil, &domain.Error{Code: domain.CodeEvidenceUnavailable, Message: "The signing key cannot be read, so nobody can be recognised.", Err: err}
		}
	}
	return key.MAC(purpose, message)
}

// MAC is that of the key that signs once the transaction is committed.
func (x *tx) MAC(purpose string, message []byte) ([]byte, error) {
	if x.handover != nil {
		return x.handover.next.MAC(purpose, message)
	}
	return x.reader.MAC(purpose, message)
}
