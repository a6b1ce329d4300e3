package domain

import (
	"context"
	"strings"

	"countersign/domain/mplp"
)

// RoleReferences are the objects that name a role and that the reader may see.
type RoleReferences struct {
	Confirms []*Confirm // requested in it, the newest first
	Steps    []RoleStep // of the newest plans, with this agent role
	Contexts []*Context // of the newest, with this owner role
}

// RoleStep is a step with this agent role.
type RoleStep struct {
	Plan *Plan
	Step mplp.Step
}

// RoleReferences finds what names a role by id or name. It reads one page of confirms,
// contexts and plans, and at most as many steps as one plan may have, so its cost does
// not grow with the history. Needs role.read.
func (s *Service) RoleReferences(ctx context.Context, ref Ref, idOrName string) (refs *RoleReferences, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		role, err := findRole(r, idOrName)
		if err != nil {
			return err
		}
		if err := p.requireAny(RoleRead, RoleModify); err != nil {
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

// isNamed reports whether a text is the role's id, or its name in any case.
func (r *Role) isNamed(text string) bool { return text == r.ID || strings.EqualFold(text, r.Name) }

func (refs *RoleReferences) findConfirms(r Reader, p *Principal, role *Role) error {
	labels := []string{role.Name}
	if role.ID != role.Name {
		labels = append(labels, role.ID)
	}
	for _, label := range labels {
		rows, _, err := r.Confirms(ConfirmFilter{RequestedByRole: label, WithImports: true, Visible: p.confirmVisibility()}, Page{})
		if err == nil {
			err = checkAllProven(rows)
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
	if !p.CanReadContexts() {
		return nil
	}
	_, err := eachContext(r, p, Page{Limit: MaxPage}, func(c *Context) {
		if role.isNamed(c.OwnerRole) {
			named := *c
			named.Native = nil
			refs.Contexts = append(refs.Contexts, &named)
		}
	})
	return err
}

func (s *Service) findSteps(r Reader, p *Principal, role *Role, refs *RoleReferences) error {
	plans, _, err := r.Plans(PlanFilter{Visible: p.planVisibility()}, Page{})
	if err != nil {
		return err
	}
	looked := 0
	for _, plan := range plans {
		if looked += len(plan.States); looked > s.limits.Steps {
			return nil
		}
		document, err := s.loadPlanDocument(r, plan)
		if err != nil {
			return err
		}
		for _, step := range document.Steps {
			if role.isNamed(step.AgentRole) {
				refs.Steps = append(refs.Steps, RoleStep{Plan: plan, Step: step})
			}
		}
	}
	return nil
}
