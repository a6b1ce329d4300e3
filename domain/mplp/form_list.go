package mplp

import "fmt"

// listForm is an array with a minimum number of elements of one form. With unique, its
// strings must differ.
type listForm struct {
	of     form
	least  int
	unique bool
}

func (f listForm) check(v value) {
	list := v.elements()
	if list != nil && len(list) < f.least {
		v.problem("min_items", fmt.Sprintf("must have at least %d element", f.least))
	}
	seen := map[string]bool{}
	for _, e := range list {
		f.of.check(e)
		if f.unique && isRepeated(seen, e.raw) {
			e.problem("unique", "must differ from the elements before it")
		}
	}
}

// isRepeated reports whether a string was seen before, and adds it.
func isRepeated(seen map[string]bool, raw Raw) bool {
	text, ok := unquote(raw)
	if !ok {
		return false
	}
	again := seen[text]
	seen[text] = true
	return again
}

// project leaves out the elements that do not fit the form.
func (f listForm) project(p *projection, path string, raw Raw) (Raw, bool) {
	if raw[0] != '[' {
		return nil, false
	}
	var list []Raw
	seen := map[string]bool{}
	for i, element := range elements(raw) {
		if isNull(element) {
			continue
		}
		element, ok := f.of.project(p, fmt.Sprintf("%s[%d]", path, i), element)
		if ok && !(f.unique && isRepeated(seen, element)) {
			list = append(list, element)
		}
	}
	return Array(list...), len(list) >= f.least
}
