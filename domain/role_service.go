package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// RoleInput is a role as a form or a JSON body sends it. Native is the JSON, nil from a
// form: then the stored JSON is changed.
type RoleInput struct {
	ID           string // empty: generated
	Name         string
	Description  string
	Capabilities []string
	Locked       bool
	Native       *mplp.Object
}

// RoleFromJSON converts a posted role.
func RoleFromJSON(r *mplp.Role) RoleInput {
	return RoleInput{ID: r.ID, Name: r.Name, Description: r.Description, Capabilities: r.Capabilities, Locked: r.Locked, Native: r.Native}
}

// Check refuses what no role may have, whatever other roles there are.
func (in *RoleInput) Check() error {
	_, err := in.check()
	return err
}

func (in *RoleInput) check() ([]Capability, error) {
	if err := checkName("name", in.Name); err != nil {
		return nil, err
	}
	var problems []mplp.Problem
	var list []Capability
	for i, text := range in.Capabilities {
		path := fmt.Sprintf("capabilities[%d]", i)
		c, err := ParseCapability(text)
		switch {
		case err != nil:
			problems = append(problems, mplp.Problem{Path: path, Code: "pattern", Message: fmt.Sprintf("%q: %v", text, err)})
		case slices.Contains(list, c):
			problems = append(problems, mplp.Problem{Path: path, Code: "unique", Message: fmt.Sprintf("%q stands there twice", text)})
		default:
			list = append(list, c)
		}
	}
	if len(in.Capabilities) > 64 {
		problems = append(problems, mplp.Problem{Path: "capabilities", Code: "limit", Message: "A role has at most 64 capabilities."})
	}
	if problems != nil {
		return nil, &Error{Code: CodeInvalid, Message: "Some capabilities are malformed.", Problems: problems}
	}
	return list, nil
}

// Roles lists all roles by name. Needs role.read.
func (s *Service) Roles(ctx context.Context, ref Ref) (list []*Role, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(RoleRead, RoleModify); err != nil {
			return err
		}
		list, err = r.Roles()
		return err
	})
	return list, err
}

// RoleRows lists a page of roles by name with how many hold them. Needs
// role.read.
func (s *Service) RoleRows(ctx context.Context, ref Ref, f RoleFilter, page Page) (list []*RoleRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(RoleRead, RoleModify); err != nil {
			return err
		}
		list, next, err = r.RoleRows(f, page)
		return err
	})
	return list, next, err
}

// Role returns a role, found by id or by name, and what uses it. Needs role.read.
func (s *Service) Role(ctx context.Context, ref Ref, idOrName string) (role *Role, use RoleUse, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if role, err = findRole(r, idOrName); err != nil {
			return err
		}
		if err := p.requireAny(RoleRead, RoleModify); err != nil {
			return err
		}
		use, err = roleUse(r, role.ID)
		return err
	})
	return role, use, err
}

func findRole(r Reader, idOrName string) (*Role, error) {
	role, err := r.Role(idOrName)
	if errors.Is(err, ErrNotFound) {
		role, err = r.RoleByName(idOrName)
	}
	return role, notFoundOr(err, "role")
}

// RoleCan reports whether a role grants a capability. An unknown role grants nothing,
// without an error. Any principal may ask.
func (s *Service) RoleCan(ctx context.Context, ref Ref, idOrName, capability string) (allowed bool, err error) {
	required, err := ParseCapability(capability)
	if err != nil {
		return false, Invalid("capability", "pattern", "%q: %v", capability, err)
	}
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		role, err := findRole(r, idOrName)
		if ErrorCode(err) == CodeNotFound {
			return nil
		}
		if err == nil {
			allowed = covers(role.Capabilities, required)
		}
		return err
	})
	return allowed, err
}

// CreateRole stores a new role. Needs role.modify and everything that the role allows.
func (s *Service) CreateRole(ctx context.Context, ref Ref, in RoleInput) (*Role, error) {
	if err := checkNewName("name", in.Name); err != nil {
		return nil, err
	}
	capabilities, err := in.check()
	if err != nil {
		return nil, err
	}
	role := &Role{ID: in.ID, Name: in.Name, Description: in.Description, Capabilities: capabilities, Locked: in.Locked}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if role.ID == "" {
			if role.ID, err = s.newID(); err != nil {
				return err
			}
		}
		if err := p.require(RoleModify); err != nil {
			return err
		}
		if err := p.checkCanGrant(role.Capabilities); err != nil {
			return err
		}
		if err := checkNameFree(tx, role); err != nil {
			return err
		}
		if _, err := tx.Role(role.ID); err == nil {
			return refuse(CodeIDTaken, "There already is a role with the id %s.", role.ID)
		}
		role.CreatedAt = s.clock()
		role.UpdatedAt = role.CreatedAt
		native := in.Native
		if native == nil {
			native = mplp.NewObject()
			mplp.SetLocked(native, role.Locked)
		}
		role.Native = roleJSON(native, role)
		if err := tx.InsertRole(role); err != nil {
			return conflictOr(err, "role")
		}
		return s.log(tx, p, evidence.Entry{Type: "role.created", ObjectID: role.ID,
			Data: data("name", role.Name, "granted", role.Capabilities)})
	})
	return role, err
}

