package domain

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// stepEdges are S3's six transitions (requirements P-16) and the explicit
// retry of a failed step.
var stepEdges = map[StepStatus][]StepStatus{
	StepPending:    {StepInProgress, StepBlocked, StepSkipped},
	StepInProgress: {StepCompleted, StepFailed},
	StepBlocked:    {StepPending},
	StepFailed:     {StepPending},
}

// CanMove says whether there is an edge from the one status to the other.
func (s StepStatus) CanMove(to StepStatus) bool { return slices.Contains(stepEdges[s], to) }

// satisfied says whether a dependant need not wait for the step any more. A
// skipped step counts: else its dependants could never run (contradiction 19).
func (s StepStatus) satisfied() bool { return s == StepCompleted || s == StepSkipped }

// event is the type of entry that says that a step was moved there.
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

// StartPlan moves an approved plan to in_progress (requirements P-14e). Its
// context must be known and active (P-23, P-26, P-30). Needs plan.execute.
func (s *Service) StartPlan(ctx context.Context, ref Ref, id string) (*PlanObject, error) {
	return s.changePlan(ctx, ref, id, func(tx Tx, p *Principal, plan *Plan, _ *mplp.Plan) error {
		if !plan.Status.CanMove(PlanInProgress) {
			return refuse(CodeInvalidTransition, "Only an approved plan starts; this plan is %s.", plan.Status)
		}
		if err := activeContext(tx, plan); err != nil {
			return err
		}
		return s.movePlan(tx, p, plan, PlanInProgress, "plan.started", "context_id", plan.ContextID)
	})
}

// activeContext refuses a plan whose context is not there or not active. The
// problem's code is the invariant's id.
func activeContext(r Reader, plan *Plan) error {
	refused := func(format string, args ...any) error {
		e := refuse(CodeInvalidTransition, format, args...)
		e.Problems = []mplp.Problem{{Path: "context_id", Code: "sa_plan_context_binding", Message: e.Message}}
		return e
	}
	c, err := r.Context(plan.ContextID)
	if errors.Is(err, ErrNotFound) {
		return refused("The plan's context %s is not known.", plan.ContextID)
	} else if err != nil {
		return err
	}
	if c.Status != ContextActive {
		return refused("The plan's context is %s; it must be active.", c.Status)
	}
	return nil
}

// CompletePlan moves a running plan to completed once every step is completed
// or skipped (requirements P-14f, P-28). Needs plan.execute.
func (s *Service) CompletePlan(ctx context.Context, ref Ref, id string) (*PlanObject, error) {
	return s.changePlan(ctx, ref, id, func(tx Tx, p *Principal, plan *Plan, document *mplp.Plan) error {
		if !plan.Status.CanMove(PlanCompleted) {
			return refuse(CodeInvalidTransition, "Only a running plan completes; this plan is %s.", plan.Status)
		}
		for i, step := range document.Steps {
			if status := plan.States.Status(i); !status.satisfied() {
				return refuse(CodeInvalidTransition, "Step %s is %s; all must be completed or skipped.", step.ID, status)
			}
		}
		return s.endPlan(tx, p, plan, PlanCompleted, "", "")
	})
}

// FailPlan moves a running plan to failed: its agent calls one of its failed
// steps critical (requirements P-14g, P-29). Needs plan.execute.
func (s *Service) FailPlan(ctx context.Context, ref Ref, id string) (*PlanObject, error) {
	return s.changePlan(ctx, ref, id, func(tx Tx, p *Principal, plan *Plan, _ *mplp.Plan) error {
		if !plan.Status.CanMove(PlanFailed) {
			return refuse(CodeInvalidTransition, "Only a running plan fails; this plan is %s.", plan.Status)
		}
		if !plan.States.anyFailed() {
			return refuse(CodeInvalidTransition, "No step has failed.")
		}
		return s.endPlan(tx, p, plan, PlanFailed, "", "")
	})
}

