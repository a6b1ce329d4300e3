package policy

import (
	"cel.dev/cel-go/common/types"
)

// maxPostCost bounds all conditions of one post together. What is over it is unknown.
const maxPostCost = 10 * maxCost

// truth is the value of a condition.
type truth int

const (
	isFalse truth = iota
	isUnknown
	isTrue
)

// evaluate returns the value of the condition for one action; -1: the request has none.
// If it is unknown, because says why.
func (c *condition) evaluate(r *request, action int) (value truth, because string) {
	if r.spent >= maxPostCost {
		return isUnknown, "the conditions of this request together take too long to compute"
	}
	vars := variables{r, action}
	out, details, err := c.program.Eval(vars)
	spent := uint64(maxCost)
	if details != nil && details.ActualCost() != nil {
		spent = min(spent, *details.ActualCost())
	}
	r.spent += spent
	switch {
	case err != nil:
		return isUnknown, c.words(err, vars)
	case out == types.True:
		return isTrue, ""
	case out == types.False:
		return isFalse, ""
	default:
		return isUnknown, "the condition gives " + kindOf(out) + " where true or false is needed"
	}
}
