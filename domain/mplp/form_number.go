package mplp

import (
	"regexp"
	"strconv"
	"strings"
)

// natural is a whole number from 0. By the schema, 1.0 and 1e2 are whole.
var natural = plainForm(func(v value) {
	switch whole, negative := classify(v.raw); {
	case !whole:
		v.problem("type_error", "must be a whole number")
	case negative:
		v.problem("limit", "must not be negative")
	}
})

var numberShape = regexp.MustCompile(`^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$`)

// classify reports whether a literal is a whole number and whether it is negative. It
// looks at the digits only: the value of 1e999999999 would fill the memory.
func classify(literal Raw) (whole, negative bool) {
	parts := numberShape.FindSubmatch(literal)
	if parts == nil {
		return false, false
	}
	fraction := len(parts[3])
	digits := string(parts[2]) + string(parts[3])
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return true, false
	}
	exponent := string(parts[4])
	shift, err := strconv.Atoi(exponent)
	switch {
	case exponent == "":
		shift = 0
	case err != nil && exponent[0] == '-':
		shift = -len(literal)
	case err != nil:
		shift = len(literal)
	}
	negative = len(parts[1]) > 0
	return shift-fraction+len(digits)-len(significant) >= 0, negative
}
