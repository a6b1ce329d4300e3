package domain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/domain/evidence"
)

// The gate's verdicts.
const (
	VerdictBlock   = "BLOCK"   // do not run; code says why
	VerdictResume  = "RESUME"  // run
	VerdictAbort   = "ABORT"   // stop the plan
	VerdictCleanup = "CLEANUP" // tidy up and exit
)

// GateVerdict is the gate's answer. Confirms are the ones that it follows from.
type GateVerdict struct {
	Verdict, Code, Reason string
	Confirms              []string

	waitsFor *waitTopic // with BLOCK pending, else nil
}

// Allows reports whether the verdict is RESUME.
func (v *GateVerdict) Allows() bool { return v.Verdict == VerdictResume }

// GateQuery asks whether a step may run, before any of its tool calls. ToolUseID and
// ArgsHash narrow it to one action.
type GateQuery struct {
	PlanID, StepID      string
	ToolUseID, ArgsHash string
	Wait                time.Duration // while the verdict is BLOCK pending
}

// Gate answers from what is committed and fails closed: whatever is unknown, unclear or
// in doubt is BLOCK. It answers RESUME only when the log proves the approval. Needs
// plan.execute.
func (s *Service) Gate(ctx context.Context, ref Ref, q GateQuery) (*GateVerdict, error) {
	if q.PlanID == "" || q.StepID == "" {
		path := "plan_id"
		if q.PlanID != "" {
			path = "step_id"
		}
		return nil, Invalid(path, "required", "Send the plan and the step to ask about.")
	}
	if q.ArgsHash != "" && !hashPattern.MatchString(q.ArgsHash) {
		return nil, Invalid("args_hash", "pattern", "A hash is sha256: followed by 64 hexadecimal digits.")
	}
	if q.Wait <= 0 {
		return s.gate(ctx, ref, q)
	}
	var v *GateVerdict
	err := s.wait(ctx, ref, planTopic(q.PlanID), q.Wait, func(*Outcome) (c *waitTopic, err error) {
		if v, err = s.gate(ctx, ref, q); err != nil {
			return nil, err
		}
		return v.waitsFor, nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// gate answers once, after expiring what is due.
func (s *Service) gate(ctx context.Context, ref Ref, q GateQuery) (v *GateVerdict, err error) {
	var due []string
	look := func(r Reader, p *Principal) error {
		if err := p.require(PlanExecute); err != nil {
			return err
		}
		v, due, err = s.decideGate(r, p, q)
		return err
	}
	if err = s.read(ctx, ref, look); err == nil && len(due) > 0 {
		if err = s.expireEach(ctx, due); err == nil {
			err = s.read(ctx, ref, look)
		}
	}
	if errors.Is(err, ErrUnproven) {
		return block("unproven", "What is stored differs from the log."), nil
	}
	return v, err
}

func block(code, format string, args ...any) *GateVerdict {
	return &GateVerdict{Verdict: VerdictBlock, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// decideGate decides from one snapshot. due are confirms whose deadline has come: the
// answer counts only once they have been expired.
func (s *Service) decideGate(r Reader, p *Principal, q GateQuery) (v *GateVerdict, due []string, err error) {
	plan, err := visiblePlan(r, p, q.PlanID)
	if ErrorCode(err) == CodeNotFound {
		return block("unknown", "There is no such plan, or you may not see it."), nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	document, err := s.loadPlanDocument(r, plan)
	if err != nil {
		return nil, nil, err
	}
	if !hasStep(document.Steps, q.StepID) {
		return block("unknown", "The plan has no step %s.", q.StepID), nil, nil
	}
	confirms, err := r.ConfirmsOfStep(plan.ID, q.StepID)
	if err != nil {
		return nil, nil, err
	}
	said := plan.confirmsForStep(confirms, s.clock())
	if len(said.pending) > 0 {
		v = block("pending", "The step waits for a decision.")
		v.Confirms, v.waitsFor = said.pending, &waitTopic{topic: planTopic(plan.ID), due: said.deadline}
		return v, said.due, nil
	}
	if s.Verification().IsTampered() {
		return block("unproven", "%s Nothing runs until a later verification finds no changes.", tamperedMessage), nil, nil
	}
	if len(said.unbound) > 0 {
		v = block("unbound", "A request that names no step of this plan was rejected. It blocks every step.")
		v.Confirms = said.unbound
		return v, nil, nil
	}
	v, err = s.verdictFromConfirm(r, plan, cmp.Or(said.own, said.whole), q)
	if err != nil || !v.Allows() {
		return v, nil, err
	}
	switch more, err := s.hasMissingConfirm(r, plan.ID, q.StepID, confirms); {
	case err != nil:
		return nil, nil, err
	case more:
		v = block("unproven", "The log has another request for this step.")
	}
	return v, nil, nil
}

// stepConfirms are the confirms that are about one step of a plan.
type stepConfirms struct {
	pending    []string
	due        []string  // those of pending whose deadline has come
	deadline   time.Time // the earliest of the others; zero: none
	unbound    []string  // rejected ones that name no step of the plan
	own, whole *Confirm  // the latest about the step, and about the whole plan
}

// confirmsForStep sorts the confirms of a step, which come newest first.
func (p *Plan) confirmsForStep(confirms []*Confirm, now time.Time) (v stepConfirms) {
	for _, c := range confirms {
		if c.Imported || !p.counts(c) {
			continue
		}
		switch {
		case c.IsDue(now):
			v.due = append(v.due, c.ID)
			v.pending = append(v.pending, c.ID)
		case c.Status == Pending:
			v.pending = append(v.pending, c.ID)
			if !c.ExpiresAt.IsZero() && (v.deadline.IsZero() || c.ExpiresAt.Before(v.deadline)) {
				v.deadline = c.ExpiresAt
			}
		case c.Binding == BoundUnknown && c.Status == Rejected:
			v.unbound = append(v.unbound, c.ID)
		case c.Binding == BoundStep && v.own == nil:
			v.own = c
		case c.Binding == BoundPlan && v.whole == nil:
			v.whole = c
		}
	}
	return v
}

// verdictFromConfirm returns the verdict that follows from the confirm that counts.
func (s *Service) verdictFromConfirm(r Reader, plan *Plan, c *Confirm, q GateQuery) (*GateVerdict, error) {
	if c == nil {
		if stopped := plan.stoppedVerdict(); stopped != nil {
			return stopped, nil
		}
		return block("no_confirm", "Nobody was asked to approve this step."), nil
	}
	o, err := outcomeOf(r, c)
	if err != nil {
		return nil, err
	}
	v := &GateVerdict{Reason: o.Text, Confirms: []string{c.ID}}
	if v.Reason == "" {
		v.Reason = fmt.Sprintf("The request was %s in the role %s.", c.Status, o.Decision.DecidedByRole)
	}
	switch {
	case c.Status == Cancelled:
		v.Verdict, v.Code = VerdictCleanup, "cancelled"
	case c.Status == Rejected && c.OnReject == OnRejectRecover:
		v.Verdict, v.Code = VerdictBlock, "recover"
	case c.Status == Rejected:
		v.Verdict, v.Code = VerdictAbort, "rejected"
	default:
		stopped := plan.stoppedVerdict()
		if stopped == nil && c.TargetHash != plan.Hash {
			stopped = block("changed", "The plan has changed since it was approved.")
		}
		if stopped == nil {
			stopped, err = s.checkProof(r, c, o.Decision, q)
		}
		if err != nil {
			return nil, err
		}
		if stopped != nil {
			stopped.Confirms = v.Confirms
			return stopped, nil
		}
		v.Verdict, v.Code = VerdictResume, "approved"
	}
	return v, nil
}

// stoppedVerdict returns why nothing of the plan may run, nil if it may.
func (p *Plan) stoppedVerdict() *GateVerdict {
	switch {
	case p.Imported:
		return block("imported", "The plan is an imported record and does not run.")
	case p.Locked:
		return block("locked", "The plan is locked.")
	case p.Status != PlanApproved && p.Status != PlanInProgress:
		return block(string(p.Status), "The plan is %s.", p.Status)
	}
	return nil
}

// checkProof checks an approval against the log and against the action that is about to
// run: a status column alone proves nothing. A nil verdict means that it is proven.
func (s *Service) checkProof(r Reader, c *Confirm, d *Decision, q GateQuery) (*GateVerdict, error) {
	entry, _, err := readProven(r, d.Seq)
	if err != nil || !isApprovalEntry(entry, c, d) {
		return block("unproven", "The log does not prove this approval."), nil
	}
	stored, err := loadContent(r, c)
	if errors.Is(err, ErrNotFound) {
		return block("unproven", "The approved content was deleted."), nil
	} else if err != nil {
		return nil, err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil || effectiveHash(stored, content, d.Actions) != c.EffectiveHash {
		return block("unproven", "What is stored differs from what was approved."), nil
	}
	if err := proveVotes(r, c, content, entry); errors.Is(err, ErrUnproven) {
		return block("unproven", "The log does not prove that those approved it whose approval was required."), nil
	} else if err != nil {
		return nil, err
	}
	if q.ToolUseID == "" && q.ArgsHash == "" {
		return nil, nil
	}
	for i, a := range content.Actions {
		if q.ToolUseID != "" && a.ToolUseID != q.ToolUseID {
			continue
		}
		if q.ArgsHash == "" || q.ArgsHash == d.Actions[i].ArgsHash {
			return nil, nil
		}
	}
	return block("action", "The action about to run is not one of the approved actions."), nil
}

// isApprovalEntry reports whether the entry is of this approval of this confirm.
func isApprovalEntry(e *evidence.Entry, c *Confirm, d *Decision) bool {
	return e.Type == "confirm.approved" && e.ConfirmID == c.ID && e.PlanID == c.PlanID &&
		e.ContentHash == c.ContentHash && e.EffectiveHash == c.EffectiveHash && matchesDecision(e, d)
}

// matchesDecision reports whether the entry is of this decision, with the same decision
// on each action.
func matchesDecision(e *evidence.Entry, d *Decision) bool {
	return e.Seq == d.Seq && slices.EqualFunc(e.Decisions, d.Actions, func(logged evidence.EntryDecision, a ActionDecision) bool {
		return logged.Type == a.Type && logged.ArgsHash == a.ArgsHash
	})
}
