package store

import (
	"errors"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/domain/glyph"
)

var keys = newTable("keys", 1, func(k *domain.Key) []column {
	return []column{
		{"key_id", text(&k.ID)},
		{"name", text(&k.Name)},
		{"name_folded", folded(&k.Name)},
		{"hash", blob(&k.Hash)},
		{"owner_id", text(&k.OwnerID)},
		{"made_by", text(&k.CreatedBy)},
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
	return cached(r, keys.name, "key_id", id, func() (*domain.Key, error) {
		k, proven, err := keys.latestClaimed(r, "object_id", id, "WHERE key_id = $1", id)
		if err != nil {
			return nil, err
		}
		k.Roles, err = r.rolesOf(keyRoles, id, proven.seq)
		return k, err
	})
}

const keysByName = " ORDER BY name_folded, created_at, key_id"

func (r *reader) Keys() ([]*domain.Key, error) {
	return r.keysHeld(keysByName)
}

func (r *reader) KeysOf(userID string) ([]*domain.Key, error) {
	return r.keysHeld("WHERE owner_id = $1"+keysByName, userID)
}

// keyPages makes the cursors of KeyPage, which hold the id of a key: that is never
// removed.
var keyPages = keyset{list: "k"}

func (r *reader) KeyPage(f domain.KeyFilter, p domain.Page) (page []*domain.Key, next string, err error) {
	var filter []condition
	if p.Cursor != "" {
		after, err := keyPages.parse(p.Cursor)
		if err != nil {
			return nil, "", err
		}
		last, err := r.Key(after.tie)
		if errors.Is(err, domain.ErrNotFound) {
			return nil, "", domain.ErrBadCursor
		} else if err != nil {
			return nil, "", err
		}
		filter = append(filter, condition{"(name_folded, created_at, key_id) > (?, ?, ?)", []any{glyph.Fold(last.Name), micros(last.CreatedAt), last.ID}})
	}
	if f.Name != "" {
		filter = append(filter, condition{"(name_folded LIKE ? ESCAPE '!' OR key_id = ?)", []any{likePattern(glyph.Fold(f.Name)), f.Name}})
	}
	limit, rest := pageLimit(p), new(statement)
	rest.where(filter)
	rest.add(fmt.Sprintf("%s LIMIT %d", keysByName, limit+1))
	page, err = r.keysHeld(rest.String(), rest.args...)
	if len(page) > limit {
		page = page[:limit]
		next = keyPages.cursor(position{tie: page[limit-1].ID})
	}
	return page, next, err
}

// keysHeld are a few keys, each with the roles it holds.
func (r *reader) keysHeld(rest string, args ...any) ([]*domain.Key, error) {
	list, err := keys.all(r, rest, args...)
	if err != nil {
		return nil, err
	}
	return each(list, func(k *domain.Key) (*domain.Key, error) { return r.Key(k.ID) })
}

func (r *reader) KeyUsedAt(id string) (time.Time, error) {
	use, err := keyUses.get(r, "WHERE key_id = $1", id)
	if errors.Is(err, domain.ErrNotFound) {
		return time.Time{}, nil
	} else if err != nil {
		return time.Time{}, err
	}
	return use.used, nil
}

func (x *tx) InsertKey(k *domain.Key) error {
	if err := keys.insert(x, k); err != nil {
		return err
	}
	return x.hold(keyRoles, k.ID, k.Roles)
}

// UpdateKey replaces the key's roles too.
func (x *tx) UpdateKey(k *domain.Key) error {
	if err := updateKey.update(x, k, errGone); err != nil {
		return err
	}
	if err := keyRoles.remove(x, "key_id = $1", k.ID); err != nil {
		return err
	}
	return x.hold(keyRoles, k.ID, k.Roles)
}

func (x *tx) TouchKey(id string, used time.Time) error { return keyUses.upsert(x, &keyUse{id, used}) }
