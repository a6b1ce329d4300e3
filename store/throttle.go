package store

import (
	"crypto/sha256"
	"errors"
	"time"

	"countersign/domain"
)

// throttle is what is known of a subject: a name or an address, of which only
// the hash is kept.
type throttle struct {
	hash []byte
	domain.Throttle
}

var throttles = newTable("volatile_throttles", 1, func(t *throttle) []column {
	return []column{{"hash", blob(&t.hash)}, {"failures", number(&t.Failures)}, {"seen_at", moment(&t.SeenAt)}}
})

// throttleHash makes subjects equal that name the same account.
func throttleHash(subject string) []byte {
	hash := sha256.Sum256([]byte(fold(subject)))
	return hash[:]
}

func (r *reader) Throttle(subject string) (domain.Throttle, error) {
	t, err := throttles.one(r, "WHERE hash = $1", throttleHash(subject))
	if errors.Is(err, domain.ErrNotFound) {
		return domain.Throttle{}, nil
	}
	if err != nil {
		return domain.Throttle{}, err
	}
	return t.Throttle, nil
}

func (x *tx) SetThrottle(subject string, t domain.Throttle) error {
	hash := throttleHash(subject)
	if t.Failures == 0 {
		return throttles.remove(x, "hash = $1", hash)
	}
	return throttles.put(x, &throttle{hash, t})
}

func (x *tx) PruneThrottles(seenBefore time.Time) error {
	return throttles.remove(x, "seen_at < $1", micros(seenBefore))
}
