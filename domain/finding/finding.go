package finding

import (
	"time"

	"countersign/domain/reading"
)

// Version names the set of rules. A decision's log entry has it, so that a later reader
// knows by which rules its findings were made.
const Version = 1

// Level says what a finding asks of the reviewer.
type Level string

// The levels.
const (
	Stop Level = "stop" // has to be acknowledged before the request can be approved
	Look Level = "look" // is listed above the arguments
	Note Level = "note" // stands in its row
)

// Kind names the rule that made a finding.
type Kind string

// Finding is one thing to notice.
type Finding struct {
	Kind    Kind
	Level   Level
	Action  int    // index of the action that it is about; -1: the request as a whole
	Pointer string // JSON Pointer in the action's arguments, or "" for all of them
	Says    string // a plain sentence by the server, at most 120 characters, without the values
	Here    string // the value in the arguments, as sent; may be shortened
	There   string // what contradicts it, as written there; may be empty
	Where   string // where There stands: "reason", "plan", "context" …; empty if There is
}

// Request is what the rules look at.
type Request struct {
	Reason  string // the agent's words
	Actions []Action
	Plan    *Plan    // nil: none, or the reader may not see it
	Context string   // text of the context's title and summary; empty if the reader may not see it
	Earlier *Earlier // what came before; nil: unknown
	Facts   *Facts   // of what people decided so far; nil: unknown
	Now     time.Time

	scripts []script // of the actions, while Of looks at them
}

// Action is one tool call.
type Action struct {
	Name        string
	Description string // the agent's words
	Args        reading.Value
}

// Plan is the plan that the request concerns.
type Plan struct {
	Title, Objective string // the agent's words
	Steps            []Step
	Current          string // id of the step that the request gates, if any
}

// Step is one step of a plan.
type Step struct {
	ID, Description, Role string
	HasRole               bool // Role is a role that is registered
}
