package domain

import (
	"encoding/json"

	"countersign/domain/mplp"
	"countersign/domain/policy"
)

// guardedTool is the name of the action by which policies guard policies: one that requires
// approvals of it must approve before a version is saved.
const guardedTool = "policy.modify"

// requestGuarded requests a change that an enabled policy guards. It returns nil if none
// does. The operator on the command line may always change policies: else nobody could
// mend one that nobody can meet.
func (s *Service) requestGuarded(tx Tx, p *Principal, change *policyChange) (*Confirm, error) {
	if p.Kind == KindSystem {
		return nil, nil
	}
	res, err := s.guardResolution(tx, p, change)
	switch {
	case err != nil:
		return nil, err
	case res.Rejected:
		return nil, refuse(CodeLocked, "The policy %s rejects every such change of a policy. An operator may make it on the command line.", res.Matched[0].Name)
	case res.Requires == nil:
		return nil, nil
	}
	return s.postGuardedChange(tx, p, change)
}

// guardResolution returns what the policies in force say of a change of a policy by this
// principal: a request about an extension with the action policy.modify, whose arguments
// are the document before, null for a new one, and after.
func (s *Service) guardResolution(r Reader, p *Principal, change *policyChange) (*policy.Resolution, error) {
	enabled, err := s.enabledPolicies(r)
	if err != nil {
		return nil, err
	}
	post := &policy.Post{TargetType: string(TargetExtension), Name: p.Name, Roles: roleIDs(p.Roles), ReceivedAt: s.clock(),
		Actions: []policy.Action{{Name: guardedTool, Args: change.args()}}}
	if change.before != nil {
		post.TargetID = change.before.ID
	}
	if p.Kind == KindAgent {
		post.Key = p.ID
	}
	return policy.Resolve(enabled, post), change.names.err
}

// args are the arguments of the request for a change.
func (c *policyChange) args() json.RawMessage {
	before := mplp.Raw("null")
	if c.before != nil {
		before = mplp.Raw(c.names.state(c.before))
	}
	o := mplp.NewObject()
	o.Set("before", before)
	o.Set("after", mplp.Raw(c.names.state(c.after)))
	return json.RawMessage(o.Bytes())
}

// postGuardedChange requests a change in place of saving it. The version takes effect in
// the transaction that approves it.
func (s *Service) postGuardedChange(Tx, *Principal, *policyChange) (*Confirm, error) {
	return nil, refuse(CodeInternal, "A policy requires approval of this change, which cannot be requested yet.")
}
