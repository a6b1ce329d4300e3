package domain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// PostedPlan is the answer to a posted plan.
type PostedPlan struct {
	Plan     *Plan
	Native   []byte
	Created  bool // false: the same plan was posted before
	Warnings []mplp.Warning
}

// PostPlan stores a plan as a draft, or as an import if it has a status or moved steps.
// The id is the idempotency key: the same plan again changes nothing. Needs
// plan.create.
func (s *Service) PostPlan(ctx context.Context, ref Ref, in *mplp.Plan) (posted *PostedPlan, err error) {
	digest := sha256.Sum256(in.Native.Bytes())
	sent := Plan{ID: in.ID, BodyDigest: digest[:]}
	if sent.ID == "" {
		if sent.ID, err = s.newID(); err != nil {
			return nil, err
		}
	}
	if err := sent.fill(in); err != nil {
		return nil, err
	}
	sent.Imported = sent.Status != PlanDraft || hasMovedSteps(in.Steps)
	content := mplp.CompletePlan(in.Native, sent.ID)
	var render func() []byte
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(PlanCreate); err != nil {
			return err
		}
		if in.ID != "" {
			old, err := tx.Plan(in.ID)
			if err == nil {
				if old.Group != p.Group || !bytes.Equal(old.BodyDigest, sent.BodyDigest) {
					return refuse(CodeIDTaken, "There is another plan with the id %s.", in.ID)
				}
				posted = &PostedPlan{Plan: old, Warnings: in.Warnings}
				render, err = preparePlanRender(tx, old)
				return err
			} else if !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		plan, now := sent, s.clock()
		plan.RequestedBy, plan.Group, plan.Name, plan.CreatedAt, plan.UpdatedAt = p.Ref, p.Group, p.Name, now, now
		warnings := slices.Concat(in.Warnings, referenceWarnings(tx, in))
		if err := tx.InsertPlan(&plan, content); err != nil {
			return conflictOr(err, "plan")
		}
		event := "plan.created"
		if plan.Imported {
			event = "plan.imported"
		}
		posted = &PostedPlan{Plan: &plan, Created: true, Warnings: warnings}
		render = func() []byte { return plan.renderJSON(content, nil) }
		return s.logPlan(tx, p, &plan, event, append(plan.sentFacts(in, warnings), "requested_group", plan.Group)...)
	})
	if err != nil {
		return nil, err
	}
	posted.Native = render()
	return posted, nil
}

// fill sets what the client says of the plan.
func (p *Plan) fill(in *mplp.Plan) (err error) {
	p.ContextID, p.Title, p.Status, p.States = in.ContextID, in.Title, PlanStatus(in.Status), newStepStates(in.Steps)
	p.Locked = in.Locked
	if in.Trace != nil {
		p.TraceID = in.Trace.TraceID
	}
	p.Hash, err = planContent(in).Hash()
	return err
}

// sentFacts returns what the log says of a plan that was sent.
func (p *Plan) sentFacts(in *mplp.Plan, warnings []mplp.Warning) []any {
	facts := []any{"steps", len(in.Steps), "warnings", loggedWarnings(warnings)}
	if p.Locked {
		facts = append(facts, "locked", true)
	}
	return facts
}

func hasMovedSteps(steps []mplp.Step) bool {
	return slices.ContainsFunc(steps, func(step mplp.Step) bool { return step.Status != string(StepPending) })
}

func planContent(in *mplp.Plan) evidence.PlanContent {
	content := evidence.PlanContent{Title: in.Title, Objective: in.Objective, ContextID: in.ContextID}
	for _, step := range in.Steps {
		dependencies := step.Dependencies
		if dependencies == nil {
			dependencies = []string{}
		}
		content.Steps = append(content.Steps, evidence.StepContent{
			StepID: step.ID, Description: step.Description, Dependencies: dependencies,
			AgentRole: step.AgentRole, OrderIndex: step.OrderIndex,
		})
	}
	return content
}

// referenceWarnings warns of a context that does not exist. It may be created later, so
// it is no error.
func referenceWarnings(r Reader, in *mplp.Plan) (list []mplp.Warning) {
	if _, err := r.Context(in.ContextID); errors.Is(err, ErrNotFound) {
		list = append(list, mplp.Warning{Path: "context_id", Code: "reference", Message: "There is no such context yet."})
	}
	return list
}

// RevisePlan replaces a draft and cancels the confirms that were pending on it: nobody
// decides on what is no longer there. Needs plan.create.
func (s *Service) RevisePlan(ctx context.Context, ref Ref, id string, in *mplp.Plan) (revised *PostedPlan, err error) {
	if in.ID != "" && in.ID != id {
		return nil, Invalid("plan_id", "const", "You cannot change the id of a plan.")
	}
	var render func() []byte
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		plan, err := visiblePlan(tx, p, id)
		if err != nil {
			return err
		}
		if err := p.require(PlanCreate); err != nil {
			return err
		}
		if plan.Locked {
			revised = &PostedPlan{Plan: plan, Warnings: in.Warnings}
			render, err = s.changeLock(tx, p, plan, in)
			return err
		}
		if err := plan.checkEditable(); err != nil {
			return err
		}
		was := plan.Hash
		if err := plan.fill(in); err != nil {
			return err
		}
		if plan.Status != PlanDraft {
			return refuse(CodeInvalidTransition, "You cannot write a plan's status. Propose the plan and let somebody decide.")
		}
		if hasMovedSteps(in.Steps) {
			return refuse(CodeInvalidTransition, "All steps of a draft must be pending.")
		}
		plan.UpdatedAt = s.clock()
		warnings := append(in.Warnings, referenceWarnings(tx, in)...)
		if err := tx.UpdatePlan(plan, PlanDraft, mplp.CompletePlan(in.Native, plan.ID)); err != nil {
			return err
		}
		if err := s.logPlan(tx, p, plan, "plan.revised", plan.sentFacts(in, warnings)...); err != nil {
			return err
		}
		if plan.Hash != was {
			if err := s.cancelPending(tx, plan, "The plan was changed after this was requested."); err != nil {
				return err
			}
		}
		revised = &PostedPlan{Plan: plan, Warnings: warnings}
		render, err = preparePlanRender(tx, plan)
		return err
	})
	if err != nil {
		return nil, err
	}
	revised.Native = render()
	return revised, nil
}

