package store

import (
	"time"

	"countersign/domain"
)

var keys = newTable("keys", 1, func(k *domain.Key) []column {
	return []column{
		{"key_id", text(&k.ID)},
		{"name", text(&k.Name)},
		{"hash", blob(&k.Hash)},
		{"owner_id", text(&k.OwnerID)},
		{"may_decide", flag(&k.MayDecide)},
		{"created_at", moment(&k.CreatedAt)},
		{"expires_at", moment(&k.ExpiresAt)},
		{"revoked_at", moment(&k.RevokedAt)},
	}
})

var updateKey = keys.change("", 0)

var keyRoles = newTable("key_roles", 2, func(h *holding) []column {
	return []column{
		{"key_id", text(&h.holder)},
		{"role_id", text(&h.role)},
		{"position", number(&h.position)},
	}
})

// keyUse is when a key was last used.
type keyUse struct {
	key  string
	used time.Time
}

var keyUses = newTable("volatile_key_used", 1, func(u *keyUse) []column {
	return []column{{"key_id", text(&u.key)}, {"used_at", moment(&u.used)}}
})

func (r *reader) Key(id string) (*domain.Key, error) {
	return remembered(r, keys.name, "key_id", id, func() (*domain.Key, error) {
		k, err := keys.one(r, "WHERE key_id = $1", id)
		if err != nil {
			return nil, err
		}
		k.Roles, err = r.strings("SELECT role_id FROM key_roles WHERE key_id = $1 ORDER BY position", id)
		return k, err
	})
}

func (r *reader) Keys() ([]*domain.Key, error) {
	list, err := keys.all(r, "ORDER BY name, created_at, key_id")
	if err != nil {
		return nil, err
	}
	held, err := r.holdings(keyRoles)
	for _, k := range list {
		k.Roles = held[k.ID]
	}
	return list, err
}

func (r *reader) KeyLastUsed() (map[string]time.Time, error) {
	uses, err := keyUses.all(r, "")
	used := map[string]time.Time{}
	for _, u := range uses {
		used[u.key] = u.used
	}
	return used, err
}

func (x *tx) InsertKey(k *domain.Key) error {
	if err := keys.insert(x, k); err != nil {
		return err
	}
	return x.hold(keyRoles, k.ID, k.Roles)
}

// UpdateKey replaces the key's roles too.
func (x *tx) UpdateKey(k *domain.Key) error {
	if err := updateKey.run(x, k, domain.ErrNotFound); err != nil {
		return err
	}
	if err := keyRoles.remove(x, "key_id = $1", k.ID); err != nil {
		return err
	}
	return x.hold(keyRoles, k.ID, k.Roles)
}

func (x *tx) TouchKey(id string, used time.Time) error { return keyUses.put(x, &keyUse{id, used}) }
