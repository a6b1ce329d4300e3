package domain

import (
	"fmt"
	"strings"
)

// Capability is what a role allows: "*", "resource.*" or "resource.action".
type Capability string

// The capabilities that this server checks. Roles may hold others: the list is open.
const (
	PlanCreate     Capability = "plan.create"
	PlanPropose    Capability = "plan.propose"
	PlanExecute    Capability = "plan.execute"
	ConfirmRequest Capability = "confirm.request"
	ConfirmApprove Capability = "confirm.approve"
	ConfirmReject  Capability = "confirm.reject"
	ContextRead    Capability = "context.read"
	ContextModify  Capability = "context.modify"
	TraceRead      Capability = "trace.read"
	RoleRead       Capability = "role.read"
	RoleModify     Capability = "role.modify"
	UserRead       Capability = "user.read"
	UserModify     Capability = "user.modify"
	KeyRead        Capability = "key.read"
	KeyModify      Capability = "key.modify"

	DestinationRead   Capability = "destination.read"
	DestinationModify Capability = "destination.modify"
	PolicyRead        Capability = "policy.read"
	PolicyModify      Capability = "policy.modify"

	// Everything is the super administrator's capability.
	Everything Capability = "*"
)

// KnownCapability is a capability and what it allows, for people who edit roles.
type KnownCapability struct {
	Capability  Capability
	Description string
}

// KnownCapabilities lists what a role editor suggests: the protocol's standard
// capabilities and those that this server adds.
func KnownCapabilities() []KnownCapability {
	return []KnownCapability{
		{PlanCreate, "Create plans and change drafts"},
		{PlanPropose, "Submit plans for approval"},
		{PlanExecute, "Execute approved plans, ask the gate, request approvals"},
		{"plan.*", "Everything about plans"},
		{ConfirmRequest, "Request approval of a tool call or another change"},
		{ConfirmApprove, "Approve, and edit and approve"},
		{ConfirmReject, "Reject, request changes and cancel"},
		{"confirm.*", "Request, approve and reject"},
		{ContextRead, "Read contexts"},
		{ContextModify, "Create and change contexts"},
		{"context.*", "Everything about contexts"},
		{TraceRead, "Read the log, evidence, traces and history"},
		{RoleRead, "Read roles"},
		{RoleModify, "Create, change and delete roles"},
		{UserRead, "Read users"},
		{UserModify, "Invite, disable and reset users, assign their roles"},
		{KeyRead, "Read keys"},
		{KeyModify, "Create and revoke keys"},
		{DestinationRead, "Read destinations and what was sent to them"},
		{DestinationModify, "Create, change and delete destinations, send again"},
		{PolicyRead, "Read policies: who must approve what"},
		{PolicyModify, "Create, change, enable and disable policies"},
		{"collab.join", "Join collaboration sessions"},
		{"collab.orchestrate", "Act as session orchestrator"},
		{Everything, "Everything: super administrator"},
	}
}

// MaxCapabilityPart is the maximum length of a resource or an action, in bytes.
const MaxCapabilityPart = 32

// ParseCapability checks the grammar. Its error has the byte position, from 1, of the
// first mistake. Nothing is trimmed, folded or repaired.
func ParseCapability(s string) (Capability, error) {
	if s == string(Everything) {
		return Everything, nil
	}
	fail := func(at int, why string) (Capability, error) {
		return "", fmt.Errorf("position %d: %s", at+1, why)
	}
	if s == "" {
		return fail(0, "a capability cannot be empty")
	}
	start, dot := 0, -1
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', i > start && (c >= '0' && c <= '9' || c == '_'):
			if i-start >= MaxCapabilityPart {
				return fail(i, fmt.Sprintf("a part has at most %d characters", MaxCapabilityPart))
			}
		case c == '.' && dot < 0 && i > 0:
			dot, start = i, i+1
		case c == '*' && dot >= 0 && i == dot+1 && i == len(s)-1:
		case c == '.' && dot >= 0:
			return fail(i, "a second dot; write resource.action")
		default:
			return fail(i, "expected a lower case letter (then also digits and _), as in plan.create, plan.* or *")
		}
	}
	if dot < 0 {
		return fail(len(s), "a dot and an action are missing; write resource.action")
	}
	if dot == len(s)-1 {
		return fail(len(s), "the action is missing after the dot")
	}
	return Capability(s), nil
}

// Resource returns the part before the dot.
func (c Capability) Resource() string {
	resource, _, _ := strings.Cut(string(c), ".")
	return resource
}

// grants reports whether a capability follows from those held: directly, by the
// wildcard of its resource, or by "*".
func grants(held []Capability, required Capability) bool {
	wildcard := Capability(required.Resource() + ".*")
	for _, c := range held {
		if c == required || c == wildcard || c == Everything {
			return true
		}
	}
	return false
}
