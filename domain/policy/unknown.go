package policy

import (
	"errors"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"
)

// words says why a condition has no value, such as "args.amount is missing". Of what
// the agent wrote it has the names of members and a number at most, quoted and bounded.
func (c *condition) words(err error, vars variables) string {
	if cancelled := new(interpreter.EvalCancelledError); errors.As(err, cancelled) {
		return "the condition takes too long to compute"
	}
	message := err.Error()
	if _, literal, ok := strings.Cut(message, unreadable); ok {
		return "the number " + strconv.QuoteToASCII(literal) + " cannot be compared exactly"
	}
	fault := new(types.Err)
	if !errors.As(err, &fault) || fault == types.NoSuchOverloadErr() { // that one is shared: it has the part of another condition
		return "the condition cannot be computed"
	}
	e := c.find(fault.NodeID())
	if e == nil {
		return "the condition cannot be computed"
	}
	if reasons := faults(e, vars); len(reasons) > 0 {
		return strings.Join(reasons, " and ")
	}
	text, err := cel.ExprToString(e, c.tree.SourceInfo())
	if err != nil {
		return "the condition cannot be computed"
	}
	return "“" + shorten(text, 120) + "” cannot be computed"
}

// faults describes the values that an expression looks at: the first that is missing,
// or the kind of each.
func faults(e ast.Expr, vars variables) (kinds []string) {
	if p, ok := pathTo(e); ok {
		steps, v := p.value(vars)
		switch {
		case steps < 0 && isVariable(p.root):
			return []string{p.root + " is missing"}
		case steps < 0: // of a loop
			return nil
		case steps < len(p.steps):
			return []string{path{p.root, p.steps[:steps+1]}.String() + " is missing"}
		}
		return []string{p.String() + " is " + kindOf(v)}
	}
	if e.Kind() != ast.CallKind {
		return nil
	}
	parts := e.AsCall().Args()
	if e.AsCall().IsMemberFunction() {
		parts = append([]ast.Expr{e.AsCall().Target()}, parts...)
	}
	for _, part := range parts {
		found := faults(part, vars)
		if len(found) == 1 && strings.HasSuffix(found[0], " is missing") {
			return found
		}
		kinds = append(kinds, found...)
	}
	return kinds
}

// isVariable reports whether conditions have a variable of this name.
func isVariable(name string) bool {
	switch name {
	case "tool", "args", "actions", "target_type", "target_id", "step_id", "plan", "requester", "reason", "now":
		return true
	}
	return false
}
