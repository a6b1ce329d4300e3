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
	Created  bool // false: the same plan had been posted before
	Warnings []mplp.Warning
}

// PostPlan stores a plan as a draft, or as an import if it comes with a past of
// its own. Needs plan.create. The id is the idempotency key: the same plan
// again changes nothing.
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
	sent.Imported = sent.Status != PlanDraft || anyMoved(in.Steps)
	content := mplp.CompletePlan(in.Native, sent.ID)
	var render func() []byte
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.needs(PlanCreate); err != nil {
			return err
		}
		if in.ID != "" {
			old, err := tx.Plan(in.ID)
			if err == nil {
				if old.Group != p.Group || !bytes.Equal(old.BodyDigest, sent.BodyDigest) {
					return refuse(CodeIDTaken, "There is another plan with the id %s.", in.ID)
				}
				posted = &PostedPlan{Plan: old, Warnings: in.Warnings}
				render, err = planRender(tx, old)
				return err
			} else if !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		plan, now := sent, s.clock()
		plan.RequestedBy, plan.Group, plan.Name, plan.CreatedAt, plan.UpdatedAt = p.Ref, p.Group, p.Name, now, now
		warnings := slices.Concat(in.Warnings, referenceWarnings(tx, in))
		if err := tx.InsertPlan(&plan, content); err != nil {
			return taken(err, "plan")
		}
		event := "plan.created"
		if plan.Imported {
			event = "plan.imported"
		}
		posted = &PostedPlan{Plan: &plan, Created: true, Warnings: warnings}
		render = func() []byte { return plan.native(content, nil) }
		return s.logPlan(tx, p, &plan, event, append(plan.sentFacts(in, warnings), "requested_group", plan.Group)...)
	})
	if err != nil {
		return nil, err
	}
	posted.Native = render()
	return posted, nil
}

// fill takes over what a client says of a plan.
func (p *Plan) fill(in *mplp.Plan) (err error) {
	p.ContextID, p.Title, p.Status, p.States = in.ContextID, in.Title, PlanStatus(in.Status), newStepStates(in.Steps)
	p.Locked = in.Locked
	if in.Trace != nil {
		p.TraceID = in.Trace.TraceID
	}
	p.Hash, err = planContent(in).Hash()
	return err
}

// sentFacts are what the log says of a plan that was sent.
func (p *Plan) sentFacts(in *mplp.Plan, warnings []mplp.Warning) []any {
	facts := []any{"steps", len(in.Steps), "warnings", loggedWarnings(warnings)}
	if p.Locked {
		facts = append(facts, "locked", true)
	}
	return facts
}

func anyMoved(steps []mplp.Step) bool {
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

// referenceWarnings says what a plan names that this server does not know
// (requirements P-10, P-30): it may come later, so it is no error.
func referenceWarnings(r Reader, in *mplp.Plan) (list []mplp.Warning) {
	if _, err := r.Context(in.ContextID); errors.Is(err, ErrNotFound) {
		list = append(list, mplp.Warning{Path: "context_id", Code: "reference", Message: "There is no such context yet."})
	}
	return list
}

// RevisePlan replaces a draft. Needs plan.create. Confirms that were pending on
// the draft are cancelled: nobody decides on what is no longer there.
func (s *Service) RevisePlan(ctx context.Context, ref Ref, id string, in *mplp.Plan) (revised *PostedPlan, err error) {
	if in.ID != "" && in.ID != id {
		return nil, Invalid("plan_id", "const", "The id of a plan does not change.")
	}
	var render func() []byte
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		plan, err := visiblePlan(tx, p, id)
		if err != nil {
			return err
		}
		if err := p.needs(PlanCreate); err != nil {
			return err
		}
		if plan.Locked {
			revised = &PostedPlan{Plan: plan, Warnings: in.Warnings}
			render, err = s.relock(tx, p, plan, in)
			return err
		}
		if err := plan.editable(); err != nil {
			return err
		}
		was := plan.Hash
		if err := plan.fill(in); err != nil {
			return err
		}
		if plan.Status != PlanDraft {
			return refuse(CodeInvalidTransition, "A plan's status changes by proposing and deciding, not by writing it.")
		}
		if anyMoved(in.Steps) {
			return refuse(CodeInvalidTransition, "The steps of a draft are pending.")
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
		render, err = planRender(tx, plan)
		return err
	})
	if err != nil {
		return nil, err
	}
	revised.Native = render()
	return revised, nil
}

