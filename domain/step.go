package domain

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// stepEdges are the allowed transitions of a step.
var stepEdges = map[StepStatus][]StepStatus{
	StepPending:    {StepInProgress, StepBlocked, StepSkipped},
	StepInProgress: {StepCompleted, StepFailed},
	StepBlocked:    {StepPending},
	StepFailed:     {StepPending},
}

// CanMove reports whether the transition is allowed.
func (s StepStatus) CanMove(to StepStatus) bool { return slices.Contains(stepEdges[s], to) }

// isSatisfied reports whether dependants need not wait for the step. A skipped step
// counts: else its dependants could never run.
func (s StepStatus) isSatisfied() bool { return s == StepCompleted || s == StepSkipped }

// event returns the type of the entry that a step was moved to this status.
func (s StepStatus) event() string {
	switch s {
	case StepInProgress:
		return "step.started"
	case StepPending:
		return "step.retried"
	}
	return "step." + string(s)
}

// letter encodes a status.
func (s StepStatus) letter() byte { return s[0] }

// StartPlan moves an approved plan to in_progress. Its context must exist and be
// active. Needs plan.execute.
func (s *Service) StartPlan(ctx context.Context, ref Ref, id string) (*PlanJSON, error) {
	return s.changePlan(ctx, ref, id, func(tx Tx, p *Principal, plan *Plan, _ *mplp.Plan) error {
		if !plan.Status.CanMove(PlanInProgress) {
			return refuse(CodeInvalidTransition, "Only an approved plan can start; this plan is %s.", plan.Status)
		}
		if err := activeContext(tx, plan); err != nil {
			return err
		}
		return s.movePlan(tx, p, plan, PlanInProgress, "plan.started", "context_id", plan.ContextID)
	})
}

// activeContext refuses a plan whose context is missing or not active. The problem's
// code is the protocol's name of this rule.
func activeContext(r Reader, plan *Plan) error {
	refused := func(format string, args ...any) error {
		e := refuse(CodeInvalidTransition, format, args...)
		e.Problems = []mplp.Problem{{Path: "context_id", Code: "sa_plan_context_binding", Message: e.Message}}
		return e
	}
	c, err := r.Context(plan.ContextID)
	if errors.Is(err, ErrNotFound) {
		return refused("The plan's context %s does not exist.", plan.ContextID)
	} else if err != nil {
		return err
	}
	if c.Status != ContextActive {
		return refused("The plan's context is %s; it must be active.", c.Status)
	}
	return nil
}

// CompletePlan moves a running plan to completed if every step is completed or skipped.
// Needs plan.execute.
func (s *Service) CompletePlan(ctx context.Context, ref Ref, id string) (*PlanJSON, error) {
	return s.changePlan(ctx, ref, id, func(tx Tx, p *Principal, plan *Plan, document *mplp.Plan) error {
		if !plan.Status.CanMove(PlanCompleted) {
			return refuse(CodeInvalidTransition, "Only a running plan can complete; this plan is %s.", plan.Status)
		}
		for i, step := range document.Steps {
			if status := plan.States.Status(i); !status.isSatisfied() {
				return refuse(CodeInvalidTransition, "Step %s is %s; all must be completed or skipped.", step.ID, status)
			}
		}
		return s.endPlan(tx, p, plan, PlanCompleted, "", "")
	})
}

// FailPlan moves a running plan with a failed step to failed. Needs plan.execute.
func (s *Service) FailPlan(ctx context.Context, ref Ref, id string) (*PlanJSON, error) {
	return s.changePlan(ctx, ref, id, func(tx Tx, p *Principal, plan *Plan, _ *mplp.Plan) error {
		if !plan.Status.CanMove(PlanFailed) {
			return refuse(CodeInvalidTransition, "Only a running plan can fail; this plan is %s.", plan.Status)
		}
		if !plan.States.hasFailed() {
			return refuse(CodeInvalidTransition, "No step has failed.")
		}
		return s.endPlan(tx, p, plan, PlanFailed, "", "")
	})
}

// MoveStep makes one transition of a step of a running plan with its consequences.
// Dependants are blocked when the step fails, and pending again when none of their
// dependencies is failed any more. The plan completes with its last step and fails with
// a critical one. Needs plan.execute.
func (s *Service) MoveStep(ctx context.Context, ref Ref, planID, stepID string, to StepStatus, critical bool) (*PlanJSON, error) {
	if !slices.Contains([]StepStatus{StepPending, StepInProgress, StepCompleted, StepBlocked, StepSkipped, StepFailed}, to) {
		return nil, Invalid("status", "enum", "The status of a step is pending, in_progress, completed, blocked, skipped or failed.")
	}
	if critical && to != StepFailed {
		return nil, Invalid("critical", "const", "Only a failed step can be critical.")
	}
	return s.changePlan(ctx, ref, planID, func(tx Tx, p *Principal, plan *Plan, document *mplp.Plan) error {
		i := slices.IndexFunc(document.Steps, func(step mplp.Step) bool { return step.ID == stepID })
		if i < 0 {
			return errNotFound("step")
		}
		g := newStepGraph(document.Steps, plan.States)
		from := g.states[i]
		if plan.Status != PlanInProgress {
			return refuse(CodeInvalidTransition, "Steps can change only while the plan is in_progress; it is %s.", plan.Status)
		}
		if err := g.checkMove(i, to); err != nil {
			return err
		}
		g.states[i] = to
		blocked, freed := g.updateDependants(i, to)
		plan.States, plan.UpdatedAt = g.encode(plan.States, i, critical), s.clock()
		if err := tx.UpdatePlan(plan, plan.Status, nil); err != nil {
			return err
		}
		facts := []any{"step_id", stepID, "from", from, "status", to}
		if critical {
			facts = append(facts, "critical", true)
		}
		if len(blocked)+len(freed) > 0 {
			facts = append(facts, "blocked", capList(blocked), "unblocked", capList(freed))
		}
		if left := max(len(blocked)-maxListed, 0) + max(len(freed)-maxListed, 0); left > 0 {
			facts = append(facts, "more_steps", left)
		}
		if err := s.log(tx, p, evidence.Entry{Type: to.event(), PlanID: plan.ID, TraceID: plan.spanTraceID(), SpanID: "span-" + stepID, Data: data(facts...)}); err != nil {
			return err
		}
		switch {
		case critical:
			return s.endPlan(tx, p, plan, PlanFailed, "Critical step "+stepID+" failed.", "")
		case !slices.ContainsFunc(g.states, func(status StepStatus) bool { return !status.isSatisfied() }):
			return s.endPlan(tx, p, plan, PlanCompleted, "", "")
		}
		return nil
	})
}

