package policy

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"countersign/domain/mplp"
)

// Codes of warnings about a document.
const (
	CodeMissingUnmatched = "missing-unmatched"
	CodeMatchesAll       = "matches-all"
)

// Warnings are about what a valid document says but may not mean.
func (d *Document) Warnings() (list []mplp.Warning) {
	if d.Match.IsZero() && d.Condition == "" {
		list = append(list, mplp.Warning{Code: CodeMatchesAll, Message: "without match and condition, this policy matches every request"})
	}
	if c, err := compile(d.Condition); err == nil && c.testsPresence() {
		list = append(list, mplp.Warning{Path: "condition", Code: CodeMissingUnmatched,
			Message: "asks whether an argument is there: an agent that leaves it out may not be matched"})
	}
	return list
}

// testsPresence reports whether the condition asks if an argument exists.
func (c *condition) testsPresence() (found bool) {
	ast.PostOrderVisit(c.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			p, ok := pathTo(e)
			found = found || e.AsSelect().IsTestOnly() && (!ok || p.root != "plan" && p.root != "requester")
		case ast.CallKind:
			args := e.AsCall().Args()
			if e.AsCall().FunctionName() == operators.In && args[0].Kind() == ast.LiteralKind && args[0].AsLiteral().Type() == types.StringType {
				p, ok := pathTo(args[1])
				found = found || ok && p.root == "args" && len(p.steps) == 0
			}
		}
	}))
	return found
}
