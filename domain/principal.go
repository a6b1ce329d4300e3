package domain

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind says what a principal is.
type Kind string

// The kinds of principals.
const (
	KindUser   Kind = "user"
	KindAgent  Kind = "agent"
	KindSystem Kind = "system"
)

// Ref names a principal by kind and id.
type Ref struct {
	Kind Kind
	ID   string
}

// System is the clock, and the command line, whose operator owns the database.
var System = Ref{Kind: KindSystem}

// String returns "user:<id>", "key:<id>" or "system".
func (r Ref) String() string {
	switch r.Kind {
	case KindUser:
		return "user:" + r.ID
	case KindAgent:
		return "key:" + r.ID
	}
	return "system"
}

// ParseRef reads what String writes.
func ParseRef(s string) Ref {
	prefix, id, _ := strings.Cut(s, ":")
	switch prefix {
	case "user":
		return Ref{KindUser, id}
	case "key":
		return Ref{KindAgent, id}
	}
	return System
}

// Group is a principal group: a user with all keys they own ("user:<id>"), or a key
// without an owner ("key:<id>"). Nobody decides what their own group requested, or a
// key that they created.
type Group string

// Principal is who acts, with the roles held now. It is loaded anew in every
// transaction, so that a revoked right ends at once.
type Principal struct {
	Ref
	Name      string
	Group     Group
	Roles     []*Role   // in the order they were given
	MayDecide bool      // false for keys that may not decide, whatever their roles
	expires   time.Time // of a key; zero: it does not
}

// isActive reports whether the principal's key has not expired since it was loaded.
func (p *Principal) isActive(now time.Time) bool { return p.expires.IsZero() || now.Before(p.expires) }

// Can reports whether one of the roles grants the capability.
func (p *Principal) Can(c Capability) bool {
	return p.Kind == KindSystem || slices.ContainsFunc(p.Roles, func(r *Role) bool { return r.Grants(c) })
}

// CanAny reports whether one of the capabilities is granted.
func (p *Principal) CanAny(cs ...Capability) bool { return slices.ContainsFunc(cs, p.Can) }

// CanReadContexts reports whether the principal may see contexts: whoever may change
// something may see it, here and below.
func (p *Principal) CanReadContexts() bool { return p.CanAny(ContextRead, ContextModify) }

// CanReadRoles reports whether the principal may see roles.
func (p *Principal) CanReadRoles() bool { return p.CanAny(RoleRead, RoleModify) }

// CanReadUsers reports whether the principal may see users.
func (p *Principal) CanReadUsers() bool { return p.CanAny(UserRead, UserModify) }

// CanReadKeys reports whether the principal may see keys.
func (p *Principal) CanReadKeys() bool { return p.CanAny(KeyRead, KeyModify) }

// CanReadDestinations reports whether the principal may see destinations.
func (p *Principal) CanReadDestinations() bool {
	return p.CanAny(DestinationRead, DestinationModify)
}

// CanReadPolicies reports whether the principal may see policies.
func (p *Principal) CanReadPolicies() bool { return p.CanAny(PolicyRead, PolicyModify) }

// Holds reports whether the principal holds the role with this id.
func (p *Principal) Holds(roleID string) bool {
	return slices.ContainsFunc(p.Roles, func(r *Role) bool { return r.ID == roleID })
}

// Covers reports whether the principal holds everything that the role allows. Nobody
// grants what they do not hold.
func (p *Principal) Covers(r *Role) bool { return p.checkCanGrant(r.Capabilities) == nil }

// checkCanGrant refuses capabilities that the principal does not hold, naming the
// first.
func (p *Principal) checkCanGrant(list []Capability) error {
	if p.Kind == KindSystem {
		return nil
	}
	var held []Capability
	for _, own := range p.Roles {
		held = append(held, own.Capabilities...)
	}
	for _, c := range list {
		if !covers(held, c) {
			return &Error{Code: CodeMissingCapability, Capability: c,
				Message: fmt.Sprintf("You can grant only what you hold. You do not hold %s.", c)}
		}
	}
	return nil
}

// covers is grants for a capability that may be a wildcard: plan.* is covered by plan.*
// or "*", never by a list of its actions.
func covers(held []Capability, c Capability) bool {
	if c == Everything {
		return slices.Contains(held, Everything)
	}
	return grants(held, c)
}

// leastCapableRole returns the role to act in: the least capable one that grants all
// these capabilities, nil if no single role does.
func (p *Principal) leastCapableRole(needed ...Capability) *Role {
	var best *Role
	for _, r := range p.Roles {
		if slices.ContainsFunc(needed, func(c Capability) bool { return !r.Grants(c) }) {
			continue
		}
		if best == nil || r.breadth() < best.breadth() {
			best = r
		}
	}
	return best
}

// require refuses a principal without the capability.
func (p *Principal) require(c Capability) error {
	if !p.Can(c) {
		return errMissingCapability(c)
	}
	return nil
}

// requireAny refuses a principal with none of the capabilities, naming the first.
func (p *Principal) requireAny(cs ...Capability) error {
	if !p.CanAny(cs...) {
		return errMissingCapability(cs[0])
	}
	return nil
}

// canDecide reports whether the principal may decide at all.
func (p *Principal) canDecide() bool { return p.MayDecide && p.CanAny(ConfirmApprove, ConfirmReject) }
