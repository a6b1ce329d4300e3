package domain

import (
	"io"
	"sync"

	"github.com/google/uuid"
)

// neighbours is how many ids in succession begin alike.
const neighbours = 256

// ids makes ids: lower-case UUIDs v4 (requirements C-6), of which neighbours
// begin with the same two random bytes. What is stored of confirms that are
// posted together then lies together in every index of ids, and a group of them
// changes a few pages instead of one for each. A hundred and six random bits are
// left, and an id tells nothing of its time.
type ids struct {
	mu    sync.Mutex
	begin [2]byte
	left  int
}

func (m *ids) next(random io.Reader) (string, error) {
	id, err := uuid.NewRandomFromReader(random)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		m.begin, m.left = [2]byte(id[:]), neighbours
	}
	m.left--
	copy(id[:], m.begin[:])
	return id.String(), nil
}

func (s *Service) newID() (string, error) { return s.ids.next(s.rand) }