// spanTraceID returns the trace of the spans of the plan's steps: the one it was posted
// with, or the plan's own id.
func (p *Plan) spanTraceID() string { return cmp.Or(p.TraceID, p.ID) }

// changePlan runs a change that executing agents may make to a plan.
func (s *Service) changePlan(ctx context.Context, ref Ref, id string, change func(Tx, *Principal, *Plan, *mplp.Plan) error) (moved *PlanJSON, err error) {
	var render func() []byte
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		plan, err := visiblePlan(tx, p, id)
		if err != nil {
			return err
		}
		if err := p.require(PlanExecute); err != nil {
			return err
		}
		if err := plan.checkUnlocked(); err != nil {
			return err
		}
		if plan.Imported {
			return refuse(CodeInvalidTransition, "The plan is an imported record and does not run.")
		}
		document, err := s.loadPlanDocument(tx, plan)
		if err != nil {
			return err
		}
		if err := change(tx, p, plan, document); err != nil {
			return err
		}
		moved = &PlanJSON{Plan: plan}
		render, err = preparePlanRender(tx, plan)
		return err
	})
	if err != nil {
		return nil, err
	}
	moved.Native = render()
	return moved, nil
}

// stepGraph indexes a plan's steps by position, so that a move costs time linear in the
// edges it concerns.
type stepGraph struct {
	steps      []mplp.Step
	states     []StepStatus
	needs      [][]int // by step: what it depends on
	dependants [][]int // by step: what depends on it
}

func newStepGraph(steps []mplp.Step, states StepStates) *stepGraph {
	g := &stepGraph{steps: steps, states: make([]StepStatus, len(steps)), needs: make([][]int, len(steps)), dependants: make([][]int, len(steps))}
	position := make(map[string]int, len(steps))
	for i, step := range steps {
		position[step.ID] = i
		g.states[i] = states.Status(i)
	}
	for i, step := range steps {
		for _, id := range step.Dependencies {
			j := position[id]
			g.needs[i] = append(g.needs[i], j)
			g.dependants[j] = append(g.dependants[j], i)
		}
	}
	return g
}

// failedNeed returns a failed dependency of step i, -1 if there is none.
func (g *stepGraph) failedNeed(i int) int {
	for _, j := range g.needs[i] {
		if g.states[j] == StepFailed {
			return j
		}
	}
	return -1
}

func (g *stepGraph) checkMove(i int, to StepStatus) error {
	from, id := g.states[i], g.steps[i].ID
	if !from.CanMove(to) {
		return refuse(CodeInvalidTransition, "A step cannot go from %s to %s.", from, to)
	}
	switch {
	case to == StepInProgress:
		for _, j := range g.needs[i] {
			if !g.states[j].isSatisfied() {
				return refuse(CodeInvalidTransition, "Step %s waits for step %s, which is %s.", id, g.steps[j].ID, g.states[j])
			}
		}
	case to == StepBlocked && g.failedNeed(i) < 0:
		return refuse(CodeInvalidTransition, "Step %s can be blocked only when a step it depends on has failed.", id)
	case from == StepBlocked && g.failedNeed(i) >= 0:
		return refuse(CodeInvalidTransition, "Step %s stays blocked: step %s has failed.", id, g.steps[g.failedNeed(i)].ID)
	}
	return nil
}

// updateDependants blocks and unblocks the dependants of a step that moved, and returns
// their ids.
func (g *stepGraph) updateDependants(i int, to StepStatus) (blocked, freed []string) {
	for _, d := range g.dependants[i] {
		switch {
		case to == StepFailed && g.states[d] == StepPending:
			g.states[d] = StepBlocked
			blocked = append(blocked, g.steps[d].ID)
		case g.states[d] == StepBlocked && g.failedNeed(d) < 0:
			g.states[d] = StepPending
			freed = append(freed, g.steps[d].ID)
		}
	}
	// A step that is retried while a dependency is failed is blocked again.
	if to == StepPending && g.failedNeed(i) >= 0 {
		g.states[i] = StepBlocked
		blocked = append(blocked, g.steps[i].ID)
	}
	return blocked, freed
}

// encode returns the states, with a letter of their own for failed steps that were
// critical.
func (g *stepGraph) encode(before StepStates, moved int, critical bool) StepStates {
	letters := make([]byte, len(g.states))
	for i, status := range g.states {
		letters[i] = status.letter()
		if status == StepFailed && (i == moved && critical || i != moved && before.Critical(i)) {
			letters[i] = 'F'
		}
	}
	return StepStates(letters)
}
