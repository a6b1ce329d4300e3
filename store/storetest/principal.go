package storetest

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

func role(id, name string) *domain.Role {
	return &domain.Role{ID: id, Name: name, Description: "may " + id, Capabilities: []domain.Capability{"plan.*", "trace.read"},
		Native: []byte(`{"role_id":"` + id + `","n":1e400}`), CreatedAt: at(0), UpdatedAt: at(1)}
}

func testRoles(t *testing.T, s Store) {
	want := role("r1", "Reviewer")
	bare := &domain.Role{ID: "r2", Name: "auditor", Locked: true}
	write(t, s, func(tx domain.Tx) error { return all(tx.InsertRole(want), tx.InsertRole(bare)) })
	same(t, "Role", want, read(t, s, func(r domain.Reader) (*domain.Role, error) { return r.Role("r1") }))
	same(t, "Role without optional members", bare, read(t, s, func(r domain.Reader) (*domain.Role, error) { return r.Role("r2") }))
	same(t, "Roles by name", []*domain.Role{bare, want}, read(t, s, domain.Reader.Roles))

	for name, query := range map[string]string{"as written": "Reviewer", "other case": "rEVIEWER", "full width": "Ｒｅｖｉｅｗｅｒ"} {
		same(t, "RoleByName "+name, want, read(t, s, func(r domain.Reader) (*domain.Role, error) { return r.RoleByName(query) }))
	}
	err := tryWrite(s, func(tx domain.Tx) error { return tx.InsertRole(role("r3", "REVIEWER")) })
	wantError(t, "a name that differs in case only", domain.ErrConflict, err)

	want.Name, want.Capabilities, want.Locked, want.UpdatedAt = "Checker", nil, true, at(9)
	write(t, s, func(tx domain.Tx) error { return tx.UpdateRole(want) })
	same(t, "Role after update", want, read(t, s, func(r domain.Reader) (*domain.Role, error) { return r.RoleByName("checker") }))

	write(t, s, func(tx domain.Tx) error { return tx.DeleteRole("r2") })
	same(t, "Roles after delete", []*domain.Role{want}, read(t, s, domain.Reader.Roles))
}

// roleRows are the names of a page of roles with how many users and keys hold
// each, and the cursor of the next page.
func roleRows(t *testing.T, s Store, f domain.RoleFilter, p domain.Page) (names []string, next string) {
	t.Helper()
	read(t, s, func(r domain.Reader) (rows []*domain.RoleRow, err error) {
		rows, next, err = r.RoleRows(f, p)
		for _, row := range rows {
			names = append(names, fmt.Sprintf("%s %d %d", row.Name, row.Users, row.Keys))
		}
		return rows, err
	})
	return names, next
}

func testRoleRows(t *testing.T, s Store) {
	revoked := key("k2", "retired", "r2")
	revoked.RevokedAt = at(5)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertRole(role("r1", "night_watch")), tx.InsertRole(role("r2", "Day watch")), tx.InsertRole(role("r3", "auditor 100%")),
			tx.InsertUser(user("u1", "first", "r2", "r1")), tx.InsertUser(user("u2", "second", "r2")),
			tx.InsertKey(key("k1", "agent", "r2")), tx.InsertKey(revoked))
	})
	first, next := roleRows(t, s, domain.RoleFilter{}, domain.Page{Limit: 2})
	same(t, "first page", []string{"auditor 100% 0 0", "Day watch 2 1"}, first)
	last, end := roleRows(t, s, domain.RoleFilter{}, domain.Page{Limit: 2, Cursor: next})
	same(t, "last page", []string{"night_watch 1 0"}, last)
	same(t, "its next", "", end)
	for name, want := range map[string][]string{
		"WATCH": {"Day watch 2 1", "night_watch 1 0"}, "t_w": {"night_watch 1 0"}, "0%": {"auditor 100% 0 0"}, "nobody": nil,
	} {
		found, _ := roleRows(t, s, domain.RoleFilter{Name: name}, domain.Page{})
		same(t, "with "+name+" in the name", want, found)
	}
	found, next := roleRows(t, s, domain.RoleFilter{Name: "watch"}, domain.Page{Limit: 1})
	rest, _ := roleRows(t, s, domain.RoleFilter{Name: "watch"}, domain.Page{Limit: 1, Cursor: next})
	same(t, "found page by page", []string{"Day watch 2 1", "night_watch 1 0"}, append(found, rest...))
}

