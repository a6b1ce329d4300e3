package web

import (
	"slices"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// maxRoleChoices is how many roles a form offers at a time, beside those that are
// ticked.
const maxRoleChoices = 12

// searchesRole reports whether a form was sent by the button that looks for roles. It
// changes nothing.
func (v *visit) searchesRole() bool { return v.field("find") == "role" }

// roleChoice offers roles to give away: those held or ticked already, and a page
// of those that were looked for.
func (s *Server) roleChoice(v *visit, chosen, held []string) (views.RoleChoice, error) {
	view := views.RoleChoice{Name: strings.TrimSpace(v.field("find_role"))}
	roles, err := s.svc.RoleOptions(v.ctx(), v.ref(), slices.Concat(held, chosen), domain.RoleFilter{Name: view.Name}, maxRoleChoices)
	if err != nil {
		return view, err
	}
	view.More, view.Searchable = roles.More, roles.More || view.Name != ""
	given := map[string]bool{}
	for _, role := range roles.Selected {
		given[role.ID] = true
		view.Given = append(view.Given, newRoleOption(v.user, role, chosen, held))
	}
	for _, role := range roles.Matches {
		if !given[role.ID] {
			view.Found = append(view.Found, newRoleOption(v.user, role, chosen, held))
		}
	}
	return view, nil
}

// newRoleOption is a check box for a role. One that the reader does not hold
// cannot be given; one that is held already can be left as it is.
func newRoleOption(reader *domain.Principal, role *domain.Role, chosen, held []string) views.Option {
	named := func(name string) bool { return name == role.ID || strings.EqualFold(name, role.Name) }
	return views.Option{
		Value: role.ID, Label: role.Name, Hint: allows(role),
		Selected: slices.ContainsFunc(chosen, named), Disabled: !reader.Covers(role) && !slices.Contains(held, role.ID),
	}
}

// allows words what a role allows.
func allows(role *domain.Role) string {
	if slices.Contains(role.Capabilities, domain.Everything) {
		return "everything (*)"
	}
	return strings.Join(names(role.Capabilities), ", ")
}

func roleNames(roles []*domain.Role) (list []string) {
	for _, role := range roles {
		list = append(list, role.Name)
	}
	return list
}
