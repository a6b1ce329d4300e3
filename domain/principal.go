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

// Ref names a principal: whose id it is, and of which kind.
type Ref struct {
	Kind Kind
	ID   string
}

// System is the clock, and the command line, whose operator owns the database.
var System = Ref{Kind: KindSystem}

// String is "user:<id>", "key:<id>" or "system", as entries and content name a
// principal.
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

// Group is the principal group: a user with all keys they own ("user:<id>"), or a
// key without an owner ("key:<id>"). Nobody decides what their own group
// requested, or what a key requested that it made.
type Group string

// Principal is who is acting, with the roles held at this moment. It is loaded
// for every request and again inside the transaction that changes something,
// so that a revoked right ends at once.
type Principal struct {
	Ref
	Name      string
	Group     Group
	Roles     []*Role   // in the order they were given
	MayDecide bool      // a key that may decide; users always may, by capability
	expires   time.Time // of a key; zero: it does not
}

// live says whether a principal that was found is not over by itself at this
// time.
func (p *Principal) live(now time.Time) bool { return p.expires.IsZero() || now.Before(p.expires) }

// Can says whether one of the roles grants the capability.
func (p *Principal) Can(c Capability) bool {
	return p.Kind == KindSystem || slices.ContainsFunc(p.Roles, func(r *Role) bool { return r.Grants(c) })
}

// CanAny says whether one of the capabilities is granted.
func (p *Principal) CanAny(cs ...Capability) bool { return slices.ContainsFunc(cs, p.Can) }

// ReadsContexts says whether the principal may see contexts at all: whoever may
// change something may see it, here as below.
func (p *Principal) ReadsContexts() bool { return p.CanAny(ContextRead, ContextModify) }

// ReadsRoles is ReadsContexts for roles.
func (p *Principal) ReadsRoles() bool { return p.CanAny(RoleRead, RoleModify) }

// ReadsUsers is ReadsContexts for users.
func (p *Principal) ReadsUsers() bool { return p.CanAny(UserRead, UserModify) }

// ReadsKeys is ReadsContexts for keys.
func (p *Principal) ReadsKeys() bool { return p.CanAny(KeyRead, KeyModify) }

// Holds says whether the principal holds the role with this id.
func (p *Principal) Holds(roleID string) bool {
	return slices.ContainsFunc(p.Roles, func(r *Role) bool { return r.ID == roleID })
}

// Covers says whether everything the role allows is allowed to the principal
// too: nobody grants what they do not hold.
func (p *Principal) Covers(r *Role) bool { return p.mayGrant(r.Capabilities) == nil }

// mayGrant refuses capabilities that the principal does not hold, naming the
// first.
func (p *Principal) mayGrant(list []Capability) error {
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
				Message: fmt.Sprintf("You can grant only what you hold, and you do not hold %s.", c)}
		}
	}
	return nil
}

// covers is grants for a capability that may itself be a wildcard: plan.* is
// covered by plan.* or *, never by a list of its actions.
func covers(held []Capability, c Capability) bool {
	if c == Everything {
		return slices.Contains(held, Everything)
	}
	return grants(held, c)
}

// roleFor is the role to act in: the least capable one that grants every
// capability needed. It is nil when no single role does.
func (p *Principal) roleFor(needed ...Capability) *Role {
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

// needs refuses a principal without the capability.
func (p *Principal) needs(c Capability) error {
	if !p.Can(c) {
		return missing(c)
	}
	return nil
}

// needsAny refuses a principal with none of the capabilities, naming the first.
func (p *Principal) needsAny(cs ...Capability) error {
	if !p.CanAny(cs...) {
		return missing(cs[0])
	}
	return nil
}

// decides says whether a principal may decide at all.
func (p *Principal) decides() bool { return p.MayDecide && p.CanAny(ConfirmApprove, ConfirmReject) }
