package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/operators"

	"countersign/domain/mplp"
)

// Row is one line of the form of a condition: what a member must be.
type Row struct {
	Member string // as in a condition, such as args.amount
	Is     string // one of Comparisons
	Value  string // a number, true, false, or text; in double quotes it is text for certain
}

// Condition writes rows as a condition, all of which must hold. Errors are
// *mplp.Invalid, with paths such as rows[0].value.
func Condition(rows []Row) (string, error) {
	var c checker
	parts := make([]string, len(rows))
	for i, row := range rows {
		var fault error
		var field string
		if parts[i], field, fault = row.cel(); fault != nil {
			c.problem(fmt.Sprintf("rows[%d].%s", i, field), "condition", fault.Error())
		}
	}
	return strings.Join(parts, " && "), c.err()
}

// AddRow adds a row to a condition, which may be empty or written by hand.
func AddRow(condition string, row Row) (string, error) {
	added, err := Condition([]Row{row})
	switch {
	case err != nil || strings.TrimSpace(condition) == "":
		return added, err
	case Rows(condition) != nil:
		return condition + " && " + added, nil
	}
	if _, err := compile(condition); err != nil {
		return "", &mplp.Invalid{Problems: []mplp.Problem{{Path: "condition", Code: "condition", Message: err.Error()}}}
	}
	return "(" + condition + "\n) && " + added, nil // a comment ends with its line
}

// cel writes the row. With an error it names the field that is wrong.
func (row Row) cel() (text, field string, err error) {
	p, err := memberPath(row.Member)
	if err != nil {
		return "", "member", err
	}
	i := slices.IndexFunc(comparisons, func(c comparisonForm) bool { return c.is == row.Is })
	if i < 0 {
		return "", "is", fmt.Errorf("must be one of %s", strings.Join(Comparisons(), ", "))
	}
	c := comparisons[i]
	switch {
	case c.unary:
		if text, err = presence(p); err != nil {
			return "", "member", err
		}
	case c.isList:
		text, err = literals(row.Value)
		text = p.String() + " in " + text
	default:
		text, err = literal(row.Value, c.numeric, c.isMethod)
		if c.isMethod {
			text = p.String() + "." + c.function + "(" + text + ")"
		} else {
			symbol, _ := operators.FindReverse(c.function)
			text = p.String() + " " + symbol + " " + text
		}
	}
	if c.negated && c.isList {
		text = "(" + text + ")"
	}
	if c.negated {
		text = "!" + text
	}
	return text, "value", err
}

// presence asks whether a member exists. CEL has no such question for odd names.
func presence(p path) (string, error) {
	if len(p.steps) == 0 {
		return "", fmt.Errorf("%s is a variable; ask for one of its members", p.root)
	}
	if strings.HasSuffix(p.String(), "]") {
		return "", fmt.Errorf("whether %s exists cannot be asked by a row", p)
	}
	return "has(" + p.String() + ")", nil
}

// memberPath reads the member of a row.
func memberPath(member string) (path, error) {
	env, err := environment()
	if err != nil {
		return path{}, err
	}
	parsed, issues := env.Parse(member)
	if issues.Err() == nil && utf8.ValidString(member) {
		if p, ok := pathTo(parsed.NativeRep().Expr()); ok && isVariable(p.root) {
			return p, nil
		}
	}
	return path{}, fmt.Errorf("must lead to a value, such as args.amount or args[%s]", strconv.Quote("due date"))
}

// Rows reads a condition that Condition could have written. It returns nil for others.
func Rows(condition string) []Row {
	env, err := environment()
	if err != nil || condition == "" {
		return nil
	}
	parsed, issues := env.Parse(condition)
	if issues.Err() != nil {
		return nil
	}
	rows, ok := rowsOf(parsed.NativeRep().Expr(), nil)
	if again, err := Condition(rows); !ok || err != nil || again != condition {
		return nil
	}
	return rows
}
