package domain

import (
	"context"
	"errors"
	"strings"
	"time"

	"countersign/domain/credential"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// KeyInput is a new key as a form or a command asks for it.
type KeyInput struct {
	Name      string
	Roles     []string      // ids or names
	Owner     string        // id or name of a user; empty: none
	MayDecide bool          // needs an owner
	Lifetime  time.Duration // zero: it does not expire
}

// KeyRow is a key as lists show it.
type KeyRow struct {
	Key
	HeldRoles []*Role   // in the order of Roles; see RoleOptions.Selected
	Owner     string    // the owner's name
	UsedAt    time.Time // zero: never

	OwnerDisabled bool
}

// Status is the key's own, or "owner disabled", as such a key cannot be used.
func (k *KeyRow) Status(now time.Time) string {
	if k.OwnerDisabled && k.IsActive(now) {
		return "owner disabled"
	}
	return k.Key.Status(now)
}

// AuthenticateCached returns whose key a text is. A key that was authenticated less
// than a minute ago costs no transaction: its hash never changes, and every use case
// checks in its own transaction whether it is in force. A caller that answers without a
// use case must call Principal.
func (s *Service) AuthenticateCached(ctx context.Context, text string) (Ref, error) {
	id, hash, err := credential.ParseKey(text)
	if use, ok := s.recentUse(id); err == nil && ok && credential.Equal(use.hash, hash) {
		return Ref{KindAgent, id}, nil
	}
	p, err := s.Authenticate(ctx, text)
	if err != nil {
		return Ref{}, err
	}
	return p.Ref, nil
}

// Authenticate returns the principal of an API key. Every invalid key gets the same
// answer.
func (s *Service) Authenticate(ctx context.Context, text string) (p *Principal, err error) {
	unknown := refuse(CodeUnauthenticated, "A valid key is needed, such as cs_….")
	id, hash, err := credential.ParseKey(text)
	if err != nil {
		return nil, unknown
	}
	err = s.store.View(ctx, func(r Reader) error {
		k, err := r.Key(id)
		if errors.Is(err, ErrNotFound) || err == nil && !credential.Equal(k.Hash, hash) {
			return unknown
		} else if err != nil {
			return err
		}
		p, err = s.principal(r, k.ref())
		return err
	})
	if err == nil {
		s.touchKey(ctx, id, hash, p.Group)
	}
	return p, err
}

// keyTouchInterval is how often the use of a key is written to the database at most.
const keyTouchInterval = time.Minute

// keyUse is when a key's use was last written, with the hash of its secret and its
// group.
type keyUse struct {
	hash  []byte
	group Group
	at    time.Time
}

// recentUse returns a use that was written less than keyTouchInterval ago.
func (s *Service) recentUse(id string) (keyUse, bool) {
	use, ok := s.keyUses.Get(id)
	return use, ok && s.clock().Sub(use.at) < keyTouchInterval
}

// touchKey writes that a key was used, for administrators to see. Errors are ignored:
// they do not concern the agent.
func (s *Service) touchKey(ctx context.Context, id string, hash []byte, group Group) {
	if _, ok := s.recentUse(id); ok {
		return
	}
	now := s.clock()
	s.keyUses.Put(id, keyUse{hash, group, now}, 1)
	_ = s.store.Tx(ctx, func(tx Tx) error { return tx.TouchKey(id, now) })
}

// Keys lists all keys. Needs key.read.
func (s *Service) Keys(ctx context.Context, ref Ref) (list []*KeyRow, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(KeyRead, KeyModify); err != nil {
			return err
		}
		keys, err := r.Keys()
		if err == nil {
			list, err = keyRows(r, p, keys)
		}
		return err
	})
	return list, err
}

// KeyRows lists a page of keys by name, then age. Needs key.read.
func (s *Service) KeyRows(ctx context.Context, ref Ref, f KeyFilter, page Page) (list []*KeyRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(KeyRead, KeyModify); err != nil {
			return err
		}
		var keys []*Key
		if keys, next, err = r.KeyPage(f, page); err == nil {
			list, err = keyRows(r, p, keys)
		}
		return err
	})
	return list, next, err
}

