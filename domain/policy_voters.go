package domain

import (
	"fmt"
	"slices"

	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// Shortage is a threshold that too few people may fill.
type Shortage struct {
	Role            string // its name
	Needed, Holders int    // see RoleHolders
}

// RoleHolders says how many people may vote in a role: enabled users who hold it, and
// confirm.approve by any of their roles.
type RoleHolders struct {
	Role    string // its name
	Holders int
}

// CountVoters counts the people who may vote in each role, by its id.
func CountVoters(users []*User, roles []*Role) map[string]int {
	approves := map[string]bool{}
	for _, role := range roles {
		approves[role.ID] = role.Grants(ConfirmApprove)
	}
	count := map[string]int{}
	for _, u := range users {
		if u.Disabled || !slices.ContainsFunc(u.Roles, func(id string) bool { return approves[id] }) {
			continue
		}
		for _, id := range u.Roles {
			count[id]++
		}
	}
	return count
}

// shortages returns the thresholds that too few people may fill.
func (n *policyNames) shortages(d *policy.Document, voters map[string]int) (list []Shortage) {
	for _, t := range d.Quorum {
		if voters[t.Role] < t.Approvals {
			list = append(list, Shortage{Role: n.roleName(t.Role), Needed: t.Approvals, Holders: voters[t.Role]})
		}
	}
	return list
}

// unattainable warns of thresholds that too few people may fill. The requester's own user
// is none of them.
func unattainable(r Reader, c *Confirm, requires *quorum.Requires) (warnings []mplp.Warning, err error) {
	may, err := r.Voters()
	if err != nil {
		return nil, err
	}
	var own []string
	if of := ParseRef(string(c.RequestedGroup)); of.Kind == KindUser {
		user, err := r.User(of.ID)
		if err != nil {
			return nil, err
		}
		own = user.Roles
	}
	for _, seat := range requires.Quorum {
		n := may[seat.Role]
		if n > 0 && slices.Contains(own, seat.Role) {
			n--
		}
		for _, also := range seat.Also {
			n += may[also.Role]
		}
		if n >= seat.Approvals {
			continue
		}
		name, err := roleName(r, seat.Role)
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, mplp.Warning{Path: "requires", Code: CodeUnattainable,
			Message: fmt.Sprintf("Policies require %d of %s, and %d may approve. Unless that changes, it will time out.", seat.Approvals, name, n)})
	}
	return warnings, nil
}
