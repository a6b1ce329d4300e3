package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/domain/evidence"
)

// CancelConfirm withdraws a pending confirm. Its requester may, and anyone with
// confirm.reject. A locked one can be cancelled too.
func (s *Service) CancelConfirm(ctx context.Context, ref Ref, id, reason string) (c *Confirm, err error) {
	var late error
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if c, err = byID(id).findVisible(tx, p); err != nil {
			return err
		}
		if p.Group != c.RequestedGroup {
			if err := p.require(ConfirmReject); err != nil {
				return err
			}
		}
		if refused := c.checkDecidable(); refused != nil && refused.Code != CodeLocked {
			return s.withDecision(tx, c, refused)
		}
		if c.IsDue(s.clock()) {
			late, err = s.expire(tx, c)
			return err
		}
		return s.cancel(tx, p, c, reason)
	})
	if err == nil {
		err = late
	}
	return c, err
}

// cancel ends a confirm without a yes or no. The plan is left alone.
func (s *Service) cancel(tx Tx, p *Principal, c *Confirm, reason string) error {
	d, err := newRejection(tx, c, Cancelled, CauseCancelled, reason)
	if err != nil {
		return err
	}
	d.DecidedBy, d.DecidedByName = p.Ref, p.Name
	if p.Kind != KindSystem {
		d.DecidedByRole = c.RequestedByRole
		if p.Group != c.RequestedGroup {
			d.DecidedByRole = p.leastCapableRole(ConfirmReject).Name
		}
	}
	_, err = s.finishConfirm(tx, p, c, d)
	return err
}

// expire rejects a confirm whose deadline has come. It returns the refusal for a caller
// who came too late, which must not undo the transaction.
func (s *Service) expire(tx Tx, c *Confirm) (late *Error, err error) {
	seconds, what := int64(c.ExpiresAt.Sub(c.ReceivedAt).Seconds()), "nobody decided"
	if progress, err := loadProgress(tx, c); err != nil {
		return nil, err
	} else if progress != nil {
		approved, needed := progress.Counted()
		what = fmt.Sprintf("%d of %d approvals", approved, needed)
	}
	d, err := newRejection(tx, c, Rejected, CauseTimeout, fmt.Sprintf("Timed out after %d s: %s. This is not a refusal.", seconds, what))
	if err != nil {
		return nil, err
	}
	if _, err := s.finishConfirm(tx, &system, c, d); err != nil {
		return nil, err
	}
	late = c.checkDecidable()
	late.Decision = &Outcome{Confirm: c, Decision: d, Text: d.explanation()}
	return late, s.applyToPlan(tx, &system, c, d)
}

// newRejection builds the decision of the system or of a requester who withdraws: every
// action is rejected.
func newRejection(r Reader, c *Confirm, status Status, cause Cause, reason string) (*Decision, error) {
	d := &Decision{RequestedSeq: c.RequestedSeq, Status: status, Cause: cause, DecidedBy: System, DecidedByName: SystemName, DecidedByRole: SystemName, Reason: reason}
	if c.Actions == 0 {
		return d, nil
	}
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, notFoundOr(err, "content (it was deleted)")
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return nil, err
	}
	for _, a := range content.Actions {
		d.Actions = append(d.Actions, ActionDecision{Type: ActionReject, ArgsHash: evidence.ArgsHash(a.Args)})
	}
	return d, nil
}

// cancelPending cancels, as system, the pending confirms of a plan that has ended or
// changed.
func (s *Service) cancelPending(tx Tx, plan *Plan, reason string, except ...string) error {
	confirms, err := plan.loadConfirms(tx)
	if err != nil {
		return err
	}
	for _, c := range confirms {
		if c.Status != Pending || c.Imported || slices.Contains(except, c.ID) {
			continue
		}
		if err := s.cancel(tx, &system, c, reason); err != nil {
			return err
		}
	}
	return nil
}

// applyToPlan moves the plan that a decision was about. A proposed plan is approved or
// goes back to draft. An approved or running plan keeps its status on approval. A
// rejection cancels a running plan unless the confirm says recover. Imports and
// cancelled confirms move nothing, and unbound ones approve nothing.
func (s *Service) applyToPlan(tx Tx, p *Principal, c *Confirm, d *Decision) error {
	if c.PlanID == "" || c.TargetType != TargetPlan || c.Imported || d.Status == Cancelled || c.TargetHash == "" {
		return nil
	}
	plan, err := tx.Plan(c.PlanID)
	if err != nil || plan.Imported || plan.Locked {
		return c.missingAsUnproven(err)
	}
	facts := []any{"confirm_id", c.ID, "decided_by", d.DecidedByRole}
	switch {
	case plan.Status == PlanProposed && c.Binding == BoundPlan && d.Status == Approved:
		return s.movePlan(tx, p, plan, PlanApproved, "plan.approved", facts...)
	case plan.Status == PlanProposed && c.Binding == BoundPlan:
		return s.movePlan(tx, p, plan, PlanDraft, "plan.rejected", facts...)
	case plan.Status == PlanInProgress && d.Status == Rejected && c.OnReject != OnRejectRecover:
		return s.endPlan(tx, p, plan, PlanCancelled, "", c.ID)
	}
	return nil
}

// explanation returns the reason in a sentence fit for a model. Only the words of a
// person or of an authorised agent read as theirs.
func (d *Decision) explanation() string {
	if d.Cause == CauseHuman || d.Cause == CauseAgent || d.Cause == CauseTimeout || d.Cause == CausePolicy {
		return d.Reason
	}
	by := "the system"
	if d.DecidedBy.Kind != KindSystem {
		by = d.DecidedByName
	}
	sentence := "Cancelled by " + by + ": no decision was made. This is not a refusal."
	if d.Reason != "" {
		sentence += " Reason: " + strings.TrimSuffix(d.Reason, ".") + "."
	}
	return sentence
}