// checkUnlocked refuses every change of a locked plan.
func (p *Plan) checkUnlocked() error {
	if p.Locked {
		return refuse(CodeLocked, "The plan is locked. You can change only its governance.")
	}
	return nil
}

// changeLock rewrites a locked plan, in any status, if only its governance differs from
// what is stored or shown. Needs role.modify too.
func (s *Service) changeLock(tx Tx, p *Principal, plan *Plan, in *mplp.Plan) (render func() []byte, err error) {
	stored, err := tx.PlanContent(plan.ID)
	if err != nil {
		return nil, err
	}
	shown, err := s.renderPlan(tx, plan)
	if err != nil {
		return nil, err
	}
	if !mplp.DiffersOnlyIn("governance", stored, in.Native) && !mplp.DiffersOnlyIn("governance", shown, in.Native) {
		return nil, plan.checkUnlocked()
	}
	if err := p.require(RoleModify); err != nil {
		return nil, err
	}
	plan.Locked, plan.UpdatedAt = in.Locked, s.clock()
	if err := tx.UpdatePlan(plan, plan.Status, mplp.WithMember(stored, "governance", in.Native)); err != nil {
		return nil, err
	}
	if err := s.logPlan(tx, p, plan, "plan.revised", "locked", plan.Locked); err != nil {
		return nil, err
	}
	return preparePlanRender(tx, plan)
}

func (p *Plan) checkEditable() error {
	switch {
	case p.Imported:
		return refuse(CodeInvalidTransition, "The plan is an imported record and cannot be changed.")
	case p.Status != PlanDraft:
		return refuse(CodeInvalidTransition, "Only a draft can be changed; this plan is %s.", p.Status)
	}
	return nil
}

// CancelPlan abandons a draft (its poster, or plan.create) or stops a running
// plan (plan.execute or confirm.reject). Its pending confirms are cancelled with it.
func (s *Service) CancelPlan(ctx context.Context, ref Ref, id, reason string) (plan *Plan, err error) {
	if most := maxFact / 2; len(reason) > most { // the log stores it in full
		return nil, Invalid("reason", "limit", "The reason has %d bytes. It may have at most %d.", len(reason), most)
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if plan, err = visiblePlan(tx, p, id); err != nil {
			return err
		}
		if err := plan.checkCancellable(p); err != nil {
			return err
		}
		return s.endPlan(tx, p, plan, PlanCancelled, reason, "")
	})
	return plan, err
}

func (p *Plan) checkCancellable(by *Principal) error {
	switch {
	case p.Status == PlanInProgress:
		if err := by.requireAny(PlanExecute, ConfirmReject); err != nil {
			return err
		}
	case p.Group != by.Group || by.Group == "":
		if err := by.require(PlanCreate); err != nil {
			return err
		}
	}
	if err := p.checkUnlocked(); err != nil {
		return err
	}
	if p.Imported || !p.Status.CanMove(PlanCancelled) {
		return refuse(CodeInvalidTransition, "A plan that is %s cannot be cancelled.", p.statusText())
	}
	return nil
}

func (p *Plan) statusText() string {
	if p.Imported {
		return "an import"
	}
	return string(p.Status)
}

// endPlan moves a plan to a final status and cancels its pending confirms, except the
// one whose decision ends it.
func (s *Service) endPlan(tx Tx, p *Principal, plan *Plan, to PlanStatus, reason, decided string) error {
	facts := []any{"reason", reason}
	if decided != "" { // the reason is in the decision
		facts = []any{"confirm_id", decided}
	}
	if err := s.movePlan(tx, p, plan, to, "plan."+string(to), facts...); err != nil {
		return err
	}
	return s.cancelPending(tx, plan, "The plan has ended: "+string(to)+".", decided)
}

// movePlan makes a transition and logs it.
func (s *Service) movePlan(tx Tx, p *Principal, plan *Plan, to PlanStatus, event string, facts ...any) error {
	from := plan.Status
	if !from.CanMove(to) {
		return refuse(CodeInvalidTransition, "A plan cannot go from %s to %s.", from, to)
	}
	plan.Status, plan.UpdatedAt = to, s.clock()
	if err := tx.UpdatePlan(plan, from, nil); err != nil {
		return err
	}
	return s.logPlan(tx, p, plan, event, append(facts, "from", from)...)
}

func (s *Service) logPlan(tx Tx, p *Principal, plan *Plan, event string, facts ...any) error {
	return s.log(tx, p, evidence.Entry{Type: event, PlanID: plan.ID, TraceID: plan.spanTraceID(),
		ContentHash: plan.Hash, Data: data(append(facts, "status", plan.Status)...)})
}
