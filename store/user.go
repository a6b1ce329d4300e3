package store

import (
	"errors"
	"slices"

	"countersign/domain"
	"countersign/domain/glyph"
)

var users = newTable("users", 1, func(u *domain.User) []column {
	return []column{
		{"user_id", text(&u.ID)},
		{"name", text(&u.Name)},
		{"name_folded", folded(&u.Name)},
		{"password", text(&u.Password)},
		{"disabled", flag(&u.Disabled)},
		{"created_at", moment(&u.CreatedAt)},
		{"updated_at", moment(&u.UpdatedAt)},
		{"ended_seq", number(&u.EndedSeq)},
	}
})

var updateUser = users.change("", 0)

// holding is one role that a user or a key holds; positions keep the order in
// which roles were given.
type holding struct {
	holder, role string
	position     int
}

var userRoles = newTable("user_roles", 2, func(h *holding) []column {
	return []column{
		{"user_id", text(&h.holder)},
		{"role_id", text(&h.role)},
		{"position", number(&h.position)},
	}
})

func (r *reader) User(id string) (*domain.User, error) { return r.user("user_id", id) }

func (r *reader) UserByName(name string) (*domain.User, error) {
	return r.user("name_folded", glyph.Fold(name))
}

func (r *reader) user(column, value string) (*domain.User, error) {
	return cached(r, users.name, column, value, func() (*domain.User, error) {
		id := value
		if column != "user_id" {
			named, err := users.get(r, "WHERE "+column+" = $1", value)
			if err != nil {
				return nil, err
			}
			id = named.ID
		}
		u, proven, err := users.latestClaimed(r, "object_id", id, "WHERE user_id = $1", id)
		if err != nil {
			return nil, err
		}
		u.Roles, err = r.rolesOf(userRoles, u.ID, proven.seq)
		return u, err
	})
}

func (r *reader) Users() ([]*domain.User, error) {
	list, err := users.all(r, "ORDER BY name_folded")
	if err != nil {
		return nil, err
	}
	return each(list, func(u *domain.User) (*domain.User, error) { return r.User(u.ID) })
}

// voterCount is what the cache has: every request that needs votes asks for it.
type voterCount struct{ inRole map[string]int }

func (r *reader) Voters() (map[string]int, error) {
	count, err := cached(r, users.name, "voters", "", func() (*voterCount, error) {
		users, err := r.Users()
		if err != nil {
			return nil, err
		}
		roles, err := r.Roles()
		return &voterCount{domain.CountVoters(users, roles)}, err
	})
	if err != nil {
		return nil, err
	}
	return count.inRole, nil
}

// userPages makes the cursors of UserPage.
var userPages = keyset{list: "u"}

func (r *reader) UserPage(f domain.UserFilter, p domain.Page) ([]*domain.User, string, error) {
	page, next, err := namePage(r, users, userPages, f.Name, p, nil, func(u *domain.User) string { return u.Name })
	if err != nil {
		return nil, "", err
	}
	page, err = each(page, func(u *domain.User) (*domain.User, error) { return r.User(u.ID) })
	return page, next, err
}

// rolesOf returns the ids of the roles that a user or a key holds, in the order they
// were given. A change of the holder writes all of them anew, so they are exactly
// those that the holder's own entry names, which has the number: a row of before is
// none, and none may be missing.
func (r *reader) rolesOf(t *table[holding], id string, seq int64) ([]string, error) {
	rows, claims, err := t.claimed(r, "WHERE "+t.columns[0]+" = $1 ORDER BY position", id)
	if err != nil {
		return nil, t.wrap("read", err)
	}
	named, err := r.presentRows(seq, t.name, id+"/")
	if err != nil {
		return nil, err
	}
	if len(named) != len(claims) {
		return nil, claim{table: t.name, key: id, seq: seq}.unproven()
	}
	var roles []string
	for i, c := range claims {
		if !slices.ContainsFunc(named, c.isNamedBy) {
			return nil, c.unproven()
		}
		roles = append(roles, rows[i].role)
	}
	return roles, nil
}

func (x *tx) InsertUser(u *domain.User) error {
	if err := users.insert(x, u); err != nil {
		return err
	}
	return x.hold(userRoles, u.ID, u.Roles)
}

func (x *tx) UpdateUser(u *domain.User) error {
	if err := updateUser.update(x, u, errGone); err != nil {
		return err
	}
	if err := userRoles.remove(x, "user_id = $1", u.ID); err != nil {
		return err
	}
	return x.hold(userRoles, u.ID, u.Roles)
}

func (x *tx) hold(t *table[holding], holder string, roleIDs []string) error {
	for i, role := range roleIDs {
		err := t.insert(x, &holding{holder, role, i})
		if errors.Is(err, domain.ErrConflict) { // one that was removed is still there
			err = claim{table: t.name, key: holder + "/" + role}.unproven()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