// UpdateRole replaces a role's name, description and capabilities. Needs role.modify
// and every capability that the role gains. Nobody adds to a role that they hold.
func (s *Service) UpdateRole(ctx context.Context, ref Ref, id string, in RoleInput) (role *Role, err error) {
	capabilities, err := in.check()
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if role, err = findRole(tx, id); err != nil {
			return err
		}
		if in.ID != "" && in.ID != role.ID {
			return Invalid("role_id", "const", "You cannot change the id of a role.")
		}
		if err := p.require(RoleModify); err != nil {
			return err
		}
		before := *role
		if in.Name != role.Name {
			if err := checkNewName("name", in.Name); err != nil {
				return err
			}
		}
		granted, revoked := roleDiff(role.Capabilities, capabilities)
		role.Name, role.Description, role.Capabilities, role.UpdatedAt = in.Name, in.Description, capabilities, s.clock()
		if err := p.checkCanGrant(granted); err != nil {
			return err
		}
		if len(granted) > 0 && p.Kind != KindSystem && p.Holds(role.ID) {
			return refuse(CodeMissingCapability, "You cannot add capabilities to a role that you hold. Ask another administrator.")
		}
		if before.Locked && (in.Locked || len(granted)+len(revoked) > 0 || before.Name != in.Name || before.Description != in.Description) {
			return refuse(CodeLocked, "The role is locked. Unlock it first, without other changes.")
		}
		role.Locked = in.Locked
		if err := checkNameFree(tx, role); err != nil {
			return err
		}
		native := in.Native
		if native == nil {
			if native, err = mplp.ParseObject(before.Native, s.limits.MPLP()); err != nil {
				return err
			}
			mplp.SetLocked(native, role.Locked)
		}
		event := Event{Type: "role.modified", Entry: &evidence.Entry{At: role.UpdatedAt},
			Facts: map[string]any{"granted": granted, "revoked": revoked}}
		if event.ID, err = s.newID(); err != nil {
			return err
		}
		role.Native = mplp.AppendEvent(roleJSON(native, role), before.Native, event.object())
		return keepAdministrator(tx, func() error {
			if err := tx.UpdateRole(role); err != nil {
				return err
			}
			return s.log(tx, p, evidence.Entry{Type: "role.modified", ObjectID: role.ID,
				Data: data("name", role.Name, "granted", granted, "revoked", revoked, "locked", role.Locked)})
		})
	})
	return role, err
}

// DeleteRole removes a role that nothing refers to. Needs role.modify. The role admin
// stays.
func (s *Service) DeleteRole(ctx context.Context, ref Ref, id string) error {
	return s.write(ctx, ref, func(tx Tx, p *Principal) error {
		role, err := findRole(tx, id)
		if err != nil {
			return err
		}
		if err := p.require(RoleModify); err != nil {
			return err
		}
		if role.Locked {
			return refuse(CodeLocked, "The role is locked.")
		}
		if role.ID == AdminRole {
			return refuse(CodeRoleInUse, "You cannot delete the role admin.")
		}
		use, err := roleUse(tx, role.ID)
		if err != nil {
			return err
		}
		if use.IsUsed() {
			return refuse(CodeRoleInUse, "The role is in use by users: %d, keys: %d, pending requests: %d.%s", len(use.Users), len(use.Keys), use.Confirms, use.namePolicies())
		}
		if err := tx.DeleteRole(role.ID); err != nil {
			return err
		}
		return s.log(tx, p, evidence.Entry{Type: "role.deleted", ObjectID: role.ID, Data: data("name", role.Name, "revoked", role.Capabilities)})
	})
}

// checkNameFree refuses a name that is another role's name or id: roles are found by
// either.
func checkNameFree(r Reader, role *Role) error {
	for _, find := range []func(string) (*Role, error){r.RoleByName, r.Role} {
		for _, key := range []string{role.Name, role.ID} {
			other, err := find(key)
			if errors.Is(err, ErrNotFound) || err == nil && other.ID == role.ID {
				continue
			} else if err != nil {
				return err
			}
			return refuse(CodeIDTaken, "Another role has the name or id %s.", key)
		}
	}
	return nil
}

// roleJSON returns the JSON of a role: what was sent, with the members that the server
// sets.
func roleJSON(o *mplp.Object, r *Role) []byte {
	if _, ok := o.Get("meta"); !ok {
		o.Set("meta", mplp.DefaultMeta())
	}
	o.Set("role_id", mplp.String(r.ID))
	o.Set("name", mplp.String(r.Name))
	// A null that agrees with what is stored is returned as it was sent.
	given := func(name string) bool {
		sent, ok := o.Get(name)
		return ok && string(sent) != "null"
	}
	if given("description") || r.Description != "" {
		o.Set("description", mplp.String(r.Description))
	}
	if given("capabilities") || len(r.Capabilities) > 0 {
		list := make([]string, len(r.Capabilities))
		for i, c := range r.Capabilities {
			list[i] = string(c)
		}
		o.Set("capabilities", mplp.Strings(list))
	}
	if _, sent := o.Get("created_at"); !sent {
		o.Set("created_at", mplp.String(mplp.RenderTime(r.CreatedAt)))
	}
	if _, sent := o.Get("updated_at"); !sent || r.UpdatedAt.After(r.CreatedAt) {
		o.Set("updated_at", mplp.String(mplp.RenderTime(r.UpdatedAt)))
	}
	return o.Bytes()
}
