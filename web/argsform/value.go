package argsform

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"countersign/domain/mplp"
)

// kindOf returns the type of a well-formed value in the words of JSON Schema, empty for
// none.
func kindOf(raw mplp.Raw) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// equal reports whether two values are the same text, number or word. Of objects and
// arrays it compares the bytes.
func equal(a, b mplp.Raw) bool {
	if bytes.Equal(a, b) {
		return true
	}
	switch kind := kindOf(a); {
	case kind != kindOf(b):
		return false
	case kind == "string":
		x, okX := a.Text()
		y, okY := b.Text()
		return okX && okY && x == y
	case kind == "number":
		return compareNumbers(a, b) == 0
	}
	return false
}

func containsEqual(list []mplp.Raw, value mplp.Raw) bool {
	return slices.ContainsFunc(list, func(other mplp.Raw) bool { return equal(other, value) })
}

// decimal is a number as ±0.digits × 10^exponent. Digits has no zeros at its ends and
// is empty for 0.
type decimal struct {
	sign     int
	digits   string
	exponent int64
}

// decimalOf reads a number literal. It looks at the digits only: the value of
// 1e999999999 would fill the memory.
func decimalOf(literal mplp.Raw) decimal {
	text, negative := strings.CutPrefix(string(literal), "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	shift, err := strconv.ParseInt(exponent, 10, 64)
	if err != nil || shift > math.MaxInt32 || shift < math.MinInt32 {
		switch {
		case exponent == "":
			shift = 0
		case exponent[0] == '-':
			shift = math.MinInt32
		default:
			shift = math.MaxInt32
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	significant := strings.TrimLeft(all, "0")
	d := decimal{sign: 1, digits: strings.TrimRight(significant, "0"), exponent: shift + int64(len(whole)-(len(all)-len(significant)))}
	if d.digits == "" {
		return decimal{}
	}
	if negative {
		d.sign = -1
	}
	return d
}

// compareNumbers orders two number literals by their exact values.
func compareNumbers(a, b mplp.Raw) int {
	x, y := decimalOf(a), decimalOf(b)
	if x.sign != y.sign {
		return cmp.Compare(x.sign, y.sign)
	}
	return x.sign * cmp.Or(cmp.Compare(x.exponent, y.exponent), cmp.Compare(x.digits, y.digits))
}

// isWhole reports whether a number is whole. By the schema, 1.0 and 1e2 are.
func isWhole(literal mplp.Raw) bool {
	d := decimalOf(literal)
	return int64(len(d.digits)) <= max(d.exponent, 0)
}
