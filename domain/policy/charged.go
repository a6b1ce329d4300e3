package policy

import (
	"regexp"
	"regexp/syntax"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// charge adds to the cost of an evaluation, before the work is done. It panics when the
// cost is too high, which the evaluation recovers from.
func charge(frame *interpreter.ExecutionFrame, part int64, cost int) {
	for range cost {
		frame.CostTracker().Qualify(part)
	}
}

// operands evaluates the two arguments of a call, up to the first error.
func operands(call interpreter.InterpretableCall, frame *interpreter.ExecutionFrame) (left, right, err ref.Val) {
	if left = call.Args()[0].Exec(frame); types.IsError(left) {
		return nil, nil, left
	}
	if right = call.Args()[1].Exec(frame); types.IsError(right) {
		return nil, nil, right
	}
	return left, right, nil
}

// wrongKind is the error of a part of a condition that has values of the wrong kinds.
func wrongKind(part int64) ref.Val { return types.NewErrWithNodeID(part, "wrong kind of value") }

// sum is a call of +. Lists are refused: a list that is added to itself again and again
// grows beyond all bounds without being charged.
type sum struct{ interpreter.InterpretableCall }

func (s sum) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	left, right, err := operands(s, frame)
	if err != nil {
		return err
	}
	a, ok := left.(traits.Adder)
	if _, isList := left.(traits.Lister); !ok || isList {
		return wrongKind(s.ID())
	}
	if text, isText := left.(types.String); isText {
		if other, isText := right.(types.String); isText {
			charge(frame, s.ID(), (len(text)+len(other))/10)
		}
	}
	charge(frame, s.ID(), 1)
	return types.LabelErrNode(s.ID(), a.Add(right))
}

func (s sum) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, s.Exec)
}

// search is a call of matches with a pattern that is written out.
type search struct {
	interpreter.InterpretableCall
	pattern *regexp.Regexp
	size    int // of the compiled pattern, in instructions
}

func newSearch(call interpreter.InterpretableCall) (interpreter.InterpretableV2, error) {
	pattern := string(call.Args()[1].(interpreter.InterpretableConst).Value().(types.String))
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(pattern)
	return search{call, compiled, len(program.Inst)}, err
}

func (s search) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	left, _, err := operands(s, frame)
	if err != nil {
		return err
	}
	text, ok := left.(types.String)
	if !ok {
		return wrongKind(s.ID())
	}
	charge(frame, s.ID(), 1+len(text)*s.size/20)
	return types.Bool(s.pattern.MatchString(string(text)))
}

func (s search) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, s.Exec)
}
