package policy

import (
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// rowsOf reads rows that are joined by &&.
func rowsOf(e ast.Expr, rows []Row) ([]Row, bool) {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalAnd {
		ok := true
		for _, part := range e.AsCall().Args() {
			if rows, ok = rowsOf(part, rows); !ok {
				return nil, false
			}
		}
		return rows, true
	}
	row, ok := rowOf(e, false)
	return append(rows, row), ok
}

func rowOf(e ast.Expr, negated bool) (Row, bool) {
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
		p, ok := pathTo(e)
		return rowWith(p, ok, operators.Has, negated, "")
	}
	if e.Kind() != ast.CallKind {
		return Row{}, false
	}
	call := e.AsCall()
	args := call.Args()
	if call.FunctionName() == operators.LogicalNot && !negated {
		return rowOf(args[0], true)
	}
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	if len(args) != 2 {
		return Row{}, false
	}
	p, ok := pathTo(args[0])
	value, isValue := valueOfExpr(args[1])
	return rowWith(p, ok && isValue, call.FunctionName(), negated, value)
}

func rowWith(p path, ok bool, function string, negated bool, value string) (Row, bool) {
	for _, c := range comparisons {
		if ok && c.function == function && c.negated == negated {
			return Row{Member: p.String(), Is: c.is, Value: value}, true
		}
	}
	return Row{}, false
}

// valueOfExpr writes a literal, or a list of them, as the value of a row.
func valueOfExpr(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		return valueOf(e.AsLiteral(), false)
	case ast.ListKind:
		var items []string
		for _, item := range e.AsList().Elements() {
			if item.Kind() != ast.LiteralKind {
				return "", false
			}
			text, ok := valueOf(item.AsLiteral(), true)
			if !ok {
				return "", false
			}
			items = append(items, text)
		}
		return strings.Join(items, ", "), true
	default:
		return "", false
	}
}
