package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"
)

// maxCost bounds the evaluation of a condition for one action, in units of CEL.
const maxCost = 10_000

// condition is a compiled condition, safe for concurrent use.
type condition struct {
	tree    *ast.AST
	program cel.Program
}

// compile reads a condition. Its error says in words what is wrong, and where.
func compile(text string) (*condition, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(text)
	if err := issueOf(issues); err != nil {
		return nil, err
	}
	if t := checked.OutputType(); !t.IsEquivalentType(cel.BoolType) && !t.IsEquivalentType(cel.DynType) {
		return nil, fmt.Errorf("must be true or false, not a %s", cel.FormatCELType(t))
	}
	c := &condition{tree: checked.NativeRep()}
	if err := c.check(); err != nil {
		return nil, err
	}
	c.program, err = env.Program(checked, cel.CostLimit(maxCost), cel.CustomDecoratorV2(strict(c.tree)))
	return c, err
}

// issueOf words the first issue of a compilation.
func issueOf(issues *cel.Issues) error {
	if issues.Err() == nil {
		return nil
	}
	if len(issues.Errors()) == 0 {
		return errors.New("cannot be read")
	}
	first := issues.Errors()[0]
	message, _, _ := strings.Cut(wordSyntaxFault(first.Message), "\n")
	if message = shorten(message, 300); first.Location.Line() < 1 { // of the condition as a whole
		return errors.New(message)
	}
	return fmt.Errorf("line %d, column %d: %s", first.Location.Line(), first.Location.Column()+1, message)
}

// check refuses what compiles but could take too long, or never have a value.
func (c *condition) check() (err error) {
	ast.PostOrderVisit(c.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case err != nil:
		case e.Kind() == ast.SelectKind && e.AsSelect().Operand().Kind() == ast.IdentKind:
			object, field := e.AsSelect().Operand().AsIdent(), e.AsSelect().FieldName()
			if known, ok := members[object]; ok && !slices.Contains(known, field) {
				err = fmt.Errorf("%s has no member %s; it has %s", object, field, strings.Join(known, ", "))
			}
		case e.Kind() != ast.CallKind:
		case slices.Contains(leftOut, e.AsCall().FunctionName()):
			err = fmt.Errorf("the function %s is not available in conditions", e.AsCall().FunctionName())
		case e.AsCall().FunctionName() == overloads.Matches:
			if args := e.AsCall().Args(); args[len(args)-1].Kind() != ast.LiteralKind {
				err = errors.New("the pattern of matches must be written out")
			}
		}
	}))
	return err
}

// find returns a part of the condition by its number, nil if there is none.
func (c *condition) find(id int64) (found ast.Expr) {
	ast.PostOrderVisit(c.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.ID() == id {
			found = e
		}
	}))
	return found
}
