package domain

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"countersign/domain/credential"
	"countersign/domain/evidence"
)

// Types of entries about users. Those from entryUserReset on end sessions.
const (
	entryUserCreated   = "user.created"
	entryUserReset     = "user.reset"
	entryUserDisabled  = "user.disabled"
	entryPasswordSet   = "user.password_set"
	entrySessionsEnded = "user.sessions_ended"
	entrySignedOut     = "user.signed_out"
)

// UserRows lists a page of users by name. Needs user.read.
func (s *Service) UserRows(ctx context.Context, ref Ref, f UserFilter, page Page) (list []*UserRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(UserRead, UserModify); err != nil {
			return err
		}
		var users []*User
		if users, next, err = r.UserPage(f, page); err != nil {
			return err
		}
		for _, u := range users {
			row, err := s.userRow(r, p, u)
			if err != nil {
				return err
			}
			list = append(list, row)
		}
		return nil
	})
	return list, next, err
}

// User returns a user, found by id or by name. Needs user.read.
func (s *Service) User(ctx context.Context, ref Ref, idOrName string) (row *UserRow, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(UserRead, UserModify); err != nil {
			return err // before revealing whether the user exists
		}
		u, err := findUser(r, idOrName)
		if err == nil {
			row, err = s.userRow(r, p, u)
		}
		return err
	})
	return row, err
}

func (s *Service) userRow(r Reader, p *Principal, u *User) (row *UserRow, err error) {
	row, now := &UserRow{User: *u}, s.clock()
	if row.HeldRoles, err = heldRoles(r, p, u.Roles); err != nil {
		return nil, err
	}
	if row.Reset, err = wasReset(r, u); err != nil {
		return nil, err
	}
	sessions, err := s.sessionsOf(r, u)
	if err != nil {
		return nil, err
	}
	for _, session := range sessions { // some may have ended by time
		if session.IsActive(now) {
			row.Sessions++
		}
		if session.SeenAt.After(row.SeenAt) {
			row.SeenAt = session.SeenAt
		}
	}
	if !p.CanReadKeys() {
		return row, nil
	}
	keys, err := r.KeysOf(u.ID)
	for _, k := range keys {
		if k.IsActive(now) {
			row.Keys = append(row.Keys, k)
		}
	}
	return row, err
}

// wasReset reports whether a user without a password had one: an invited user has yet
// to choose their first.
func wasReset(r Reader, u *User) (bool, error) {
	if u.Password != "" {
		return false, nil
	}
	resets, err := r.Entries(EntryFilter{ObjectID: u.ID, Type: entryUserReset, Newest: true})
	return slices.ContainsFunc(resets, func(e *evidence.Entry) bool {
		var facts struct{ Voided bool }
		return json.Unmarshal(e.Data, &facts) == nil && facts.Voided
	}), err
}

func findUser(r Reader, idOrName string) (*User, error) {
	u, err := r.User(idOrName)
	if errors.Is(err, ErrNotFound) {
		u, err = r.UserByName(idOrName)
	}
	return u, notFoundOr(err, "user")
}

// AddUser creates a user with a password, or without one and with a one-time link to
// choose it. The link's token is shown once. Needs user.modify and everything that the
// roles allow.
func (s *Service) AddUser(ctx context.Context, ref Ref, name string, roles []string, password string) (user *User, token string, err error) {
	if err := checkNewName("username", name); err != nil {
		return nil, "", err
	}
	hash := ""
	if password != "" {
		if hash, err = s.hashPassword(ctx, name, password); err != nil {
			return nil, "", err
		}
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(UserModify); err != nil {
			return err
		}
		user, err = s.insertUser(tx, p, name, roles, hash)
		if err == nil && password == "" {
			token, err = s.newLink(tx, user)
		}
		return err
	})
	return user, token, err
}

func (s *Service) insertUser(tx Tx, p *Principal, name string, roleNames []string, hash string, facts ...any) (*User, error) {
	roles, err := grantableRoles(tx, p, roleNames)
	if err != nil {
		return nil, err
	}
	if _, err := tx.UserByName(name); err == nil {
		return nil, refuse(CodeIDTaken, "There already is a user named %s.", name)
	} else if !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	now := s.clock()
	u := &User{ID: id, Name: name, Password: hash, Roles: roleIDs(roles), CreatedAt: now, UpdatedAt: now}
	if err := tx.InsertUser(u); err != nil {
		return nil, err
	}
	return u, s.log(tx, p, evidence.Entry{Type: entryUserCreated, ObjectID: u.ID, Data: data(append(facts, "name", u.Name, "roles", u.Roles)...)})
}

// findRoles resolves names or ids of roles: at least one, each once.
func findRoles(r Reader, names []string) ([]*Role, error) {
	var roles []*Role
	for _, name := range names {
		role, err := findRole(r, name)
		if ErrorCode(err) == CodeNotFound {
			return nil, Invalid("roles", "reference", "There is no role %s.", name)
		} else if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(roles, func(other *Role) bool { return other.ID == role.ID }) {
			roles = append(roles, role)
		}
	}
	if len(roles) == 0 {
		return nil, Invalid("roles", "min_items", "Choose at least one role.")
	}
	return roles, nil
}

// grantableRoles is findRoles for roles that the principal may grant.
func grantableRoles(r Reader, p *Principal, names []string) ([]*Role, error) {
	roles, err := findRoles(r, names)
	if err != nil {
		return nil, err
	}
	for _, role := range roles {
		if err := p.checkCanGrant(role.Capabilities); err != nil {
			return nil, err
		}
	}
	return roles, nil
}

