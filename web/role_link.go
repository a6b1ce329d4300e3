package web

import (
	"fmt"
	"strings"

	"countersign/domain"
	"countersign/views"
)

// rolePaths finds the address of the role that an object names, by id or by
// name. Nobody's links lead to pages they may not open.
type rolePaths map[string]string

func (s *Server) rolePaths(v *visit) (rolePaths, error) {
	if !v.user.CanReadRoles() {
		return nil, nil
	}
	roles, err := s.svc.Roles(v.ctx(), v.ref())
	paths := make(rolePaths, 2*len(roles))
	for _, role := range roles {
		paths[strings.ToLower(role.Name)] = rolePath(role.ID)
		paths[role.ID] = rolePath(role.ID)
	}
	return paths, err
}

// link shows a text that no role has as it is.
func (p rolePaths) link(text string) views.Link {
	path, known := p[text]
	if !known {
		path = p[strings.ToLower(text)]
	}
	return views.Link{Label: text, URL: path, Quoted: path == "" && text != ""}
}

// newRoleUses lists what keeps a role from being deleted.
func newRoleUses(use domain.RoleUse, reader *domain.Principal) []views.RoleUse {
	var confirms []views.Link
	if use.Confirms > 0 {
		confirms = []views.Link{{Label: fmt.Sprintf("%d require it", use.Confirms)}}
	}
	return fewUses(
		views.RoleUse{Label: "Users", Links: holderLinks(use.Users, userPath, reader.CanReadUsers())},
		views.RoleUse{Label: "Keys", Links: holderLinks(use.Keys, keyPath, reader.CanReadKeys())},
		views.RoleUse{Label: "Pending requests", Links: confirms},
		views.RoleUse{Label: "Enabled policies", Links: holderLinks(use.Policies, policyPath, reader.CanReadPolicies())},
	)
}

// holderLinks names who holds a role, with links for whoever may open them.
func holderLinks(holders []domain.Holder, path func(id string) string, may bool) []views.Link {
	links := make([]views.Link, len(holders))
	for i, h := range holders {
		links[i].Label = h.Name
		if may {
			links[i].URL = path(h.ID)
		}
	}
	return links
}

// newRoleReferences lists what names a role, a few of each kind.
func newRoleReferences(refs *domain.RoleReferences) []views.RoleUse {
	var confirms, steps, contexts []views.Link
	for _, c := range refs.Confirms {
		confirms = append(confirms, views.Link{Label: c.ID, URL: confirmPath(c.ID)})
	}
	for _, at := range refs.Steps {
		steps = append(steps, views.Link{Label: listedTitle(at.Step.Description), URL: planPath(at.Plan.ID), Quoted: true})
	}
	for _, c := range refs.Contexts {
		contexts = append(contexts, views.Link{Label: listedTitle(contextTitle(c)), URL: contextPath(c.ID), Quoted: true})
	}
	return fewUses(
		views.RoleUse{Label: "Requests made in this role", Links: confirms},
		views.RoleUse{Label: "Steps of recent plans", Links: steps},
		views.RoleUse{Label: "Contexts it owns", Links: contexts},
	)
}

const maxReferencesShown = 20

// fewUses leaves out the kinds that there are none of, and lists a few of each.
func fewUses(all ...views.RoleUse) (uses []views.RoleUse) {
	for _, use := range all {
		if more := len(use.Links) - maxReferencesShown; more > 0 {
			use.Links, use.More = use.Links[:maxReferencesShown], more
		}
		if len(use.Links) > 0 {
			uses = append(uses, use)
		}
	}
	return uses
}