// unlocked refuses every change of a locked plan.
func (p *Plan) unlocked() error {
	if p.Locked {
		return refuse(CodeLocked, "The plan is locked: only its governance can be changed.")
	}
	return nil
}

// relock writes a locked plan anew if nothing but its governance differs from
// what is stored or shown, in whatever status it is. Needs role.modify too.
func (s *Service) relock(tx Tx, p *Principal, plan *Plan, in *mplp.Plan) (render func() []byte, err error) {
	stored, err := tx.PlanContent(plan.ID)
	if err != nil {
		return nil, err
	}
	shown, err := s.planNative(tx, plan)
	if err != nil {
		return nil, err
	}
	if !mplp.DiffersOnlyIn("governance", stored, in.Native) && !mplp.DiffersOnlyIn("governance", shown, in.Native) {
		return nil, plan.unlocked()
	}
	if err := p.needs(RoleModify); err != nil {
		return nil, err
	}
	plan.Locked, plan.UpdatedAt = in.Locked, s.clock()
	if err := tx.UpdatePlan(plan, plan.Status, mplp.WithMember(stored, "governance", in.Native)); err != nil {
		return nil, err
	}
	if err := s.logPlan(tx, p, plan, "plan.revised", "locked", plan.Locked); err != nil {
		return nil, err
	}
	return planRender(tx, plan)
}

func (p *Plan) editable() error {
	switch {
	case p.Imported:
		return refuse(CodeInvalidTransition, "The plan is an import: it is a record and does not change.")
	case p.Status != PlanDraft:
		return refuse(CodeInvalidTransition, "Only a draft can be changed; this plan is %s.", p.Status)
	}
	return nil
}

// CancelPlan abandons a draft (its poster, or plan.create) or stops a running
// plan (plan.execute or confirm.reject): requirements P-14b and P-14h. Its
// pending confirms are cancelled with it.
func (s *Service) CancelPlan(ctx context.Context, ref Ref, id, reason string) (plan *Plan, err error) {
	if most := maxFact / 2; len(reason) > most { // nothing but the log has it, whole
		return nil, Invalid("reason", "limit", "The reason has %d bytes. It may have %d.", len(reason), most)
	}
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if plan, err = visiblePlan(tx, p, id); err != nil {
			return err
		}
		if err := plan.cancellable(p); err != nil {
			return err
		}
		return s.endPlan(tx, p, plan, PlanCancelled, reason, "")
	})
	return plan, err
}

func (p *Plan) cancellable(by *Principal) error {
	switch {
	case p.Status == PlanInProgress:
		if err := by.needsAny(PlanExecute, ConfirmReject); err != nil {
			return err
		}
	case p.Group != by.Group || by.Group == "":
		if err := by.needs(PlanCreate); err != nil {
			return err
		}
	}
	if err := p.unlocked(); err != nil {
		return err
	}
	if p.Imported || !p.Status.CanMove(PlanCancelled) {
		return refuse(CodeInvalidTransition, "A plan that is %s cannot be cancelled.", p.words())
	}
	return nil
}

func (p *Plan) words() string {
	if p.Imported {
		return "an import"
	}
	return string(p.Status)
}

// endPlan moves a plan to a final status and cancels what is pending on it,
// except the confirm whose decision ends it.
func (s *Service) endPlan(tx Tx, p *Principal, plan *Plan, to PlanStatus, reason, decided string) error {
	facts := []any{"reason", reason}
	if decided != "" { // the decision has the reason
		facts = []any{"confirm_id", decided}
	}
	if err := s.movePlan(tx, p, plan, to, "plan."+string(to), facts...); err != nil {
		return err
	}
	return s.cancelPending(tx, plan, "The plan has ended: "+string(to)+".", decided)
}

// movePlan takes one of S3's edges and logs it.
func (s *Service) movePlan(tx Tx, p *Principal, plan *Plan, to PlanStatus, event string, facts ...any) error {
	from := plan.Status
	if !from.CanMove(to) {
		return refuse(CodeInvalidTransition, "A plan does not go from %s to %s.", from, to)
	}
	plan.Status, plan.UpdatedAt = to, s.clock()
	if err := tx.UpdatePlan(plan, from, nil); err != nil {
		return err
	}
	return s.logPlan(tx, p, plan, event, append(facts, "from", from)...)
}

func (s *Service) logPlan(tx Tx, p *Principal, plan *Plan, event string, facts ...any) error {
	return s.log(tx, p, evidence.Entry{Type: event, PlanID: plan.ID, TraceID: plan.trace(),
		ContentHash: plan.Hash, Data: data(append(facts, "status", plan.Status)...)})
}
