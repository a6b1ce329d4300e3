package finding

import (
	"cmp"
	"slices"
)

// A rule looks for findings of one kind, or of a few that belong together.
type rule func(r *Request, report func(Finding))

// Of returns what the rules find, the gravest first, then in the order of the arguments.
// No value is reported twice by one kind. After maxFound findings it stops.
func Of(r *Request) []Finding {
	var found []Finding
	withScripts := *r
	withScripts.scripts = scriptsOf(r)
	r = &withScripts
	for _, rules := range [][]rule{structure, comparison, earlier, factRules} {
		for _, find := range rules {
			find(r, func(f Finding) {
				if len(found) < maxFound && !slices.ContainsFunc(found, f.isAlike) {
					found = append(found, f)
				}
			})
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(grave[a.Level], grave[b.Level]), cmp.Compare(a.orderOfSubject(), b.orderOfSubject()), cmp.Compare(a.Action, b.Action))
	})
	return found
}

// maxFound bounds the findings of a request that has nothing else.
const maxFound = 200

// grave orders the levels.
var grave = map[Level]int{Stop: 0, Look: 1, Note: 2}

// orderOfSubject returns 1 for a finding about another request: what the request says of
// itself comes first.
func (f Finding) orderOfSubject() int {
	if f.Where == InRequest {
		return 1
	}
	return 0
}

// isAlike reports whether both say the same of the same value.
func (f Finding) isAlike(other Finding) bool {
	return f.Kind == other.Kind && f.Action == other.Action && f.Pointer == other.Pointer && f.There == other.There
}
