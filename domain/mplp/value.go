package mplp

import (
	"fmt"
	"strconv"
)

// value is the value of a member or element, and its path. Its methods return the zero
// value and report a problem if it is not what it should be.
type value struct {
	r    *reader
	path string
	raw  Raw
}

func (v value) problem(code, message string) { v.r.problem(v.path, code, message) }

func (v value) text() (string, bool) {
	text, ok := unquote(v.raw)
	if !ok {
		v.problem("type_error", "must be a string")
	}
	return text, ok
}

// textWithin reads a string with a maximum length in bytes.
func (v value) textWithin(limit int) (string, bool) {
	text, ok := v.text()
	if ok && len(text) > limit {
		v.problem("limit", fmt.Sprintf("must have at most %d bytes, not %d", limit, len(text)))
		return text, false
	}
	return text, ok
}

// filledTitle reads a title that is not empty.
func (v value) filledTitle() (string, bool) { return v.filled(v.textWithin(v.r.limits.Title)) }

// filledText reads a string that is not empty.
func (v value) filledText() (string, bool) { return v.filled(v.text()) }

// filled refuses the empty string.
func (v value) filled(text string, ok bool) (string, bool) {
	if ok && text == "" {
		v.problem("min_length", "must have at least 1 character")
	}
	return text, ok && text != ""
}

func (v value) object() *Object {
	if v.raw[0] != '{' {
		v.problem("type_error", "must be an object")
		return nil
	}
	return split(v.raw)
}

// elements returns the values of an array.
func (v value) elements() []value {
	if v.raw[0] != '[' {
		v.problem("type_error", "must be an array")
		return nil
	}
	raws := elements(v.raw)
	list := make([]value, len(raws))
	for i, raw := range raws {
		list[i] = value{r: v.r, path: v.path + "[" + strconv.Itoa(i) + "]", raw: raw}
	}
	return list
}

// elementsWithin is elements for an array of 1 to limit elements. A longer one is not
// read.
func (v value) elementsWithin(limit int) []value {
	list := v.elements()
	switch {
	case list != nil && len(list) == 0:
		v.problem("min_items", "must have at least 1 element")
	case len(list) > limit:
		v.problem("max_items", fmt.Sprintf("must have at most %d elements", limit))
		return nil
	}
	return list
}
