package domain

import (
	"slices"
	"time"
)

// Role is a named set of capabilities (S1). Native is the object as the client
// sent it; seeded roles and roles made in forms have a minimal one.
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

// AdminRole is the id of the role that holds everything. It cannot be deleted.
const AdminRole = "admin"

// SystemName is reserved: decisions that the clock makes carry it as role.
const SystemName = "system"

// Grants says whether the role allows c (requirements ).
func (r *Role) Grants(c Capability) bool { return grants(r.Capabilities, c) }

// breadth orders roles by how much they allow, so that decisions are made in
// the least capable role that suffices.
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

// SeededRoles are S1's two tables (requirements) and admin, as a new
// database holds them.
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
	}
}

// RoleUse counts what refers to a role.
type RoleUse struct {
	Users    []Holder // who hold it
	Keys     []Holder // that hold it and are not revoked
	Confirms int      // pending confirms that require it
}

// Holder is a user or a key that holds a role.
type Holder struct{ ID, Name string }

// RoleFilter narrows a list of roles.
type RoleFilter struct {
	Name string // a part of it, case folded; empty: any
}

// RoleRow is a role as lists show it.
type RoleRow struct {
	Role
	Users int // who hold it
	Keys  int // that hold it and are not revoked
}

// Any says whether the role is in use, so that it cannot be deleted.
func (u RoleUse) Any() bool { return len(u.Users)+len(u.Keys)+u.Confirms > 0 }

func roleIDs(roles []*Role) []string {
	ids := make([]string, len(roles))
	for i, r := range roles {
		ids[i] = r.ID
	}
	return ids
}

// roleDiff lists what was granted and revoked between two sets.
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
