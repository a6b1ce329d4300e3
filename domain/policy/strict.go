package policy

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// strict replaces the operations that would take a value of another kind for an unequal
// one, or that do long work before they are charged for it.
func strict(tree *ast.AST) interpreter.InterpretableDecoratorV2 {
	ranges := map[int64]bool{}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind && e.AsComprehension().IterRange().Kind() != ast.IdentKind {
			ranges[e.AsComprehension().IterRange().ID()] = true
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
		case operators.Equals, operators.NotEquals, operators.In, overloads.Matches:
			return binary{call}, nil
		}
		return i, nil
	}
}

// listOnly is what a loop runs over. The loop over an object would see its keys, where
// the condition means the items of a list.
type listOnly struct{ interpreter.InterpretableV2 }

func (l listOnly) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := l.InterpretableV2.Exec(frame)
	if _, ok := v.(traits.Mapper); ok {
		return types.NewErrWithNodeID(l.ID(), "%s", notList)
	}
	return v
}

func (l listOnly) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, l.Exec)
}

// binary is a call of ==, !=, in or matches.
type binary struct{ interpreter.InterpretableCall }

func (b binary) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	left := b.Args()[0].(interpreter.InterpretableV2).Exec(frame)
	if types.IsError(left) {
		return left
	}
	right := b.Args()[1].(interpreter.InterpretableV2).Exec(frame)
	if types.IsError(right) {
		return right
	}
	if b.Function() == overloads.Matches {
		text, ok := left.(types.String)
		if !ok {
			return types.LabelErrNode(b.ID(), types.NoSuchOverloadErr())
		}
		frame.CostTracker().EvalBinary(frame, b.ID(), b, left, right, types.True)
		return types.LabelErrNode(b.ID(), text.Match(right))
	}
	c := comparison{charge: func() { frame.CostTracker().Qualify(b.ID()) }}
	var equal, known bool
	switch {
	case b.Function() == operators.In:
		equal, known = c.isIn(left, right)
	case b.hasNull():
		equal, known = left.Type() == right.Type(), true
	default:
		equal, known = c.equal(left, right)
	}
	if !known {
		return types.LabelErrNode(b.ID(), types.NoSuchOverloadErr())
	}
	return types.Bool(equal != (b.Function() == operators.NotEquals))
}

func (b binary) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, b.Exec)
}

// hasNull reports whether the condition compares with null, which every kind may be.
func (b binary) hasNull() bool {
	for _, arg := range b.Args() {
		if c, ok := arg.(interpreter.InterpretableConst); ok && c.Value() == types.NullValue {
			return true
		}
	}
	return false
}
