package policy

import "cel.dev/cel-go/common/operators"

// comparisonForm is how a comparison is written in a condition.
type comparisonForm struct {
	is, says string // in forms; in sentences, between member and value
	function string // in the condition
	negated  bool
	numeric  bool // takes only a number
	isMethod bool
	isList   bool // takes values between commas
	unary    bool // takes no value
}

var comparisons = []comparisonForm{
	{is: "is", says: "being", function: operators.Equals},
	{is: "is not", says: "other than", function: operators.NotEquals},
	{is: "over", says: "over", function: operators.Greater, numeric: true},
	{is: "at least", says: "of at least", function: operators.GreaterEquals, numeric: true},
	{is: "under", says: "under", function: operators.Less, numeric: true},
	{is: "at most", says: "of at most", function: operators.LessEquals, numeric: true},
	{is: "one of", says: "being one of", function: operators.In, isList: true},
	{is: "none of", says: "being none of", function: operators.In, isList: true, negated: true},
	{is: "contains", says: "containing", function: "contains", isMethod: true},
	{is: "starts with", says: "beginning with", function: "startsWith", isMethod: true},
	{is: "ends with", says: "ending with", function: "endsWith", isMethod: true},
	{is: "present", says: "present", function: operators.Has, unary: true},
	{is: "missing", says: "missing", function: operators.Has, unary: true, negated: true},
}

// Comparisons are what a row can say, in the order of a form.
func Comparisons() (list []string) {
	for _, c := range comparisons {
		list = append(list, c.is)
	}
	return list
}