// AssignRoles replaces a user's roles. Needs user.modify and everything that the added
// roles allow. Nobody changes their own.
func (s *Service) AssignRoles(ctx context.Context, ref Ref, id string, roleNames []string) error {
	return s.changeUser(ctx, ref, id, "user.roles_assigned", func(tx Tx, p *Principal, u *User) ([]any, error) {
		if p.Ref == u.ref() {
			return nil, refuse(CodeMissingCapability, "You cannot change your own roles. Ask another administrator.")
		}
		roles, err := findRoles(tx, roleNames)
		if err != nil {
			return nil, err
		}
		for _, role := range roles {
			if slices.Contains(u.Roles, role.ID) {
				continue
			}
			if err := p.checkCanGrant(role.Capabilities); err != nil {
				return nil, err
			}
		}
		before := u.Roles
		u.Roles = roleIDs(roles)
		return []any{"before", before, "roles", u.Roles}, nil
	})
}

// DisableUser ends a user's sessions and stops their keys at once. Needs user.modify.
func (s *Service) DisableUser(ctx context.Context, ref Ref, id string) error {
	return s.changeUser(ctx, ref, id, entryUserDisabled, func(tx Tx, p *Principal, u *User) ([]any, error) {
		if u.Disabled {
			return nil, refuse(CodeInvalidTransition, "The user is already disabled.")
		}
		u.Disabled = true
		return nil, s.endSessions(tx, u, keepNone)
	})
}

// EnableUser enables a disabled user. Needs user.modify.
func (s *Service) EnableUser(ctx context.Context, ref Ref, id string) error {
	return s.changeUser(ctx, ref, id, "user.enabled", func(_ Tx, _ *Principal, u *User) ([]any, error) {
		if !u.Disabled {
			return nil, refuse(CodeInvalidTransition, "The user is not disabled.")
		}
		u.Disabled = false
		return nil, nil
	})
}

// ResetUser voids a user's password, ends their sessions and returns the token of a
// one-time link to choose another. Needs user.modify and everything that the user may
// do, as the link gives access to that account.
func (s *Service) ResetUser(ctx context.Context, ref Ref, id string) (token string, err error) {
	err = s.changeUser(ctx, ref, id, entryUserReset, func(tx Tx, p *Principal, u *User) ([]any, error) {
		if _, err := grantableRoles(tx, p, u.Roles); err != nil {
			return nil, err
		}
		voided := u.Password != ""
		u.Password = ""
		if err := s.endSessions(tx, u, keepNone); err != nil {
			return nil, err
		}
		token, err = s.newLink(tx, u)
		return []any{"voided", voided}, err
	})
	return token, err
}

// EndSessions signs a user out everywhere. Needs user.modify, or to be that user. An
// invited or reset user has no sessions, and keeps the one-time link.
func (s *Service) EndSessions(ctx context.Context, ref Ref, id string) error {
	return s.write(ctx, ref, func(tx Tx, p *Principal) error {
		u, err := findUser(tx, id)
		if own := err == nil && p.Ref == u.ref(); !own {
			if err := p.require(UserModify); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if u.Password == "" {
			return nil
		}
		if err := s.endSessions(tx, u, keepNone); err != nil {
			return err
		}
		if err := tx.UpdateUser(u); err != nil {
			return err
		}
		return s.logUser(tx, p, u, entrySessionsEnded)
	})
}

// changeUser loads a user, changes it, writes and logs.
func (s *Service) changeUser(ctx context.Context, ref Ref, id, event string, change func(Tx, *Principal, *User) (facts []any, err error)) error {
	return s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(UserModify); err != nil {
			return err
		}
		u, err := findUser(tx, id)
		if err != nil {
			return err
		}
		return keepAdministrator(tx, func() error {
			facts, err := change(tx, p, u)
			if err != nil {
				return err
			}
			u.UpdatedAt = s.clock()
			if err := tx.UpdateUser(u); err != nil {
				return err
			}
			return s.logUser(tx, p, u, event, facts...)
		})
	})
}

// keepAdministrator runs a change and refuses it if it would leave no enabled user with
// "*": nobody could undo that in the browser.
func keepAdministrator(tx Tx, change func() error) error {
	before, err := hasAdministrator(tx)
	if err != nil {
		return err
	}
	if err := change(); err != nil || !before {
		return err
	}
	after, err := hasAdministrator(tx)
	if err == nil && !after {
		return refuse(CodeRoleInUse, "One enabled user with the capability * must remain.")
	}
	return err
}

func hasAdministrator(r Reader) (bool, error) {
	users, err := r.Users()
	if err != nil {
		return false, err
	}
	roles, err := r.Roles()
	if err != nil {
		return false, err
	}
	for _, role := range roles {
		if !slices.Contains(role.Capabilities, Everything) {
			continue
		}
		if slices.ContainsFunc(users, func(u *User) bool { return !u.Disabled && slices.Contains(u.Roles, role.ID) }) {
			return true, nil
		}
	}
	return false, nil
}

// hashPassword checks and hashes a new password. It is slow on purpose, so call it
// outside of transactions.
func (s *Service) hashPassword(ctx context.Context, name, password string) (string, error) {
	if err := checkPassword(name, password); err != nil {
		return "", err
	}
	return s.hasher.Hash(ctx, password)
}

func checkPassword(name, password string) error {
	if err := credential.CheckPassword(password, name); err != nil {
		return Invalid("password", "pattern", "The %v.", err)
	}
	return nil
}
