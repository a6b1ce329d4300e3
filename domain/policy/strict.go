package policy

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
	"cel.dev/cel-go/parser"
)

// strict replaces the operations that would take a value of another kind for an unequal
// one, or that do long work before they are charged for it.
func strict(tree *ast.AST) interpreter.InterpretableDecoratorV2 {
	ranges, collects := map[int64]bool{}, map[int64]bool{}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case e.Kind() == ast.ComprehensionKind && e.AsComprehension().IterRange().Kind() != ast.IdentKind:
			ranges[e.AsComprehension().IterRange().ID()] = true
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Add && e.AsCall().Args()[0].Kind() == ast.IdentKind:
			collects[e.ID()] = e.AsCall().Args()[0].AsIdent() == parser.HiddenAccumulatorName // which nobody can write
		}
	}))
	return func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		if ranges[i.ID()] {
			return listOnly{i}, nil
		}
		call, ok := i.(interpreter.InterpretableCall)
		if !ok || len(call.Args()) != 2 {
			return i, nil
		}
		switch call.Function() {
		case operators.Equals, operators.NotEquals, operators.In:
			return newEquality(call), nil
		case operators.Add:
			if collects[i.ID()] { // map and filter add one item, in a loop that is charged
				return i, nil
			}
			return sum{call}, nil
		case overloads.Matches:
			return newSearch(call)
		}
		return i, nil
	}
}

// listOnly is what a loop runs over. The loop over an object would see its keys, where
// the condition means the items of a list.
type listOnly struct{ interpreter.InterpretableV2 }

func (l listOnly) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := l.InterpretableV2.Exec(frame)
	if _, ok := v.(traits.Lister); !ok && !types.IsError(v) {
		return wrongKind(l.ID())
	}
	return v
}

func (l listOnly) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, l.Exec)
}

// equality is a call of ==, != or in.
type equality struct {
	interpreter.InterpretableCall
	left, right interpreter.InterpretableV2
	hasNull     bool // that the condition compares with; every kind may be null
}

func newEquality(call interpreter.InterpretableCall) equality {
	args := call.Args()
	e := equality{InterpretableCall: call, left: args[0], right: args[1]}
	for _, arg := range args {
		if c, ok := arg.(interpreter.InterpretableConst); ok && c.Value() == types.NullValue {
			e.hasNull = true
		}
	}
	return e
}

func (e equality) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	left := e.left.Exec(frame)
	if types.IsError(left) {
		return left
	}
	right := e.right.Exec(frame)
	if types.IsError(right) {
		return right
	}
	part := e.ID()
	c := comparison{charge: func() { charge(frame, part, 1) }}
	var equal, known bool
	switch {
	case e.Function() == operators.In:
		equal, known = c.isIn(left, right)
	case e.hasNull:
		equal, known = left.Type() == right.Type(), true
	default:
		equal, known = c.equal(left, right)
	}
	if !known {
		return wrongKind(e.ID())
	}
	return types.Bool(equal != (e.Function() == operators.NotEquals))
}

func (e equality) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, e.Exec)
}
