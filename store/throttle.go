package store

import (
	"crypto/sha256"
	"errors"
	"time"

	"countersign/domain"
	"countersign/domain/glyph"
)

// throttle is what is known of a subject: a name or an address, of which only
// the hash is kept.
type throttle struct {
	hash []byte
	domain.LoginThrottle
}

var throttles = newTable("volatile_throttles", 1, func(t *throttle) []column {
	return []column{{"hash", blob(&t.hash)}, {"failures", number(&t.Failures)}, {"seen_at", moment(&t.SeenAt)}}
})

// throttleHash makes subjects equal that name the same account.
func throttleHash(subject string) []byte {
	hash := sha256.Sum256([]byte(glyph.Fold(subject)))
	return hash[:]
}

func (r *reader) Throttle(subject string) (domain.LoginThrottle, error) {
	t, err := throttles.get(r, "WHERE hash = $1", throttleHash(subject))
	if errors.Is(err, domain.ErrNotFound) {
		return domain.LoginThrottle{}, nil
	}
	if err != nil {
		return domain.LoginThrottle{}, err
	}
	return t.LoginThrottle, nil
}

func (x *tx) SetThrottle(subject string, t domain.LoginThrottle) error {
	hash := throttleHash(subject)
	if t.Failures == 0 {
		return throttles.remove(x, "hash = $1", hash)
	}
	return throttles.upsert(x, &throttle{hash, t})
}

func (x *tx) PruneThrottles(seenBefore time.Time) error {
	return throttles.remove(x, "seen_at < $1", micros(seenBefore))
}
