// Package native translates between what the harnesses and frameworks of agents have in
// their hands and a confirm: what they ask about goes in, their own form of a decision
// comes out. It is pure: it knows no server and no state.
//
// Most harnesses run a tool when they do not understand the answer. So an answer has
// exactly the members that the harness defines, and whatever is not an approval is in
// the form that blocks there. An edit is offered only where the edited arguments run.
package native

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/domain/mplp"
)

// Call is what a caller asks about: one tool call, or several that are decided together.
type Call struct {
	Actions  []Action
	Identity []string // names the call among those of the same principal and format
	Session  string   // the harness's, or empty
	Reason   string   // why it asks, in our words
	// IsHook is set when the harness waits for each call by itself. The same call later
	// is a new one, and until a decision the answer blocks. Without it the caller has
	// stopped, and comes back with the same until it is decided.
	IsHook bool

	answer func(Verdict) any
}

// Action is one tool call.
type Action struct {
	Name        string
	Args        jsontext.Value // an object, compact
	ID          string         // the harness's name of this execution; empty: it has none
	Description string
	Schema      jsontext.Value // of the arguments; nil: not known
	Decisions   []string       // allowed, besides a rejection
}

// Verdict is what to answer.
type Verdict struct {
	Status  string // pending, approved, rejected or cancelled
	Role    string // in which it was decided
	Words   string // why it does not run, for the agent
	Timeout bool   // nobody decided in time
	Actions []Decision
}

// Decision is the verdict on one action. Only with IsApproved it may run, with these
// arguments.
type Decision struct {
	IsApproved bool
	Name       string
	Args       jsontext.Value // edited; nil: as they were asked for
	Original   jsontext.Value
	Words      string // why it does not run
}

// Formats are the names of all formats.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

var formats = map[string]func(Input) (*Call, error){
	"claude": parseClaude, "codex": parseCodex, "gemini": parseGemini, "copilot": parseCopilot, "cursor": parseCursor,
	"langchain": parseLangChain, "vercel": parseVercel, "openai": parseOpenAI, "agent-inbox": parseAgentInbox, "ag-ui": parseAGUI,
}

// Input is what a caller sent.
type Input struct {
	Body   []byte
	Key    string // names a request that has no id of its own, or is empty
	Limits mplp.Limits
}

// ErrUnknownFormat says that there is no such format.
var ErrUnknownFormat = errors.New("unknown format")

// Parse reads what was sent in a format. Errors are ErrUnknownFormat, *mplp.SyntaxError
// or *mplp.Invalid.
func Parse(format string, in Input) (*Call, error) {
	parse, ok := formats[format]
	if !ok {
		return nil, ErrUnknownFormat
	}
	call, err := parse(in)
	if err != nil {
		return nil, err
	}
	if most := in.Limits.Actions; len(call.Actions) > most {
		return nil, invalid("", "limit", fmt.Sprintf("at most %d calls are asked about at once", most))
	}
	return call, nil
}

// Answer is what the harness expects, as JSON. The bytes of arguments are untouched.
func (c *Call) Answer(v Verdict) ([]byte, error) {
	return jsonv2.Marshal(c.answer(v), jsontext.PreserveRawStrings(true))
}

// decode reads strict JSON into v.
func (in Input) decode(v any) error {
	raw, err := mplp.ParseValue(in.Body, in.Limits)
	if err != nil {
		return err
	}
	return decode(jsontext.Value(raw), "", v)
}

// decode reads JSON that is known to be strict. at is its path in the body.
func decode(raw jsontext.Value, at string, v any) error {
	err := jsonv2.Unmarshal(raw, v)
	var wrong *jsonv2.SemanticError
	switch {
	case errors.As(err, &wrong):
		return invalid(at+pathOf(wrong.JSONPointer), "type_error", "has another type than expected")
	case err != nil:
		return invalid(at, "type_error", "is not what was expected")
	}
	return nil
}

// pathOf writes a JSON pointer as problems name a place: [0].value.
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
	}
	return strings.TrimPrefix(path.String(), ".")
}

func invalid(path, code, message string) error {
	return &mplp.Invalid{Problems: []mplp.Problem{{Path: path, Code: code, Message: message}}}
}

// arguments returns a tool's input as an object. Anything else is wrapped into one, and
// cannot be edited then: there is no way back.
func arguments(input jsontext.Value) (args jsontext.Value, canEdit bool) {
	switch {
	case len(input) == 0:
		return jsontext.Value("{}"), false
	case input.Kind() == '{':
		return input, true
	}
	return append(append(jsontext.Value(`{"input":`), input...), '}'), false
}

// parseArguments reads arguments that stand in a JSON text, strictly. They must be an
// object.
func parseArguments(text, path string, l mplp.Limits) (jsontext.Value, error) {
	o, err := mplp.ParseObject([]byte(text), l)
	if err != nil {
		return nil, invalid(path, "type_error", "must be the text of a JSON object")
	}
	return jsontext.Value(o.Bytes()), nil
}

// Canonical returns JSON with the members of its objects sorted, and everything else as
// it was written.
func Canonical(raw []byte) (string, error) {
	value := jsontext.Value(raw).Clone()
	err := value.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(true))
	return string(value), err
}

// Digest names a list of texts in 32 hexadecimal digits.
func Digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		_, _ = io.WriteString(sum, strconv.Itoa(len(text))+":"+text) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// hookCall is the call of a harness that asks about one call at a time.
func hookCall(session, agent string, action Action, product, cwd string, answer func(Verdict) any) (*Call, error) {
	if action.Name == "" {
		return nil, invalid("tool_name", "required", "is required")
	}
	args, err := Canonical(action.Args)
	if err != nil {
		return nil, invalid("tool_input", "type_error", "is not JSON")
	}
	reason := product + " asks to use " + action.Name
	if cwd != "" {
		reason += " in " + cwd
	}
	return &Call{
		Actions: []Action{action}, Identity: []string{session, agent, action.Name, args},
		Session: session, Reason: reason, IsHook: true, answer: answer,
	}, nil
}

// What may be decided besides a rejection.
var (
	approveOnly   = []string{"approve"}
	approveOrEdit = []string{"approve", "edit"}
)

func decisions(canEdit bool) []string {
	if canEdit {
		return approveOrEdit
	}
	return approveOnly
}

// only is the decision on the only action of a call.
func (v Verdict) only() Decision {
	if len(v.Actions) != 1 {
		return Decision{Words: v.Words}
	}
	return v.Actions[0]
}

// oneEvent refuses an event that the format cannot be asked about.
func oneEvent(path, event string, known ...string) error {
	if slices.Contains(known, event) {
		return nil
	}
	return invalid(path, "enum", "must be one of "+strings.Join(known, ", "))
}
