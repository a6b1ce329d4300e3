package store

import (
	"errors"

	"countersign/domain"
	"countersign/domain/glyph"
	"countersign/store/driver"
)

var roles = newTable("roles", 1, func(r *domain.Role) []column {
	return []column{
		{"role_id", text(&r.ID)},
		{"canonical_id", canonical("role", &r.ID)},
		{"name", text(&r.Name)},
		{"name_folded", folded(&r.Name)},
		{"description", text(&r.Description)},
		{"capabilities", list(&r.Capabilities)},
		{"locked", flag(&r.Locked)},
		{"native", blob(&r.Native)},
		{"created_at", moment(&r.CreatedAt)},
		{"updated_at", moment(&r.UpdatedAt)},
	}
})

var updateRole = roles.change("", 0)

func (r *reader) Role(id string) (*domain.Role, error) { return r.role("role_id", id) }

func (r *reader) RoleByName(name string) (*domain.Role, error) {
	return r.role("name_folded", glyph.Fold(name))
}

func (r *reader) role(column, value string) (*domain.Role, error) {
	return cached(r, roles.name, column, value, func() (*domain.Role, error) {
		id := value
		if column != "role_id" {
			named, err := roles.get(r, "WHERE "+column+" = $1", value)
			if err != nil {
				return nil, err
			}
			id = named.ID
		}
		return roles.latest(r, "object_id", id, "WHERE role_id = $1", id)
	})
}

func (r *reader) Roles() ([]*domain.Role, error) {
	list, err := roles.all(r, "ORDER BY name_folded")
	if err != nil {
		return nil, err
	}
	return each(list, func(role *domain.Role) (*domain.Role, error) { return r.Role(role.ID) })
}

// rolePages makes the cursors of RoleRows.
var rolePages = keyset{list: "n"}

func (r *reader) RoleRows(f domain.RoleFilter, p domain.Page) (rows []*domain.RoleRow, next string, err error) {
	page, next, err := namePage(r, roles, rolePages, f.Name, p, func(r *domain.Role) int { return len(r.Native) }, func(r *domain.Role) string { return r.Name })
	for _, role := range page {
		row := &domain.RoleRow{Role: *role}
		rows = append(rows, row)
		err = errors.Join(err, r.Row(`SELECT (SELECT COUNT(*) FROM user_roles WHERE role_id = $1),
			(SELECT COUNT(*) FROM key_roles kr JOIN keys k ON k.key_id = kr.key_id WHERE kr.role_id = $1 AND k.revoked_at IS NULL)`,
			[]any{role.ID}, &row.Users, &row.Keys))
	}
	return rows, next, err
}

// pendingOfRole counts what waits for a role: what it alone may decide, and what it may
// vote on.
const pendingOfRole = `SELECT (SELECT COUNT(*) FROM confirms WHERE status = 'pending' AND imported = 0 AND quorum IS NULL AND required_role = $1)
	+ (SELECT COUNT(*) FROM confirm_roles WHERE role_id = $1)`

// RoleUse counts revoked keys out: they cannot come back, and would keep their
// roles for good.
func (r *reader) RoleUse(id string) (use domain.RoleUse, err error) {
	use.Users, err = r.holders(`SELECT u.user_id, u.name FROM user_roles ur JOIN users u ON u.user_id = ur.user_id
		WHERE ur.role_id = $1 ORDER BY u.name_folded`, id)
	if err != nil {
		return use, err
	}
	use.Keys, err = r.holders(`SELECT k.key_id, k.name FROM key_roles kr JOIN keys k ON k.key_id = kr.key_id
		WHERE kr.role_id = $1 AND k.revoked_at IS NULL ORDER BY k.name, k.created_at`, id)
	if err != nil {
		return use, err
	}
	err = r.Row(pendingOfRole, []any{id}, &use.Confirms)
	return use, err
}

func (r *reader) holders(text, role string) (list []domain.Holder, err error) {
	err = r.Conn.Query(text, []any{role}, func(rows driver.Row) error {
		var h domain.Holder
		err := rows.Scan(&h.ID, &h.Name)
		list = append(list, h)
		return err
	})
	return list, err
}

func (x *tx) InsertRole(r *domain.Role) error { return roles.insert(x, r) }

func (x *tx) UpdateRole(r *domain.Role) error { return updateRole.update(x, r, errGone) }

func (x *tx) DeleteRole(id string) error {
	written := len(x.Rows())
	err := roles.remove(x, "role_id = $1", id)
	if err == nil && len(x.Rows()) == written { // it is still there
		err = claim{table: roles.name, key: id}.unproven()
	}
	return err
}
