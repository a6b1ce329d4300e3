package domain

import (
	"slices"

	"countersign/domain/policy"
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

// voters counts the people who may vote in each role, by its id.
func voters(r Reader) (map[string]int, error) {
	users, err := r.Users()
	if err != nil {
		return nil, err
	}
	roles, err := r.Roles()
	if err != nil {
		return nil, err
	}
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
	return count, nil
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
