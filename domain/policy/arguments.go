package policy

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"github.com/go-json-experiment/json/jsontext"
)

// decode reads the arguments of an action for conditions. What cannot be compared
// exactly is an error there, and only if the condition looks at it.
func decode(args json.RawMessage) any {
	d := jsontext.NewDecoder(bytes.NewBuffer(args), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // a buffer is not copied
	v, err := decodeValue(d)
	if err != nil {
		return types.NewErr("the arguments cannot be read")
	}
	return v
}

func decodeValue(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '0':
		if n, ok := number(token.String()); ok {
			return n, nil
		}
		return types.NewErr("%s", unreadable+shorten(token.String(), 40)), nil
	case '"':
		return token.String(), nil
	case 't', 'f':
		return token.Bool(), nil
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.ReadToken()
		return list, err
	case '{':
		object := map[string]any{}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			member := name.String()
			if object[member], err = decodeValue(d); err != nil {
				return nil, err
			}
		}
		_, err = d.ReadToken()
		return object, err
	}
	return nil, nil // null
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