func testRoleUse(t *testing.T, s Store) {
	revoked := key("k2", "retired", "r1")
	revoked.RevokedAt = at(5)
	required := confirm("c1", func(c *domain.Confirm) { c.RequiredRole = "r1" })
	decided := confirm("c2", func(c *domain.Confirm) { c.RequiredRole, c.Status = "r1", domain.Approved })
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertRole(role("r1", "one")), tx.InsertRole(role("r2", "two")),
			tx.InsertUser(user("u1", "first", "r1")), tx.InsertKey(key("k1", "agent", "r1")), tx.InsertKey(revoked),
			tx.InsertConfirm(required, content(required)), tx.InsertConfirm(decided, content(decided)))
	})
	use := func(id string) domain.RoleUse {
		return read(t, s, func(r domain.Reader) (domain.RoleUse, error) { return r.RoleUse(id) })
	}
	same(t, "use", domain.RoleUse{Users: []domain.Holder{{ID: "u1", Name: "first"}}, Keys: []domain.Holder{{ID: "k1", Name: "agent"}}, Confirms: 1}, use("r1"))
	same(t, "no use", domain.RoleUse{}, use("r2"))
}

func user(id, name string, roles ...string) *domain.User {
	return &domain.User{ID: id, Name: name, Password: "$argon2id$…", Roles: roles, CreatedAt: at(0), UpdatedAt: at(1)}
}

func testUsers(t *testing.T, s Store) {
	want, other := user("u1", "Zoe-Admin", "r2", "r1"), user("u2", "auditor")
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertRole(role("r1", "one")), tx.InsertRole(role("r2", "two")), tx.InsertUser(want), tx.InsertUser(other))
	})
	byName := func(name string) *domain.User {
		return read(t, s, func(r domain.Reader) (*domain.User, error) { return r.UserByName(name) })
	}
	same(t, "User", want, read(t, s, func(r domain.Reader) (*domain.User, error) { return r.User("u1") }))
	same(t, "UserByName", want, byName("ZOE-admin"))
	same(t, "Users by name", []*domain.User{other, want}, read(t, s, domain.Reader.Users))
	err := tryWrite(s, func(tx domain.Tx) error { return tx.InsertUser(user("u3", "AUDITOR")) })
	wantError(t, "a name that differs in case only", domain.ErrConflict, err)

	want.Name, want.Roles, want.Disabled = "reviewer", []string{"r1"}, true
	write(t, s, func(tx domain.Tx) error { return tx.UpdateUser(want) })
	same(t, "User after update", want, byName("reviewer"))
}

func key(id, name string, roles ...string) *domain.Key {
	return &domain.Key{ID: id, Name: name, Hash: []byte{1, 2, 3}, Roles: roles, CreatedAt: at(0)}
}

func testKeys(t *testing.T, s Store) {
	want := key("k1", "agent", "b", "a")
	want.OwnerID, want.CreatedBy, want.MayDecide, want.ExpiresAt = "u1", "user:u2", true, at(100)
	older := key("k2", "agent")
	older.CreatedAt = at(-1)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertUser(user("u1", "owner")), tx.InsertKey(want), tx.InsertKey(older))
	})
	same(t, "Key", want, read(t, s, func(r domain.Reader) (*domain.Key, error) { return r.Key("k1") }))
	same(t, "Keys by name and age", []*domain.Key{older, want}, read(t, s, domain.Reader.Keys))

	want.RevokedAt = at(7)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.UpdateKey(want), tx.TouchKey("k1", at(3)), tx.TouchKey("k1", at(4)))
	})
	same(t, "Key after update", want, read(t, s, func(r domain.Reader) (*domain.Key, error) { return r.Key("k1") }))
	used := func(id string) time.Time {
		return read(t, s, func(r domain.Reader) (time.Time, error) { return r.KeyUsedAt(id) })
	}
	same(t, "KeyUsed", at(4), used("k1"))
	same(t, "KeyUsed of one that was never used", time.Time{}, used("k2"))
	of := func(user string) []*domain.Key {
		return read(t, s, func(r domain.Reader) ([]*domain.Key, error) { return r.KeysOf(user) })
	}
	same(t, "KeysOf", []*domain.Key{want}, of("u1"))
	same(t, "KeysOf who owns none", 0, len(of("u2")))
}

