package mplp

import "fmt"

// Problem is one fault of a well-formed input. Path names the member, such as
// "actions[0].args", or is empty for the whole document. Code is one of the
// codes that the interface lists (required, type_error, enum, …) or the id of
// an invariant (sa_plan_dag_acyclic, …). Message is fit to show to the sender.
type Problem struct{ Path, Code, Message string }

// Warning is something that was accepted but filled, dropped or doubtful. Its
// codes are filled, naive_time, null, dropped and unbound; package domain adds
// its own.
type Warning struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// CodeFilled is the code of a warning about a member that was missing and that
// the server supplied; Missing is its message.
const (
	CodeFilled = "filled"
	Missing    = "was missing"
)

// SyntaxError says that an input cannot be accepted as JSON at all. Path names
// the place as far as it is known.
type SyntaxError struct{ Path, Message string }

func (e *SyntaxError) Error() string { return "invalid JSON: " + e.Summary() }

// Summary says where something is wrong, and what.
func (e *SyntaxError) Summary() string { return at(e.Path, e.Message) }

// Invalid lists everything that is wrong with a well-formed input, in document
// order, at most [MaxProblems] of them. Notes help to find what a problem in
// fixed words does not name: the steps of a cycle, with the code cycle.
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

// at puts a message behind the place that it is about, if that is known.
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
	Events      int // events that an object brings along
	Title       int // bytes of a title, a tool's name, a role's label and other short texts
	Description int // bytes of a description, an objective or a summary
}

// DefaultLimits are the limits of a server that was not told otherwise.
var DefaultLimits = Limits{Depth: 32, NumberLen: 64, Actions: 32, Steps: 5_000, Edges: 20_000, Events: 10_000, Title: 1 << 10, Description: 4 << 10}
