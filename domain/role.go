package domain

import (
	"slices"
	"time"
)

// Role is a named set of capabilities. Native is its JSON as the client sent it; roles
// from forms have a minimal one.
type Role struct {
	ID           string
	Name         string
	Description  string
	Capabilities []Capability
	Locked       bool
	Native       []byte
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// RoleReader reads roles.
type RoleReader interface {
	Role(id string) (*Role, error)
	RoleByName(name string) (*Role, error) // case folded
	Roles() ([]*Role, error)               // by name
	RoleRows(f RoleFilter, p Page) (list []*RoleRow, next string, err error)
	RoleUse(id string) (RoleUse, error)
}

// RoleWriter writes roles.
type RoleWriter interface {
	InsertRole(*Role) error
	UpdateRole(*Role) error
	DeleteRole(id string) error
}

// AdminRole is the id of the role with every capability. It cannot be deleted.
const AdminRole = "admin"

// OpsRole is the id of a seeded role that a seeded policy names.
const OpsRole = "ops"

// SystemName is reserved: it is the role of decisions that the clock makes.
const SystemName = "system"

// Grants reports whether the role allows c.
func (r *Role) Grants(c Capability) bool { return grants(r.Capabilities, c) }

// breadth orders roles by how much they allow, so that decisions are made in the least
// capable role.
func (r *Role) breadth() int {
	n := len(r.Capabilities)
	for _, c := range r.Capabilities {
		switch {
		case c == Everything:
			n += 10_000
		case c[len(c)-1] == '*':
			n += 100
		}
	}
	return n
}

// SeededRoles are the roles of a new database: the protocol's, admin, and a list of people
// whom a seeded policy names.
func SeededRoles() []Role {
	role := func(name, description string, cs ...Capability) Role {
		return Role{ID: name, Name: name, Description: description, Capabilities: cs}
	}
	return []Role{
		role("planner", "Creates plans and proposes them", PlanCreate, PlanPropose),
		role("executor", "Executes approved plans", PlanExecute, TraceRead),
		role("reviewer", "Approves and rejects what agents request", ConfirmApprove, ConfirmReject, TraceRead),
		role("architect", "Designs plans and contexts", "plan.*", "context.*"),
		role("orchestrator", "Controls session flow", "collab.orchestrate", "plan.*"),
		role("coder", "Code implementation", PlanExecute, TraceRead),
		role("tester", "Test execution", PlanExecute, TraceRead),
		role("human_user", "Final approval", ConfirmApprove, PlanPropose),
		role(AdminRole, "Everything", Everything),
		role(OpsRole, "A list of people: who approves what goes to production"),
	}
}

// RoleUse says what refers to a role.
type RoleUse struct {
	Users    []Holder
	Keys     []Holder // not revoked
	Confirms int      // pending requests that require it
	Policies []Holder // enabled ones that name it; the store leaves them out
}

// Holder is a user or a key that holds a role, or a policy that names it.
type Holder struct{ ID, Name string }

// RoleFilter narrows a list of roles.
type RoleFilter struct {
	Name string // a part of it, case folded; empty: any
}

// RoleRow is a role as lists show it.
type RoleRow struct {
	Role
	Users int // that hold it
	Keys  int // that hold it and are not revoked
}

// IsUsed reports whether anything refers to the role, so that it cannot be deleted.
func (u RoleUse) IsUsed() bool { return len(u.Users)+len(u.Keys)+u.Confirms+len(u.Policies) > 0 }

func roleIDs(roles []*Role) []string {
	ids := make([]string, len(roles))
	for i, r := range roles {
		ids[i] = r.ID
	}
	return ids
}

// roleDiff returns what was granted and revoked between two sets.
func roleDiff(before, after []Capability) (granted, revoked []Capability) {
	granted, revoked = []Capability{}, []Capability{} // none is [] in the log
	for _, c := range after {
		if !slices.Contains(before, c) {
			granted = append(granted, c)
		}
	}
	for _, c := range before {
		if !slices.Contains(after, c) {
			revoked = append(revoked, c)
		}
	}
	return granted, revoked
}
