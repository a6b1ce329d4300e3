package ledger

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

// keyFile has the key that signs the checkpoints of a database. It is in a file of its
// own: never in the database, and in no backup. Other processes read the same file, and
// may rotate the key.
type keyFile struct {
	path string
	mu   sync.Mutex
	key  *evidence.SigningKey // as last read; nil: not yet
	// The checkpoint whose signature was checked last, so that each is checked once.
	checked    string
	checkpoint evidence.Checkpoint
	// size is the largest size of the log in a checkpoint that this process has signed
	// or read.
	size int64
}

// ErrNoKey says that the key of the log is not here.
var ErrNoKey = errors.New("the signing key is missing")

// ReadKey reads a key file. It refuses one that others than its owner can read.
func ReadKey(path string) (*evidence.SigningKey, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoKey, path)
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

// CreateKey writes a key file, unless there is one: then it returns fs.ErrExist.
func CreateKey(path string, key *evidence.SigningKey) error {
	return writeFile(path, key.Secret()+"\n", false)
}

// current returns the key as it was last read.
func (s *keyFile) current() *evidence.SigningKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}

// nextPath is the file of a key that is about to take over.
func (s *keyFile) nextPath() string { return s.path + ".next" }

// load reads the key file again. The key in nextPath has taken over if it has signed the
// newest checkpoint: a process may have ended between the commit and the rename.
func (s *keyFile) load(head string) (*evidence.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, err := ReadKey(s.nextPath()); err == nil && head != "" {
		if _, err := evidence.OpenCheckpoint(head, waiting.VKey()); err == nil {
			return waiting, s.takeOver(waiting)
		}
	}
	key, err := ReadKey(s.path)
	if err == nil {
		s.key = key
	}
	return key, err
}

// create makes the key of a new log. The caller holds the database's lock, so no other
// process makes one.
func (s *keyFile) create() (*evidence.SigningKey, error) {
	key, err := s.load("")
	if !errors.Is(err, ErrNoKey) {
		return key, err
	}
	origin, err := evidence.NewOrigin(rand.Reader)
	if err != nil {
		return nil, err
	}
	if key, err = evidence.NewSigningKey(rand.Reader, origin); err != nil {
		return nil, err
	}
	if err := CreateKey(s.path, key); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return s.load("")
}

// prepare writes a new key to nextPath, under the same origin or a new one. It first makes
// sure that the key file can be replaced. A file that is a mount of its own cannot: the
// log would go on under a key that never takes its place.
func (s *keyFile) prepare(origin string) (key *evidence.SigningKey, err error) {
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
	if err := writeFile(s.nextPath(), key.Secret()+"\n", true); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return key, nil
}

// adopt makes a key that was prepared the one that signs.
func (s *keyFile) adopt(key *evidence.SigningKey) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeOver(key)
}

func (s *keyFile) takeOver(key *evidence.SigningKey) error {
	s.key = key
	err := os.Rename(s.nextPath(), s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has renamed it
	}
	return err
}

// open reads a checkpoint, and checks its signature.
func (s *keyFile) open(signed string) (evidence.Checkpoint, error) {
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

func (s *keyFile) remember(signed string, c evidence.Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked, s.checkpoint = signed, c
	s.size = max(s.size, c.Size)
}

// minSize returns how many entries the log has at least.
func (s *keyFile) minSize() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// MAC implements domain.LogReader, with the key that signs once the transaction is
// committed.
func (r *Reader) MAC(purpose string, message []byte) ([]byte, error) {
	if r.tx != nil && r.tx.rotation != nil {
		return r.tx.rotation.next.MAC(purpose, message)
	}
	key := r.keys.current()
	if key == nil {
		signed, err := r.head()
		if err == nil {
			key, err = r.keys.load(signed)
		}
		if err != nil {
			return nil, domain.ErrNoSigningKey.Because(err)
		}
	}
	return key.MAC(purpose, message)
}
