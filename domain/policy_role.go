package domain

import (
	"slices"
	"strconv"
	"strings"

	"countersign/domain/policy"
)

// roleUse returns what refers to a role, with the enabled policies that name it.
func roleUse(r Reader, id string) (RoleUse, error) {
	use, err := r.RoleUse(id)
	if err != nil {
		return use, err
	}
	current, err := r.Policies()
	for _, v := range current {
		if v.Enabled && v.namesRole(id) {
			use.Policies = append(use.Policies, Holder{ID: v.ID, Name: v.Name})
		}
	}
	return use, err
}

// namesRole reports whether the document names a role. One that cannot be read does if it
// has the role's id anywhere.
func (v *PolicyVersion) namesRole(id string) bool {
	document, _ := v.parse()
	if document == nil {
		return strings.Contains(v.Document, strconv.Quote(id))
	}
	return slices.ContainsFunc(document.References(), func(ref policy.Reference) bool { return !ref.IsKey && *ref.Name == id })
}

// namePolicies says in a refusal which policies name the role, "" if none does.
func (u RoleUse) namePolicies() string {
	if len(u.Policies) == 0 {
		return ""
	}
	var names []string
	for _, p := range u.Policies[:min(len(u.Policies), 5)] {
		names = append(names, p.Name)
	}
	if more := len(u.Policies) - len(names); more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return " Policies that name it: " + strings.Join(names, ", ") + "."
}
