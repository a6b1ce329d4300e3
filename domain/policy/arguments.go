package policy

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
)

// decode reads the arguments of an action for conditions. What cannot be compared
// exactly is an error there, and only if the condition looks at it.
func decode(args json.RawMessage) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return types.NewErr("the arguments cannot be read")
	}
	return exact(v)
}

// exact replaces the numbers of a value, in place.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, ok := number(v.String()); ok {
			return n
		}
		return types.NewErr("%s", unreadable+shorten(v.String(), 40))
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = exact(v[name])
		}
	}
	return v
}

// unreadable begins the error of a number that cannot be compared exactly.
const unreadable = "unreadable number "

// number reads a JSON number as int64 or float64. It refuses one with more digits than
// its float64 has: other readers might not round, or not in the same way.
func number(literal string) (any, bool) {
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || digits(literal) != digits(strconv.FormatFloat(f, 'e', -1, 64)) {
		return nil, false
	}
	return f, true
}

// digits returns the significant digits of a number.
func digits(literal string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
	return strings.Trim(strings.ReplaceAll(strings.TrimPrefix(mantissa, "-"), ".", ""), "0")
}

// shorten keeps the first bytes of a text that is longer.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// index reads the index of a list in a JSON Pointer.
func index(token string) int {
	i, err := strconv.Atoi(token)
	if err != nil {
		return math.MaxInt
	}
	return i
}
