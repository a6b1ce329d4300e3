package domain

import (
	"cmp"
	"encoding/json"
	"fmt"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// resolvePolicies returns what the policies in force say of a post. document is the plan
// that it concerns, nil for none.
func (s *Service) resolvePolicies(r Reader, p *Principal, c *Confirm, in *parsedConfirm, document *mplp.Plan) (*policy.Resolution, error) {
	enabled, err := s.enabledPolicies(r)
	if err != nil || len(enabled) == 0 {
		return &policy.Resolution{}, err
	}
	post := &policy.Post{
		TargetType: string(c.TargetType), TargetID: c.TargetID, StepID: cmp.Or(c.StepID, in.StepID), Reason: in.Reason,
		Name: p.Name, Roles: roleIDs(p.Roles), Actions: in.decoded, RequiredRole: c.RequiredRole,
		Timeout: in.Deadline(0), ReceivedAt: c.ReceivedAt,
	}
	if post.Actions == nil {
		post.Actions = policyActions(in.actions)
	}
	if p.Kind == KindAgent {
		post.Key = p.ID
		if owner := ParseRef(string(p.Group)); owner.Kind == KindUser {
			u, err := r.User(owner.ID)
			if err != nil {
				return nil, err
			}
			post.Owner = u.Name
		}
	}
	if document != nil {
		post.Plan = policyPlan(document)
	}
	res := policy.Resolve(enabled, post)
	s.countMatches(res)
	if res.Requires != nil {
		if n := len(quorumFact(res.Requires)); n > maxFact {
			return nil, refuse(CodeInvalid, "The %d policies that match require the approval of so many roles that nobody could keep count. Ask an administrator.", len(res.Matched))
		}
	}
	return res, nil
}

// policyActions returns the actions as policies look at them.
func policyActions(actions []evidence.Action) []policy.Action {
	list := make([]policy.Action, len(actions))
	for i, a := range actions {
		list[i] = policy.Action{Name: a.Name, Args: a.Args}
	}
	return list
}

func policyPlan(document *mplp.Plan) *policy.Plan {
	plan := &policy.Plan{Title: document.Title, ContextID: document.ContextID}
	for _, step := range document.Steps {
		plan.Steps = append(plan.Steps, policy.Step{ID: step.ID, Description: step.Description, Role: step.AgentRole})
	}
	return plan
}

// quorumFact returns the thresholds as the entry of a request repeats them: the votes can
// be proved by entries alone, also once the content is deleted.
func quorumFact(r *quorum.Requires) json.RawMessage {
	text, err := json.Marshal(r.Quorum)
	if err != nil {
		panic(err) // texts and numbers always can be encoded
	}
	return text
}

// policyFact is what an entry says of a policy that matched.
type policyFact struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
	Because string `json:"because,omitempty"` // why its condition is unknown
}

// factsOfPolicies are what the entry of a request says of policies.
func factsOfPolicies(res *policy.Resolution) (facts []any) {
	if res.Requires == nil {
		return nil
	}
	var matched []policyFact
	for _, m := range res.Matched[:min(len(res.Matched), maxListed)] {
		matched = append(matched, policyFact{m.ID, m.Version, NewExcerpt(m.Because, maxBecause).String()})
	}
	return []any{"quorum", quorumFact(res.Requires), "rejections", res.Requires.Rejections, "policies", matched}
}

// maxBecause bounds the reason for which a condition is unknown, in characters.
const maxBecause = 120

// insertConfirmRoles writes who may vote, for lists and for the clock.
func insertConfirmRoles(tx Tx, c *Confirm, requires *quorum.Requires) error {
	ballot := quorum.Ballot{Requires: requires, ReceivedAt: c.ReceivedAt}
	for _, e := range ballot.Eligible() {
		role := &ConfirmRole{RequestedSeq: c.RequestedSeq, RoleID: e.Role, From: e.From}
		if e.From.After(c.ReceivedAt) && (c.ExpiresAt.IsZero() || e.From.Before(c.ExpiresAt)) {
			role.EscalatesAt = e.From
		}
		if err := tx.InsertConfirmRole(role); err != nil {
			return err
		}
	}
	return nil
}

// rejectByPolicy ends a confirm that was just posted.
func (s *Service) rejectByPolicy(tx Tx, c *Confirm, res *policy.Resolution) error {
	by := res.Matched[0]
	reason := cmp.Or(by.Note, fmt.Sprintf("The policy %s does not allow this.", by.Name))
	d, err := newRejection(tx, c, Rejected, CausePolicy, reason)
	if err != nil {
		return err
	}
	d.Policy = &quorum.PolicyRef{ID: by.ID, Version: by.Version, Hash: by.Hash}
	if _, err := s.finishConfirm(tx, &system, c, d); err != nil {
		return err
	}
	return s.applyToPlan(tx, &system, c, d)
}
