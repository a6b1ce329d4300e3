package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// RoleInput is a role as a form or a JSON body gives it. Native is the JSON
// object, or nil from a form: then what is stored is kept and changed.
type RoleInput struct {
	ID           string // empty: generated
	Name         string
	Description  string
	Capabilities []string
	Locked       bool
	Native       *mplp.Object
}

// RoleFromJSON makes an input of a posted role.
func RoleFromJSON(r *mplp.Role) RoleInput {
	return RoleInput{ID: r.ID, Name: r.Name, Description: r.Description, Capabilities: r.Capabilities, Locked: r.Locked, Native: r.Native}
}

// Check refuses what no role may have, whatever roles there are.
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
		if err := p.needsAny(RoleRead, RoleModify); err != nil {
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
		if err := p.needsAny(RoleRead, RoleModify); err != nil {
			return err
		}
		list, next, err = r.RoleRows(f, page)
		return err
	})
	return list, next, err
}

// Role finds a role by id, then by name, with what uses it. Needs role.read.
func (s *Service) Role(ctx context.Context, ref Ref, idOrName string) (role *Role, use RoleUse, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if role, err = findRole(r, idOrName); err != nil {
			return err
		}
		if err := p.needsAny(RoleRead, RoleModify); err != nil {
			return err
		}
		use, err = r.RoleUse(role.ID)
		return err
	})
	return role, use, err
}

func findRole(r Reader, idOrName string) (*Role, error) {
	role, err := r.Role(idOrName)
	if errors.Is(err, ErrNotFound) {
		role, err = r.RoleByName(idOrName)
	}
	return role, found(err, "role")
}

// Can answers S1's check for a role (requirements ). An unknown
// role can nothing, and that is an answer, not an error. Anyone known may ask.
func (s *Service) Can(ctx context.Context, ref Ref, idOrName, capability string) (allowed bool, err error) {
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

// CreateRole stores a new role. Needs role.modify and everything the role
// allows.
func (s *Service) CreateRole(ctx context.Context, ref Ref, in RoleInput) (*Role, error) {
	if err := checkNewName("name", in.Name); err != nil {
		return nil, err
	}
	capabilities, err := in.check()
	if err != nil {
		return nil, err
	}
	role := &Role{ID: in.ID, Name: in.Name, Description: in.Description, Capabilities: capabilities, Locked: in.Locked}
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if role.ID == "" {
			if role.ID, err = s.newID(); err != nil {
				return err
			}
		}
		if err := p.needs(RoleModify); err != nil {
			return err
		}
		if err := p.mayGrant(role.Capabilities); err != nil {
			return err
		}
		if err := nameFree(tx, role); err != nil {
			return err
		}
		if _, err := tx.Role(role.ID); err == nil {
			return refuse(CodeIDTaken, "There is a role with the id %s already.", role.ID)
		}
		role.CreatedAt = s.clock()
		role.UpdatedAt = role.CreatedAt
		native := in.Native
		if native == nil {
			native = mplp.NewObject()
			mplp.SetLocked(native, role.Locked)
		}
		role.Native = roleNative(native, role)
		if err := tx.InsertRole(role); err != nil {
			return taken(err, "role")
		}
		return s.log(tx, p, evidence.Entry{Type: "role.created", ObjectID: role.ID,
			Data: data("name", role.Name, "granted", role.Capabilities)})
	})
	return role, err
}

// UpdateRole replaces a role's name, description and capabilities. Needs
// role.modify and every capability that the role gains; nobody adds to a role
// they hold themselves.
func (s *Service) UpdateRole(ctx context.Context, ref Ref, id string, in RoleInput) (role *Role, err error) {
	capabilities, err := in.check()
	if err != nil {
		return nil, err
	}
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if role, err = findRole(tx, id); err != nil {
			return err
		}
		if in.ID != "" && in.ID != role.ID {
			return Invalid("role_id", "const", "The id of a role does not change.")
		}
		if err := p.needs(RoleModify); err != nil {
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
		if err := p.mayGrant(granted); err != nil {
			return err
		}
		if len(granted) > 0 && p.Kind != KindSystem && p.Holds(role.ID) {
			return refuse(CodeMissingCapability, "Nobody adds capabilities to a role they hold themselves. Ask another administrator.")
		}
		if before.Locked && (in.Locked || len(granted)+len(revoked) > 0 || before.Name != in.Name || before.Description != in.Description) {
			return refuse(CodeLocked, "The role is locked. Unlock it first, changing nothing else.")
		}
		role.Locked = in.Locked
		if err := nameFree(tx, role); err != nil {
			return err
		}
		native := in.Native
		if native == nil {
			if native, err = mplp.ParseObject(before.Native, s.limits.Wire()); err != nil {
				return err
			}
			mplp.SetLocked(native, role.Locked)
		}
		event := Event{Type: "role.modified", Entry: &evidence.Entry{At: role.UpdatedAt},
			Facts: map[string]any{"granted": granted, "revoked": revoked}}
		if event.ID, err = s.newID(); err != nil {
			return err
		}
		role.Native = mplp.AppendEvent(roleNative(native, role), before.Native, event.object())
		return keepingAdministrator(tx, func() error {
			if err := tx.UpdateRole(role); err != nil {
				return err
			}
			return s.log(tx, p, evidence.Entry{Type: "role.modified", ObjectID: role.ID,
				Data: data("name", role.Name, "granted", granted, "revoked", revoked, "locked", role.Locked)})
		})
	})
	return role, err
}

// DeleteRole removes a role that nothing uses. Needs role.modify. The role
// admin never goes.
func (s *Service) DeleteRole(ctx context.Context, ref Ref, id string) error {
	return s.as(ctx, ref, func(tx Tx, p *Principal) error {
		role, err := findRole(tx, id)
		if err != nil {
			return err
		}
		if err := p.needs(RoleModify); err != nil {
			return err
		}
		if role.Locked {
			return refuse(CodeLocked, "The role is locked.")
		}
		if role.ID == AdminRole {
			return refuse(CodeRoleInUse, "The role admin cannot be deleted.")
		}
		use, err := tx.RoleUse(role.ID)
		if err != nil {
			return err
		}
		if use.Any() {
			return refuse(CodeRoleInUse, "The role is in use, by users: %d, keys: %d, pending confirms: %d.", len(use.Users), len(use.Keys), use.Confirms)
		}
		if err := tx.DeleteRole(role.ID); err != nil {
			return err
		}
		return s.log(tx, p, evidence.Entry{Type: "role.deleted", ObjectID: role.ID, Data: data("name", role.Name, "revoked", role.Capabilities)})
	})
}

// nameFree refuses a name that another role has, as name or as id: roles are
// found by id, then by name, and both must mean the same one.
func nameFree(r Reader, role *Role) error {
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

// roleNative is the JSON object of a role: what was sent, with the members the
// server decides.
func roleNative(o *mplp.Object, r *Role) []byte {
	if _, ok := o.Get("meta"); !ok {
		o.Set("meta", mplp.DefaultMeta())
	}
	o.Set("role_id", mplp.String(r.ID))
	o.Set("name", mplp.String(r.Name))
	// A null that means what the server holds is given back as it was sent.
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
