package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"github.com/go-json-experiment/json/jsontext"
)

// literal writes the value of a row as CEL.
func literal(value string, numeric, isText bool) (string, error) {
	value = strings.TrimSpace(value)
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return "", errors.New("must be text")
	}
	if text, err := strconv.Unquote(value); err == nil && strings.HasPrefix(value, `"`) {
		if numeric {
			return "", errors.New("must be a number, without quotes")
		}
		if !utf8.ValidString(text) {
			return "", errors.New("must be text")
		}
		return strconv.Quote(text), nil
	}
	switch {
	case isText:
		return strconv.Quote(value), nil
	case isNumber(value):
		n, ok := number(value)
		if !ok {
			return "", fmt.Errorf("the number %s cannot be compared exactly", shorten(value, 40))
		}
		return formatNumber(n), nil
	case numeric:
		return "", errors.New("must be a number, such as 10000 or 0.5")
	case value == "true" || value == "false":
		return value, nil
	default:
		return strconv.Quote(value), nil
	}
}

// isNumber reports whether a text is a number as JSON has them.
func isNumber(text string) bool {
	v := jsontext.Value(text)
	return v.Kind() == jsontext.KindNumber && v.IsValid() && text == strings.TrimSpace(text)
}

// formatNumber writes a number so that CEL reads it as of the same type.
func formatNumber(n any) string {
	f, ok := n.(float64)
	if !ok {
		return fmt.Sprint(n)
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// literals writes values between commas as a list. A comma in double quotes separates
// nothing.
func literals(value string) (string, error) {
	var items []string
	for rest := value; ; {
		rest = strings.TrimSpace(rest)
		item := rest
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && strings.HasPrefix(rest, `"`) {
			item = quoted
			if after := strings.TrimSpace(rest[len(quoted):]); after != "" && after[0] != ',' {
				return "", errors.New("must have a comma after each value")
			}
			rest = strings.TrimSpace(rest[len(quoted):])
		} else if comma := strings.IndexByte(rest, ','); comma >= 0 {
			item, rest = rest[:comma], rest[comma:]
		} else {
			rest = ""
		}
		if strings.TrimSpace(item) == "" {
			return "", errors.New("must be values with commas between them")
		}
		text, err := literal(item, false, false)
		if err != nil {
			return "", err
		}
		items = append(items, text)
		if rest == "" {
			return "[" + strings.Join(items, ", ") + "]", nil
		}
		rest = rest[1:]
	}
}

// valueOf writes a literal of a condition as the value of a row.
func valueOf(v ref.Val, isItem bool) (string, bool) {
	switch v := v.(type) {
	case types.Int:
		return formatNumber(int64(v)), true
	case types.Double:
		return formatNumber(float64(v)), true
	case types.Bool:
		return strconv.FormatBool(bool(v)), true
	case types.String:
		text := string(v)
		quoted := strconv.Quote(text)
		isPlain := text != "" && text == strings.TrimSpace(text) && text != "true" && text != "false" && !isNumber(text) && text[0] != '"'
		if isItem && strings.Contains(text, ",") {
			isPlain = false
		}
		if isPlain {
			return text, true
		}
		return quoted, true
	default:
		return "", false
	}
}
