package domain

import (
	"encoding/json"
	"fmt"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// guardedTool is the name of the action by which policies guard policies: one that requires
// approvals of it must approve before a version is saved.
const guardedTool = "policy.modify"

// PolicyStates returns the policy before and after the change that an action asks for. It
// is nil for other actions, and if the arguments have anything else: the page shows the
// difference in their place. before is nil for a new policy. An agent may use the same
// words: then approving it changes nothing.
func PolicyStates(a *evidence.Action) (before, after json.RawMessage) {
	var args map[string]json.RawMessage
	if a.Name != guardedTool || json.Unmarshal(a.Args, &args) != nil || len(args) != 2 {
		return nil, nil
	}
	if before = args["before"]; string(before) == "null" {
		before = nil
	}
	return before, args["after"]
}

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

// guardedTimeout is how long a change waits for approval, in seconds, unless a policy names
// less.
const guardedTimeout = 24 * 60 * 60

// postGuardedChange requests a change in place of saving it. The version takes effect in
// the transaction that approves it.
func (s *Service) postGuardedChange(tx Tx, p *Principal, change *policyChange) (c *Confirm, err error) {
	change.after.ID = ""
	if change.before != nil {
		change.after.ID = change.before.ID
	} else if change.after.ID, err = s.newID(); err != nil {
		return nil, err
	}
	action, config := mplp.NewObject(), mplp.NewObject()
	action.Set("name", mplp.String(guardedTool))
	action.Set("args", mplp.Raw(change.args()))
	config.Set("allowed_decisions", mplp.Strings([]string{ActionApprove, ActionReject})) // another document needs a request of its own
	o := mplp.NewObject()
	o.Set("target_type", mplp.String(string(TargetExtension)))
	o.Set("target_id", mplp.String(change.after.ID))
	o.Set("reason", mplp.String(change.reason()))
	o.Set("timeout", mplp.Int(guardedTimeout))
	o.Set("actions", mplp.Array(action.Bytes()))
	o.Set("review_configs", mplp.Array(config.Bytes()))
	in, err := mplp.ParseConfirm(o.Bytes(), s.limits.MPLP())
	if err != nil {
		return nil, err
	}
	sent, err := s.parseConfirm(in)
	if err != nil {
		return nil, err
	}
	sent.guarded = change
	posted, err := s.postConfirm(tx, p, sent)
	if err != nil {
		return nil, err
	}
	return posted.Confirm, nil
}

func (c *policyChange) reason() string {
	switch {
	case c.before == nil:
		return "Create the policy " + c.after.Name + "."
	case c.event() == "policy.disabled":
		return "Disable the policy " + c.before.Name + "."
	}
	return fmt.Sprintf("Save version %d of the policy %s.", c.before.Version+1, c.before.Name)
}

// facts are what the entry of the request says of the change: the version that it is based
// on, and the document by ids, since roles may be renamed until it is approved.
func (c *policyChange) facts() []any {
	base := int64(0)
	if c.before != nil {
		base = c.before.Version
	}
	return []any{"base_version", base, "policy_hash", quorum.PolicyHash([]byte(c.after.Document))}
}

// applyToPolicy saves the version that an approved request asked for. Only the entry of a
// request that this server made names a policy: what an agent calls the same changes
// nothing.
func (s *Service) applyToPolicy(tx Tx, p *Principal, c *Confirm, d *Decision, content *evidence.Content) error {
	if c.TargetType != TargetExtension || d.Status != Approved || len(content.Actions) != 1 || content.Actions[0].Name != guardedTool {
		return nil
	}
	entries, err := tx.EntriesAt([]int64{c.RequestedSeq})
	if err != nil {
		return err
	}
	e := entries[c.RequestedSeq]
	if e == nil {
		return c.errUnproven()
	}
	if e.ObjectID == "" {
		return nil
	}
	var facts struct {
		BaseVersion int64  `json:"base_version"`
		PolicyHash  string `json:"policy_hash"`
	}
	if err := json.Unmarshal(e.Data, &facts); err != nil {
		return c.errUnproven()
	}
	all, err := tx.Policies()
	if err != nil {
		return err
	}
	change := &policyChange{names: &policyNames{r: tx}, by: c}
	if facts.BaseVersion > 0 {
		if change.before, err = findPolicy(all, e.ObjectID); err != nil {
			return err
		}
	} else if len(all) >= MaxPolicies {
		return refuse(CodeTooLarge, "There are %d policies already, the most there may be. Reject this one.", MaxPolicies)
	}
	if change.before != nil && change.before.Version != facts.BaseVersion {
		return refuse(CodeContentChanged, "Somebody saved version %d of this policy after the change was requested. Reject it: it has to be requested again.", change.before.Version)
	}
	if err := change.setState(content.Actions[0].Args); err != nil {
		return err
	}
	if quorum.PolicyHash([]byte(change.after.Document)) != facts.PolicyHash {
		return refuse(CodeContentChanged, "A role or key that this policy names was renamed after the change was requested. Reject it: it has to be requested again.")
	}
	change.after.ID = e.ObjectID
	if err := checkPolicyName(all, change); err != nil {
		return err
	}
	_, err = s.insertPolicy(tx, p, change, "confirm_id", c.ID)
	return err
}

// setState reads what args wrote.
func (c *policyChange) setState(args []byte) error {
	var sent struct {
		After map[string]json.RawMessage `json:"after"`
	}
	if err := json.Unmarshal(args, &sent); err != nil {
		return err
	}
	var kept struct {
		Name     string `json:"name"`
		Document string `json:"document"`
		Enabled  bool   `json:"enabled"`
	}
	for name, p := range map[string]any{"name": &kept.Name, "document": &kept.Document, "enabled": &kept.Enabled} {
		if raw, ok := sent.After[name]; ok {
			if err := json.Unmarshal(raw, p); err != nil {
				return err
			}
		}
	}
	if kept.Document != "" { // it cannot be read, and is disabled
		c.after = &PolicyVersion{Name: kept.Name, Document: kept.Document}
		return nil
	}
	delete(sent.After, "enabled")
	document, err := json.Marshal(sent.After)
	if err != nil {
		return err
	}
	return c.setDocument(document, kept.Enabled)
}
