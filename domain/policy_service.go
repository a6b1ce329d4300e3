package domain

import (
	"context"

	"countersign/domain/glyph"
	"countersign/domain/policy"
)

// PolicyRow is a policy as pages show it.
type PolicyRow struct {
	PolicyVersion
	Doc       *policy.Document // nil: it cannot be read
	Named     *policy.Document // Doc as people write it: with names of roles and keys, which SavePolicy takes
	Sentence  string           // what it does, in English, with names of roles and keys
	Broken    string           // why it cannot be read or its condition not used; requests count it as matching, or are refused
	Shortages []Shortage       // thresholds that too few people may fill; of a current version
	Pending   int              // requests that wait under it: under all versions, or those of PolicyDetail.Versions under that one
}

// PolicyDetail is a policy with its past.
type PolicyDetail struct {
	PolicyRow
	Versions []*PolicyRow // all, the newest first
}

// Policies lists the current versions by name. Needs policy.read.
func (s *Service) Policies(ctx context.Context, ref Ref) (list []*PolicyRow, err error) {
	err = s.readPolicies(ctx, ref, func(r Reader, all []*PolicyVersion) error {
		names := &policyNames{r: r}
		may, err := r.Voters()
		if err != nil {
			return err
		}
		pending, err := loadPendingUnder(r)
		if err != nil {
			return err
		}
		for _, v := range all {
			row := s.currentPolicyRow(names, v, may)
			row.Pending = pending.ofPolicy(v.ID)
			list = append(list, row)
		}
		return names.err
	})
	return list, err
}

// Policy returns a policy with its versions, by its id or name. Needs policy.read.
func (s *Service) Policy(ctx context.Context, ref Ref, idOrName string) (detail *PolicyDetail, err error) {
	err = s.readPolicies(ctx, ref, func(r Reader, all []*PolicyVersion) error {
		v, err := findPolicy(all, idOrName)
		if err != nil {
			return err
		}
		may, err := r.Voters()
		if err != nil {
			return err
		}
		versions, err := r.PolicyVersions(v.ID)
		if err != nil {
			return err
		}
		pending, err := loadPendingUnder(r)
		if err != nil {
			return err
		}
		names := &policyNames{r: r}
		detail = &PolicyDetail{PolicyRow: *s.currentPolicyRow(names, v, may)}
		detail.Pending = pending.ofPolicy(v.ID)
		for _, version := range versions {
			row := newPolicyRow(names, version)
			row.Pending = pending.ofVersion(version)
			detail.Versions = append(detail.Versions, row)
		}
		return names.err
	})
	return detail, err
}

// readPolicies reads the current versions. Needs policy.read or policy.modify.
func (s *Service) readPolicies(ctx context.Context, ref Ref, fn func(r Reader, all []*PolicyVersion) error) error {
	return s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(PolicyRead, PolicyModify); err != nil {
			return err
		}
		all, err := r.Policies()
		if err != nil {
			return err
		}
		return fn(r, all)
	})
}

// newPolicyRow reads a version.
func newPolicyRow(names *policyNames, v *PolicyVersion) *PolicyRow {
	row := &PolicyRow{PolicyVersion: *v}
	document, err := v.parse()
	if err != nil {
		row.Broken = AsError(refusePolicy(err)).Message
	}
	if err == nil || isOnlyCondition(err) {
		row.setDocument(names, document)
	}
	return row
}

// currentPolicyRow is newPolicyRow for a version that is looked at often.
func (s *Service) currentPolicyRow(names *policyNames, v *PolicyVersion, voters map[string]int) *PolicyRow {
	compiled, err := s.compilePolicy(v)
	if err != nil {
		return newPolicyRow(names, v)
	}
	row := &PolicyRow{PolicyVersion: *v}
	if compiled.broken != "" {
		row.Broken = "The condition cannot be used: " + compiled.broken + "."
	}
	row.setDocument(names, compiled.Document)
	row.Shortages = names.shortages(compiled.Document, voters)
	return row
}

func (row *PolicyRow) setDocument(names *policyNames, d *policy.Document) {
	row.Doc, row.Named, row.Sentence = d, names.named(d), names.sentence(d)
}

func findPolicy(all []*PolicyVersion, idOrName string) (*PolicyVersion, error) {
	folded := glyph.Fold(idOrName)
	for _, v := range all {
		if v.ID == idOrName || glyph.Fold(v.Name) == folded {
			return v, nil
		}
	}
	return nil, errNotFound("policy")
}
