package policy

import (
	"fmt"
	"regexp"
	"strconv"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// path leads from a variable to a value: strings are members, int64s are indices.
type path struct {
	root  string
	steps []any
}

// pathTo reads an expression that only leads to a value, such as args.items[0].price.
func pathTo(e ast.Expr) (path, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return path{root: e.AsIdent()}, true
	case ast.SelectKind:
		p, ok := pathTo(e.AsSelect().Operand())
		return p.with(e.AsSelect().FieldName()), ok
	case ast.CallKind:
		args := e.AsCall().Args()
		if e.AsCall().FunctionName() != operators.Index || args[1].Kind() != ast.LiteralKind {
			break
		}
		p, ok := pathTo(args[0])
		switch at := args[1].AsLiteral().(type) {
		case types.String:
			return p.with(string(at)), ok
		case types.Int:
			return p.with(int64(at)), ok
		}
	}
	return path{}, false
}

func (p path) with(step any) path {
	return path{p.root, append(p.steps[:len(p.steps):len(p.steps)], step)}
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// reserved are names that CEL does not take after a dot.
var reserved = map[string]bool{"false": true, "in": true, "null": true, "true": true}

// String writes the path as CEL.
func (p path) String() string {
	text := p.root
	for _, s := range p.steps {
		switch name, isName := s.(string); {
		case !isName:
			text += fmt.Sprintf("[%d]", s)
		case identifier.MatchString(name) && !reserved[name]:
			text += "." + name
		default:
			text += "[" + strconv.Quote(name) + "]"
		}
	}
	return text
}

// value follows the path. It returns how many steps there are, and the value after them.
func (p path) value(vars variables) (steps int, found ref.Val) {
	root, ok := vars.ResolveName(p.root)
	if !ok {
		return -1, nil
	}
	found = types.DefaultTypeAdapter.NativeToValue(root)
	for i, s := range p.steps {
		next, ok := step(found, s)
		if !ok {
			return i, found
		}
		found = next
	}
	return len(p.steps), found
}

func step(from ref.Val, to any) (ref.Val, bool) {
	switch from := from.(type) {
	case traits.Mapper:
		return from.Find(types.DefaultTypeAdapter.NativeToValue(to))
	case traits.Lister:
		if i, ok := to.(int64); ok && i >= 0 && types.Int(i).Compare(from.Size()) == types.IntNegOne {
			return from.Get(types.Int(i)), true
		}
	}
	return nil, false
}