func keyRows(r Reader, p *Principal, keys []*Key) (list []*KeyRow, err error) {
	for _, k := range keys {
		row := &KeyRow{Key: *k}
		if row.UsedAt, err = r.KeyUsedAt(k.ID); err != nil {
			return nil, err
		}
		if row.HeldRoles, err = heldRoles(r, p, k.Roles); err != nil {
			return nil, err
		}
		if k.OwnerID != "" {
			owner, err := r.User(k.OwnerID)
			if err != nil {
				return nil, notFoundOr(err, "user who owns the key "+k.Name)
			}
			row.Owner, row.OwnerDisabled = owner.Name, owner.Disabled
		}
		list = append(list, row)
	}
	return list, nil
}

// CreateKey creates a key. Its text is returned once and stored nowhere. Needs
// key.modify and everything that the roles allow. A key that may decide needs an owner.
// Creating a key for another user needs "*": whoever has it acts in that user's place.
// Its creator may not decide its requests.
func (s *Service) CreateKey(ctx context.Context, ref Ref, in KeyInput) (key *Key, text string, err error) {
	if err := checkNewName("name", in.Name); err != nil {
		return nil, "", err
	}
	if in.MayDecide && in.Owner == "" {
		return nil, "", Invalid("owner", "required", "A key that may decide needs an owner.")
	}
	if in.Lifetime < 0 {
		return nil, "", Invalid("expires", "limit", "A key expires after at least one day.")
	}
	secret, err := credential.NewKey(s.rand)
	if err != nil {
		return nil, "", err
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(KeyModify); err != nil {
			return err
		}
		roles, err := grantableRoles(tx, p, in.Roles)
		if err != nil {
			return err
		}
		now := s.clock()
		key = &Key{ID: secret.ID, Name: in.Name, Hash: secret.Hash, CreatedBy: p.Group, MayDecide: in.MayDecide, Roles: roleIDs(roles), CreatedAt: now}
		if in.Lifetime > 0 {
			key.ExpiresAt = now.Add(in.Lifetime)
		}
		if in.Owner != "" {
			owner, err := findUser(tx, in.Owner)
			if ErrorCode(err) == CodeNotFound || err == nil && owner.Disabled {
				return Invalid("owner", "reference", "There is no enabled user %s.", in.Owner)
			} else if err != nil {
				return err
			}
			if p.Ref != owner.ref() && !p.Can(Everything) {
				return &Error{Code: CodeMissingCapability, Capability: Everything,
					Message: "You need the capability * to create a key for another user. Create it for yourself or without an owner."}
			}
			key.OwnerID = owner.ID
		}
		keys, err := tx.Keys()
		if err != nil {
			return err
		}
		for _, other := range keys {
			if other.IsActive(now) && strings.EqualFold(other.Name, in.Name) {
				return refuse(CodeIDTaken, "There already is a key named %s. Revoke it first, or choose another name.", in.Name)
			}
		}
		if err := tx.InsertKey(key); err != nil {
			return err
		}
		facts := []any{"name", key.Name, "roles", key.Roles, "owner", key.OwnerID, "made_by", key.CreatedBy, "may_decide", key.MayDecide}
		if !key.ExpiresAt.IsZero() {
			facts = append(facts, "expires_at", mplp.RenderTime(key.ExpiresAt))
		}
		return s.log(tx, p, evidence.Entry{Type: "key.created", ObjectID: key.ID, Data: data(facts...)})
	})
	return key, secret.Text, err
}

// RevokeKey ends a key at once. It is found by id, or by name if it is in force. Needs
// key.modify.
func (s *Service) RevokeKey(ctx context.Context, ref Ref, idOrName string) error {
	return s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(KeyModify); err != nil {
			return err
		}
		key, err := findKey(tx, idOrName)
		if err != nil {
			return err
		}
		if !key.RevokedAt.IsZero() {
			return refuse(CodeInvalidTransition, "The key is already revoked.")
		}
		key.RevokedAt = s.clock()
		if err := tx.UpdateKey(key); err != nil {
			return err
		}
		s.keyUses.Delete(key.ID)
		return s.log(tx, p, evidence.Entry{Type: "key.revoked", ObjectID: key.ID, Data: data("name", key.Name)})
	})
}

func findKey(r Reader, idOrName string) (*Key, error) {
	key, err := r.Key(idOrName)
	if err == nil || !errors.Is(err, ErrNotFound) {
		return key, err
	}
	keys, err := r.Keys()
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if k.RevokedAt.IsZero() && strings.EqualFold(k.Name, idOrName) {
			return k, nil
		}
	}
	return nil, errNotFound("key")
}
