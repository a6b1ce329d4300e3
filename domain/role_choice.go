package domain

import (
	"context"
	"strings"
)

// RoleChoice are the roles that a form offers to be given away. However many there
// are, it stays small: those given already, and a page of the others.
type RoleChoice struct {
	// Given are those asked for. Of one that the reader may not look up there is
	// nothing but its id, also as its name.
	Given []*Role
	Found []*Role // by name; those given may be among them
	More  bool    // there are more to find
}

// RoleChoice finds the roles given, by id or name, each once, and a page of those
// that the filter leaves. Without role.read nobody finds any but their own.
func (s *Service) RoleChoice(ctx context.Context, ref Ref, given []string, f RoleFilter, limit int) (*RoleChoice, error) {
	choice := new(RoleChoice)
	err := s.read(ctx, ref, func(r Reader, p *Principal) (err error) {
		had := map[string]bool{}
		for _, name := range given {
			role, err := lookUpRole(r, p, name)
			if err != nil {
				return err
			}
			if role != nil && !had[role.ID] {
				choice.Given, had[role.ID] = append(choice.Given, role), true
			}
		}
		if p.ReadsRoles() {
			rows, next, err := r.RoleRows(f, Page{Limit: limit})
			for _, row := range rows {
				choice.Found = append(choice.Found, &row.Role)
			}
			choice.More = next != ""
			return err
		}
		for _, role := range p.Roles {
			switch matches := strings.Contains(strings.ToLower(role.Name), strings.ToLower(f.Name)); {
			case matches && len(choice.Found) == limit:
				choice.More = true
			case matches:
				choice.Found = append(choice.Found, role)
			}
		}
		return nil
	})
	return choice, err
}

// lookUpRole finds a role by id or name for a principal, who without role.read
// learns of none but their own whether it exists. It is nil when there is none.
func lookUpRole(r Reader, p *Principal, idOrName string) (*Role, error) {
	if !p.ReadsRoles() {
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

// heldRoles are the roles with these ids as the principal may know them. A revoked
// key keeps roles that are gone.
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
