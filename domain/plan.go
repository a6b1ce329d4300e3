package domain

import (
	"slices"
	"strings"
	"time"

	"countersign/domain/mplp"
)

// PlanStatus is a plan's status.
type PlanStatus string

// The plan statuses.
const (
	PlanDraft      PlanStatus = "draft"
	PlanProposed   PlanStatus = "proposed"
	PlanApproved   PlanStatus = "approved"
	PlanInProgress PlanStatus = "in_progress"
	PlanCompleted  PlanStatus = "completed"
	PlanCancelled  PlanStatus = "cancelled"
	PlanFailed     PlanStatus = "failed"
)

// planEdges are the allowed transitions of a plan.
var planEdges = map[PlanStatus][]PlanStatus{
	PlanDraft:      {PlanProposed, PlanCancelled},
	PlanProposed:   {PlanApproved, PlanDraft},
	PlanApproved:   {PlanInProgress},
	PlanInProgress: {PlanCompleted, PlanFailed, PlanCancelled},
}

// CanMove reports whether the transition is allowed.
func (s PlanStatus) CanMove(to PlanStatus) bool { return slices.Contains(planEdges[s], to) }

// IsFinal reports whether no transition leads on.
func (s PlanStatus) IsFinal() bool { return len(planEdges[s]) == 0 }

// StepStatus is a step's status.
type StepStatus string

// The step statuses.
const (
	StepPending    StepStatus = "pending"
	StepInProgress StepStatus = "in_progress"
	StepCompleted  StepStatus = "completed"
	StepBlocked    StepStatus = "blocked"
	StepSkipped    StepStatus = "skipped"
	StepFailed     StepStatus = "failed"
)

// Plan is an agent's plan: a graph of steps. Hash names what a reviewer approves of it,
// which never includes statuses or events.
type Plan struct {
	ID          string
	ContextID   string
	Title       string
	Status      PlanStatus
	Hash        string // of title, objective, context and steps
	States      StepStates
	RequestedBy Ref
	Group       Group
	Name        string // of the poster, at that time
	Imported    bool
	Locked      bool
	BodyDigest  []byte
	TraceID     string
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// PlanReader reads plans.
type PlanReader interface {
	Plan(id string) (*Plan, error)
	// PlanContent returns the compact JSON of an existing plan, never ErrNotFound.
	PlanContent(id string) ([]byte, error)
	Plans(f PlanFilter, p Page) (list []*Plan, next string, err error)
}

// PlanWriter writes plans.
type PlanWriter interface {
	InsertPlan(p *Plan, content []byte) error
	// UpdatePlan returns ErrConflict unless the stored status is from. A nil content
	// leaves the stored one.
	UpdatePlan(p *Plan, from PlanStatus, content []byte) error
}

// StepStates has one letter for the status of each step, in the order of the plan's
// steps, so that moving a step rewrites one short row.
type StepStates string

// stepLetters maps letters to statuses. "F" is a failed step that its agent called
// critical.
var stepLetters = map[byte]StepStatus{
	'p': StepPending, 'i': StepInProgress, 'c': StepCompleted,
	'b': StepBlocked, 's': StepSkipped, 'f': StepFailed, 'F': StepFailed,
}

// Status returns the status of the i-th step.
func (s StepStates) Status(i int) StepStatus { return stepLetters[s[i]] }

// Critical reports whether the i-th step failed and ended the plan.
func (s StepStates) Critical(i int) bool { return s[i] == 'F' }

// hasFailed reports whether a step has failed, critical or not.
func (s StepStates) hasFailed() bool { return strings.ContainsAny(string(s), "fF") }

// newStepStates encodes the statuses of a plan as sent.
func newStepStates(steps []mplp.Step) StepStates {
	states := make([]byte, len(steps))
	for i, step := range steps {
		states[i] = StepStatus(step.Status).letter()
	}
	return StepStates(states)
}

// PlanRow is a plan as lists show it.
type PlanRow struct {
	Plan
	Waiting int // pending confirms that count for it
}

// PlanFilter narrows a list of plans.
type PlanFilter struct {
	Status    PlanStatus
	ContextID string
	Visible   Visibility // set by the service
}
