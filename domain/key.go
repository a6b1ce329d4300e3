package domain

import "time"

// Key is an API key, with which an agent signs in. The secret is shown once and never
// stored.
type Key struct {
	ID        string // 12 base62 characters, the public part of the key
	Name      string
	Hash      []byte // of the secret
	OwnerID   string // the user who answers for it; empty: none
	CreatedBy Group  // who may not decide its requests; empty: the command line
	MayDecide bool   // an authorized agent; needs an owner
	Roles     []string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	RevokedAt time.Time // zero: in force
}

// KeyReader reads keys.
type KeyReader interface {
	Key(id string) (*Key, error)
	Keys() ([]*Key, error) // by name, then age
	KeyPage(f KeyFilter, p Page) (list []*Key, next string, err error)
	KeysOf(userID string) ([]*Key, error)
	KeyUsedAt(id string) (time.Time, error) // zero: never
}

// KeyWriter writes keys. Their use is not logged.
type KeyWriter interface {
	InsertKey(*Key) error
	UpdateKey(*Key) error
	TouchKey(id string, used time.Time) error
}

// KeyFilter narrows a list of keys.
type KeyFilter struct {
	Name string // a part of it, case folded, or the whole id; empty: any
}

func (k *Key) ref() Ref { return Ref{KindAgent, k.ID} }

func (k *Key) group() Group {
	if k.OwnerID == "" {
		return Group(k.ref().String())
	}
	return Group("user:" + k.OwnerID)
}

// IsActive reports whether the key may be used at this time. It does not look at the
// owner.
func (k *Key) IsActive(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Status returns active, expired or revoked.
func (k *Key) Status(now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.IsActive(now):
		return "expired"
	}
	return "active"
}
