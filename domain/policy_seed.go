package domain

import (
	"countersign/domain/policy"
)

// seededPolicies are the policies of a new database: examples, disabled, that are in force
// once somebody enables them. Databases of earlier versions do not get them, as they do not
// get new roles.
func seededPolicies() []*policy.Document {
	return []*policy.Document{
		{
			V: 1, Name: "Large payments", Effect: policy.Require,
			Match:     policy.Match{Tools: []string{"pay*", "*payment*", "*transfer*"}},
			Condition: "args.amount > 10000",
			Quorum:    []policy.Threshold{{Role: "reviewer", Approvals: 1}, {Role: "human_user", Approvals: 1}},
			Note:      "Two people look at large payments. A payment without an amount counts as large.",
		},
		{
			V: 1, Name: "Production deploys", Effect: policy.Require,
			Match:     policy.Match{Tools: []string{"*deploy*", "*release*", "*rollback*"}},
			Condition: `!(args.environment in ["development", "staging", "test"])`,
			Quorum:    []policy.Threshold{{Role: OpsRole, Approvals: 1}},
			Note:      "Whatever is not known to be for another environment counts as production.",
		},
		{
			V: 1, Name: "Deletions", Effect: policy.Require,
			Match:    policy.Match{Tools: []string{"*delete*", "*remove*", "*drop*", "*destroy*", "*purge*", "*truncate*", "rm*"}},
			Quorum:   []policy.Threshold{{Role: "reviewer", Approvals: 1}},
			Timeout:  4 * 3600,
			Escalate: []policy.Escalation{{After: 3 * 3600, Role: AdminRole, For: "reviewer"}},
			Note:     "What is deleted may not come back. In the last hour an administrator may approve too.",
		},
	}
}

// seedPolicies writes the examples.
func (s *Service) seedPolicies(tx Tx) error {
	for _, d := range seededPolicies() {
		after := &PolicyVersion{Name: d.Name, Document: string(d.Marshal())}
		if _, err := s.insertPolicy(tx, &system, &policyChange{after: after}, "seeded", true); err != nil {
			return err
		}
	}
	return nil
}