// MoveStep takes one edge of a step of a running plan, and what follows from
// it: dependants are blocked when the step fails and pending again when none of
// their dependencies is failed any more; the plan completes with its last step
// and fails with a step that is called critical. Needs plan.execute.
func (s *Service) MoveStep(ctx context.Context, ref Ref, planID, stepID string, to StepStatus, critical bool) (*PlanObject, error) {
	if !slices.Contains([]StepStatus{StepPending, StepInProgress, StepCompleted, StepBlocked, StepSkipped, StepFailed}, to) {
		return nil, Invalid("status", "enum", "A step is pending, in_progress, completed, blocked, skipped or failed.")
	}
	if critical && to != StepFailed {
		return nil, Invalid("critical", "const", "Only a failed step is critical.")
	}
	return s.changePlan(ctx, ref, planID, func(tx Tx, p *Principal, plan *Plan, document *mplp.Plan) error {
		i := slices.IndexFunc(document.Steps, func(step mplp.Step) bool { return step.ID == stepID })
		if i < 0 {
			return notFound("step")
		}
		g := newStepGraph(document.Steps, plan.States)
		from := g.states[i]
		if plan.Status != PlanInProgress {
			return refuse(CodeInvalidTransition, "Steps move only while the plan is in_progress; it is %s.", plan.Status)
		}
		if err := g.mayMove(i, to); err != nil {
			return err
		}
		g.states[i] = to
		blocked, freed := g.follow(i, to)
		plan.States, plan.UpdatedAt = g.encode(plan.States, i, critical), s.clock()
		if err := tx.UpdatePlan(plan, plan.Status, nil); err != nil {
			return err
		}
		facts := []any{"step_id", stepID, "from", from, "status", to}
		if critical {
			facts = append(facts, "critical", true)
		}
		if len(blocked)+len(freed) > 0 {
			facts = append(facts, "blocked", firstOf(blocked), "unblocked", firstOf(freed))
		}
		if left := max(len(blocked)-maxListed, 0) + max(len(freed)-maxListed, 0); left > 0 {
			facts = append(facts, "more_steps", left)
		}
		if err := s.log(tx, p, evidence.Entry{Type: to.event(), PlanID: plan.ID, TraceID: plan.trace(), SpanID: "span-" + stepID, Data: data(facts...)}); err != nil {
			return err
		}
		switch {
		case critical:
			return s.endPlan(tx, p, plan, PlanFailed, "Critical step "+stepID+" failed.", "")
		case !slices.ContainsFunc(g.states, func(status StepStatus) bool { return !status.satisfied() }):
			return s.endPlan(tx, p, plan, PlanCompleted, "", "")
		}
		return nil
	})
}

// trace is the trace that the spans of the plan's steps belong to (requirements
// P-32): the one it was posted with, or one of its own.
func (p *Plan) trace() string { return cmp.Or(p.TraceID, p.ID) }

// changePlan runs a change of a plan that executing agents may make.
func (s *Service) changePlan(ctx context.Context, ref Ref, id string, change func(Tx, *Principal, *Plan, *mplp.Plan) error) (moved *PlanObject, err error) {
	var render func() []byte
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		plan, err := visiblePlan(tx, p, id)
		if err != nil {
			return err
		}
		if err := p.needs(PlanExecute); err != nil {
			return err
		}
		if err := plan.unlocked(); err != nil {
			return err
		}
		if plan.Imported {
			return refuse(CodeInvalidTransition, "The plan is an import: it is a record and does not run.")
		}
		document, err := s.planDocument(tx, plan)
		if err != nil {
			return err
		}
		if err := change(tx, p, plan, document); err != nil {
			return err
		}
		moved = &PlanObject{Plan: plan}
		render, err = planRender(tx, plan)
		return err
	})
	if err != nil {
		return nil, err
	}
	moved.Native = render()
	return moved, nil
}

// stepGraph is a plan's steps by position, so that one move costs time linear
// in the edges it concerns.
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

// failedNeed is a dependency of step i that has failed, -1 when none has.
func (g *stepGraph) failedNeed(i int) int {
	for _, j := range g.needs[i] {
		if g.states[j] == StepFailed {
			return j
		}
	}
	return -1
}

func (g *stepGraph) mayMove(i int, to StepStatus) error {
	from, id := g.states[i], g.steps[i].ID
	if !from.CanMove(to) {
		return refuse(CodeInvalidTransition, "A step does not go from %s to %s.", from, to)
	}
	switch {
	case to == StepInProgress:
		for _, j := range g.needs[i] {
			if !g.states[j].satisfied() {
				return refuse(CodeInvalidTransition, "Step %s waits for step %s, which is %s.", id, g.steps[j].ID, g.states[j])
			}
		}
	case to == StepBlocked && g.failedNeed(i) < 0:
		return refuse(CodeInvalidTransition, "Step %s is blocked only when a step it depends on has failed.", id)
	case from == StepBlocked && g.failedNeed(i) >= 0:
		return refuse(CodeInvalidTransition, "Step %s stays blocked: step %s has failed.", id, g.steps[g.failedNeed(i)].ID)
	}
	return nil
}

// follow blocks and frees the dependants of a step that moved, and names them.
func (g *stepGraph) follow(i int, to StepStatus) (blocked, freed []string) {
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
	// A step that is retried while something before it has failed waits again.
	if to == StepPending && g.failedNeed(i) >= 0 {
		g.states[i] = StepBlocked
		blocked = append(blocked, g.steps[i].ID)
	}
	return blocked, freed
}

// encode writes the states, keeping which failed steps were critical.
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
