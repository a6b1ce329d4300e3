package domain

import "time"

// Key is what an agent signs in with: an API key. The secret itself is shown
// once and never stored.
type Key struct {
	ID        string // 12 base62 characters, the public part of the text
	Name      string
	Hash      []byte // of the secret
	OwnerID   string // the user who answers for it; empty: none
	Maker     Group  // who made it, and decides nothing that it asks for; empty: the command line
	MayDecide bool   // the seeds' "authorized agent"; needs an owner
	Roles     []string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	RevokedAt time.Time // zero: in force
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

// Live says whether the key may be used at this time, its owner aside.
func (k *Key) Live(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Status is the one word that pages and lists have for the state of the key.
func (k *Key) Status(now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.Live(now):
		return "expired"
	}
	return "active"
}
