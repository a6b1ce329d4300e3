package mplp

import "fmt"

// Problem is one fault of a well-formed input. Path names the member, such as
// "actions[0].args"; it is empty for the whole document. Code is a code of the JSON
// interface (required, type_error, enum, …) or the id of a rule (sa_plan_dag_acyclic,
// …). Message is fit to show to the sender.
type Problem struct{ Path, Code, Message string }

// Warning is about something that was accepted but filled, dropped or doubtful. Its
// codes are filled, naive_time, null, dropped and unbound; package domain adds its own.
type Warning struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// CodeFilled is the code of a warning about a missing member that the server filled in.
// Missing is its message.
const (
	CodeFilled = "filled"
	Missing    = "was missing"
)

// SyntaxError says that an input is not acceptable as JSON. Path is where, as far as it
// is known.
type SyntaxError struct{ Path, Message string }

func (e *SyntaxError) Error() string { return "invalid JSON: " + e.Summary() }

// Summary says where something is wrong, and what.
func (e *SyntaxError) Summary() string { return at(e.Path, e.Message) }

// Invalid lists everything that is wrong with a well-formed input, in document order,
// at most [MaxProblems]. Notes add what fixed messages cannot say, such as the steps of
// a cycle.
type Invalid struct {
	Problems []Problem
	Notes    []Warning
}

// MaxProblems bounds how many faults of one input are reported.
const MaxProblems = 100

func (e *Invalid) Error() string { return "invalid: " + e.Summary() }

// Summary says where the first problem is, what it is, and how many more there
// are.
func (e *Invalid) Summary() string {
	if len(e.Problems) == 0 {
		return "nothing is known of it"
	}
	text := at(e.Problems[0].Path, e.Problems[0].Message)
	if more := len(e.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// at puts the path before a message, if there is one.
func at(path, message string) string {
	if path == "" {
		return message
	}
	return path + ": " + message
}

// Limits bounds what one document may hold.
type Limits struct {
	Depth       int // nested objects and arrays, the document itself being 1
	NumberLen   int // characters of a number literal
	Actions     int // actions of a confirm, and decisions of a command
	Steps       int // steps of a plan
	Edges       int // dependencies of a plan, over all its steps
	Events      int // events that an object comes with
	Title       int // bytes of a title, a tool's name, a role's label and other short texts
	Description int // bytes of a description, an objective or a summary
}

// DefaultLimits are the limits of a server without other settings.
var DefaultLimits = Limits{Depth: 32, NumberLen: 64, Actions: 32, Steps: 5_000, Edges: 20_000, Events: 10_000, Title: 1 << 10, Description: 4 << 10}
