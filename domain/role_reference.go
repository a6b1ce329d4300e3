package domain

import (
	"context"
	"strings"

	"countersign/domain/mplp"
)

// RoleReferences are the objects that name a role, as far as one reader may see
// them (requirements R-25).
type RoleReferences struct {
	Confirms []*Confirm // requested in it, the newest first
	Steps    []RoleStep // it is responsible for, of the newest plans
	Contexts []*Context // it owns, of the newest
}

// RoleStep is a step that names the role as its agent's.
type RoleStep struct {
	Plan *Plan
	Step mplp.Step
}

// RoleReferences finds what names a role by id or by name. It looks at one page
// of confirms, contexts and plans, and at no more steps than one plan may have:
// the cost does not grow with the history. Needs role.read.
func (s *Service) RoleReferences(ctx context.Context, ref Ref, idOrName string) (refs *RoleReferences, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		role, err := findRole(r, idOrName)
		if err != nil {
			return err
		}
		if err := p.needsAny(RoleRead, RoleModify); err != nil {
			return err
		}
		refs = &RoleReferences{}
		if err := refs.findConfirms(r, p, role); err != nil {
			return err
		}
		if err := refs.findContexts(r, p, role); err != nil {
			return err
		}
		return s.findSteps(r, p, role, refs)
	})
	return refs, err
}

// named says whether a text means the role: its id, or its name in any case.
func (r *Role) named(text string) bool { return text == r.ID || strings.EqualFold(text, r.Name) }

func (refs *RoleReferences) findConfirms(r Reader, p *Principal, role *Role) error {
	labels := []string{role.Name}
	if role.ID != role.Name {
		labels = append(labels, role.ID)
	}
	for _, label := range labels {
		rows, _, err := r.Confirms(ConfirmFilter{RequestedByRole: label, WithImports: true, Visible: p.visibility()}, Page{})
		if err == nil {
			err = allProven(rows)
		}
		if err != nil {
			return err
		}
		for _, row := range rows {
			refs.Confirms = append(refs.Confirms, &row.Confirm)
		}
	}
	return nil
}

func (refs *RoleReferences) findContexts(r Reader, p *Principal, role *Role) error {
	if !p.ReadsContexts() {
		return nil
	}
	_, err := eachContext(r, p, Page{Limit: MaxPage}, func(c *Context) {
		if role.named(c.OwnerRole) {
			named := *c
			named.Native = nil
			refs.Contexts = append(refs.Contexts, &named)
		}
	})
	return err
}

func (s *Service) findSteps(r Reader, p *Principal, role *Role, refs *RoleReferences) error {
	plans, _, err := r.Plans(PlanFilter{Visible: p.plans()}, Page{})
	if err != nil {
		return err
	}
	looked := 0
	for _, plan := range plans {
		if looked += len(plan.States); looked > s.limits.Steps {
			return nil
		}
		document, err := s.planDocument(r, plan)
		if err != nil {
			return err
		}
		for _, step := range document.Steps {
			if role.named(step.AgentRole) {
				refs.Steps = append(refs.Steps, RoleStep{Plan: plan, Step: step})
			}
		}
	}
	return nil
}
