package store

import (
	"errors"

	"countersign/domain"
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
	return r.user("name_folded", fold(name))
}

func (r *reader) user(column, value string) (*domain.User, error) {
	return remembered(r, users.name, column, value, func() (*domain.User, error) {
		u, err := users.one(r, "WHERE "+column+" = $1", value)
		if err != nil {
			return nil, err
		}
		u.Roles, err = r.heldByUser(u.ID)
		return u, err
	})
}

func (r *reader) Users() ([]*domain.User, error) {
	list, err := users.all(r, "ORDER BY name_folded")
	if err != nil {
		return nil, err
	}
	held, err := r.holdings(userRoles)
	for _, u := range list {
		u.Roles = held[u.ID]
	}
	return list, err
}

// userPages makes the cursors of UserPage.
var userPages = keyset{list: "u"}

func (r *reader) UserPage(f domain.UserFilter, p domain.Page) ([]*domain.User, string, error) {
	page, next, err := namePage(r, users, userPages, f.Name, p, func(u *domain.User) string { return u.Name })
	for _, u := range page {
		var held error
		u.Roles, held = r.heldByUser(u.ID)
		err = errors.Join(err, held)
	}
	return page, next, err
}

func (r *reader) heldByUser(id string) ([]string, error) {
	return r.strings("SELECT role_id FROM user_roles WHERE user_id = $1 ORDER BY position", id)
}

// holdings are all roles held, by holder, in the order they were given.
func (r *reader) holdings(t *table[holding]) (map[string][]string, error) {
	rows, err := t.all(r, "ORDER BY position")
	held := map[string][]string{}
	for _, h := range rows {
		held[h.holder] = append(held[h.holder], h.role)
	}
	return held, err
}

func (x *tx) InsertUser(u *domain.User) error {
	if err := users.insert(x, u); err != nil {
		return err
	}
	return x.hold(userRoles, u.ID, u.Roles)
}

func (x *tx) UpdateUser(u *domain.User) error {
	if err := updateUser.run(x, u, domain.ErrNotFound); err != nil {
		return err
	}
	if err := userRoles.remove(x, "user_id = $1", u.ID); err != nil {
		return err
	}
	return x.hold(userRoles, u.ID, u.Roles)
}

func (x *tx) hold(t *table[holding], holder string, roleIDs []string) error {
	for i, role := range roleIDs {
		if err := t.insert(x, &holding{holder, role, i}); err != nil {
			return err
		}
	}
	return nil
}
