package policy

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// comparison compares values, and is charged for each before the work is done. Charging
// panics when a condition has cost too much, which the evaluation recovers from.
type comparison struct{ charge func() }

// equal reports whether two values are equal, and whether they are of kinds that can be.
// Lists and objects differ for certain only if their kinds agree throughout.
func (c comparison) equal(a, b ref.Val) (equal, known bool) {
	c.charge()
	if kindOf(a) != kindOf(b) || types.IsError(a) {
		return false, false
	}
	switch a := a.(type) {
	case types.String:
		for range min(len(a), len(b.(types.String))) / 10 {
			c.charge()
		}
	case traits.Lister:
		b := b.(traits.Lister)
		if a.Size() != b.Size() {
			return false, true
		}
		equal, known = true, true
		for it, other := a.Iterator(), b.Iterator(); it.HasNext() == types.True; {
			c.add(it.Next(), other.Next(), &equal, &known)
		}
		return equal, known
	case traits.Mapper:
		b := b.(traits.Mapper)
		if a.Size() != b.Size() {
			return false, true
		}
		equal, known = true, true
		for it := a.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			other, ok := b.Find(key)
			if !ok {
				return false, true
			}
			value, _ := a.Find(key)
			c.add(value, other, &equal, &known)
		}
		return equal, known
	}
	return types.Equal(a, b) == types.True, true
}

func (c comparison) add(a, b ref.Val, equal, known *bool) {
	same, ok := c.equal(a, b)
	*equal = *equal && same
	*known = *known && ok
}

// isIn reports whether a list has a value or an object a key, and whether that is
// certain.
func (c comparison) isIn(value, in ref.Val) (found, known bool) {
	known = true
	switch in := in.(type) {
	case traits.Mapper:
		if kindOf(value) == objects || kindOf(value) == lists {
			return false, false
		}
		for it := in.Iterator(); it.HasNext() == types.True && !found; {
			same, ok := c.equal(value, it.Next())
			found, known = same, known && ok
		}
	case traits.Lister:
		for it := in.Iterator(); it.HasNext() == types.True && !found; {
			same, ok := c.equal(value, it.Next())
			found, known = same, known && ok
		}
	default:
		return false, false
	}
	return found, found || known
}

// The kinds of values, as people read them.
const (
	numbers = "a number"
	lists   = "a list"
	objects = "an object"
)

// kindOf names the kind of a value. All numbers are of one kind.
func kindOf(v ref.Val) string {
	switch v := v.(type) {
	case types.Int, types.Uint, types.Double:
		return numbers
	case types.String:
		return "text"
	case types.Bool:
		return "true or false"
	case types.Null:
		return "null"
	case traits.Mapper:
		return objects
	case traits.Lister:
		return lists
	case *types.Err:
		return "an unreadable number"
	default:
		return "a " + v.Type().TypeName()
	}
}
