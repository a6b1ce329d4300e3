package domain

import (
	"context"
	"strings"
)

// RoleOptions are the roles that a form offers: those selected, and a page of the
// others, however many there are.
type RoleOptions struct {
	// Selected are the roles asked for. One that the reader may not look up has its id
	// as name, and nothing else.
	Selected []*Role
	Matches  []*Role // by name; selected ones may be among them
	More     bool    // there are more matches
}

// RoleOptions returns the selected roles, given by id or name, each once, and a page of
// those that match the filter. Without role.read only the reader's own match.
func (s *Service) RoleOptions(ctx context.Context, ref Ref, given []string, f RoleFilter, limit int) (*RoleOptions, error) {
	choice := new(RoleOptions)
	err := s.read(ctx, ref, func(r Reader, p *Principal) (err error) {
		had := map[string]bool{}
		for _, name := range given {
			role, err := lookUpRole(r, p, name)
			if err != nil {
				return err
			}
			if role != nil && !had[role.ID] {
				choice.Selected, had[role.ID] = append(choice.Selected, role), true
			}
		}
		if p.CanReadRoles() {
			rows, next, err := r.RoleRows(f, Page{Limit: limit})
			for _, row := range rows {
				choice.Matches = append(choice.Matches, &row.Role)
			}
			choice.More = next != ""
			return err
		}
		for _, role := range p.Roles {
			switch matches := strings.Contains(strings.ToLower(role.Name), strings.ToLower(f.Name)); {
			case matches && len(choice.Matches) == limit:
				choice.More = true
			case matches:
				choice.Matches = append(choice.Matches, role)
			}
		}
		return nil
	})
	return choice, err
}

// lookUpRole finds a role by id or name, nil if there is none. Readers without
// role.read learn only of their own roles whether they exist.
func lookUpRole(r Reader, p *Principal, idOrName string) (*Role, error) {
	if !p.CanReadRoles() {
		for _, own := range p.Roles {
			if own.ID == idOrName || strings.EqualFold(own.Name, idOrName) {
				return own, nil
			}
		}
		return &Role{ID: idOrName, Name: idOrName}, nil
	}
	role, err := findRole(r, idOrName)
	if ErrorCode(err) == CodeNotFound {
		return nil, nil
	}
	return role, err
}

// heldRoles returns the roles with these ids as far as the principal may see them. A
// revoked key keeps roles that were deleted.
func heldRoles(r Reader, p *Principal, ids []string) ([]*Role, error) {
	var roles []*Role
	for _, id := range ids {
		role, err := lookUpRole(r, p, id)
		if err != nil {
			return nil, err
		}
		if role == nil {
			role = &Role{ID: id, Name: id}
		}
		roles = append(roles, role)
	}
	return roles, nil
}