func testUserPage(t *testing.T, s Store) {
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertRole(role("r1", "one")), tx.InsertRole(role("r2", "two")), tx.InsertUser(user("u1", "night_owl", "r2", "r1")),
			tx.InsertUser(user("u2", "Day owl")), tx.InsertUser(user("u3", "auditor 100%")))
	})
	page := func(f domain.UserFilter, p domain.Page) (names []string, next string) {
		read(t, s, func(r domain.Reader) (users []*domain.User, err error) {
			users, next, err = r.UserPage(f, p)
			for _, u := range users {
				names = append(names, u.Name+" "+strings.Join(u.Roles, " "))
			}
			return users, err
		})
		return names, next
	}
	first, next := page(domain.UserFilter{}, domain.Page{Limit: 2})
	same(t, "first page", []string{"auditor 100% ", "Day owl "}, first)
	last, end := page(domain.UserFilter{}, domain.Page{Limit: 2, Cursor: next})
	same(t, "last page", []string{"night_owl r2 r1"}, last)
	same(t, "its next", "", end)
	for name, want := range map[string][]string{"OWL": {"Day owl ", "night_owl r2 r1"}, "t_o": {"night_owl r2 r1"}, "0%": {"auditor 100% "}, "nobody": nil} {
		found, _ := page(domain.UserFilter{Name: name}, domain.Page{})
		same(t, "with "+name+" in the name", want, found)
	}
}

func testKeyPage(t *testing.T, s Store) {
	revoked, older := key("k3", "AGENT", "b"), key("k4", "agent")
	revoked.RevokedAt, older.CreatedAt = at(5), at(-1)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertKey(key("k1", "night_bot", "a", "b")), tx.InsertKey(key("k2", "Courier 100%")), tx.InsertKey(revoked), tx.InsertKey(older))
	})
	page := func(f domain.KeyFilter, p domain.Page) (names []string, next string) {
		read(t, s, func(r domain.Reader) (keys []*domain.Key, err error) {
			keys, next, err = r.KeyPage(f, p)
			for _, k := range keys {
				names = append(names, k.ID+" "+strings.Join(k.Roles, " "))
			}
			return keys, err
		})
		return names, next
	}
	first, next := page(domain.KeyFilter{}, domain.Page{Limit: 1})
	rest, end := page(domain.KeyFilter{}, domain.Page{Limit: 3, Cursor: next})
	same(t, "by name without case, then age", []string{"k4 ", "k3 b", "k2 ", "k1 a b"}, append(first, rest...))
	same(t, "the last page's next", "", end)
	for name, want := range map[string][]string{"Agent": {"k4 ", "k3 b"}, "t_b": {"k1 a b"}, "0%": {"k2 "}, "k2": {"k2 "}, "K2": nil} {
		found, _ := page(domain.KeyFilter{Name: name}, domain.Page{})
		same(t, "with the name or id "+name, want, found)
	}
	err := s.View(context.Background(), func(r domain.Reader) error {
		_, _, err := r.KeyPage(domain.KeyFilter{}, domain.Page{Cursor: base64.RawURLEncoding.EncodeToString([]byte("k:0:gone"))})
		return err
	})
	if domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("the cursor of a key that there is not: %v", err)
	}
}
