package domain

import (
	"io"
	"sync"

	"github.com/google/uuid"
)

// idsPerPrefix is how many ids in a row share their first two bytes.
const idsPerPrefix = 256

// idGenerator generates UUIDs v4 in lower case, of which idsPerPrefix in a row share
// their first two bytes. Rows that are inserted together are then close in every index
// of ids, and a group commit changes few pages. 106 random bits are left, and an id
// does not reveal its time.
type idGenerator struct {
	mu        sync.Mutex
	prefix    [2]byte
	remaining int
}

func (m *idGenerator) next(random io.Reader) (string, error) {
	id, err := uuid.NewRandomFromReader(random)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.remaining == 0 {
		m.prefix, m.remaining = [2]byte(id[:]), idsPerPrefix
	}
	m.remaining--
	copy(id[:], m.prefix[:])
	return id.String(), nil
}

func (s *Service) newID() (string, error) { return s.ids.next(s.rand) }
