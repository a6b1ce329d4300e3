package domain

import (
	"slices"
	"strings"
	"time"

	"countersign/domain/mplp"
)

// PlanStatus is a plan's status (requirements P-12).
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

// planEdges are S3's eight transitions (requirements P-14), and no other.
var planEdges = map[PlanStatus][]PlanStatus{
	PlanDraft:      {PlanProposed, PlanCancelled},
	PlanProposed:   {PlanApproved, PlanDraft},
	PlanApproved:   {PlanInProgress},
	PlanInProgress: {PlanCompleted, PlanFailed, PlanCancelled},
}

// CanMove says whether S3 has an edge from the one status to the other.
func (s PlanStatus) CanMove(to PlanStatus) bool { return slices.Contains(planEdges[s], to) }

// Ended says whether the plan is over: nothing leads on.
func (s PlanStatus) Ended() bool { return len(planEdges[s]) == 0 }

// StepStatus is a step's status (requirements P-13).
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

// Plan is an agent's plan: a graph of steps (S3). What a reviewer approves of
// it is named by Hash and never includes statuses or events.
type Plan struct {
	ID          string
	ContextID   string
	Title       string
	Status      PlanStatus
	Hash        string // of title, objective, context and steps
	States      StepStates
	RequestedBy Ref
	Group       Group
	Name        string // the poster's name when it posted
	Imported    bool
	Locked      bool
	BodyDigest  []byte
	TraceID     string
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// StepStates holds the status of every step in the order of the plan's steps,
// one letter each, so that moving a step rewrites one short row.
type StepStates string

// stepLetters maps a letter to its status; "F" is a failed step that its agent
// called critical.
var stepLetters = map[byte]StepStatus{
	'p': StepPending, 'i': StepInProgress, 'c': StepCompleted,
	'b': StepBlocked, 's': StepSkipped, 'f': StepFailed, 'F': StepFailed,
}

// Status of the i-th step.
func (s StepStates) Status(i int) StepStatus { return stepLetters[s[i]] }

// Critical says whether the i-th step failed and ended the plan.
func (s StepStates) Critical(i int) bool { return s[i] == 'F' }

// anyFailed says whether a step has failed, critical or not.
func (s StepStates) anyFailed() bool { return strings.ContainsAny(string(s), "fF") }

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
