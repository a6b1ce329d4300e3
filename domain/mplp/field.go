package mplp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The functions of this file make the readers that fields hold.

func text(p *string) func(value) {
	return func(v value) { *p, _ = v.text() }
}

// title reads a short text: pages name an object by it, and the log repeats it.
func title(p *string) func(value) {
	return func(v value) { *p, _ = v.textWithin(v.r.limits.Title) }
}

func filledTitle(p *string) func(value) {
	return func(v value) { *p, _ = v.filledTitle() }
}

// described reads a text that is longer than a title and appears in lists.
func described(p *string) func(value) {
	return func(v value) { *p, _ = v.textWithin(v.r.limits.Description) }
}

func filledDescribed(p *string) func(value) {
	return func(v value) { *p, _ = v.filled(v.textWithin(v.r.limits.Description)) }
}

// toolName reads a title without line breaks, which could forge a second line in a log.
func toolName(p *string) func(value) {
	return func(v value) {
		name, ok := v.filledTitle()
		if ok && strings.ContainsFunc(name, unicode.IsControl) {
			v.problem("pattern", "must not have control characters")
		}
		*p = name
	}
}

// IsID reports whether a client may choose text as an id. "new" is the address of a
// page.
func IsID(text string) bool {
	for i := range len(text) {
		if !alphanumeric(text[i]) && (i == 0 || strings.IndexByte("._:-", text[i]) < 0) {
			return false
		}
	}
	return text != "" && len(text) <= 128 && text != "new"
}

func alphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z'
}

func id(p *string) func(value) {
	return func(v value) {
		text, ok := v.text()
		if ok && !IsID(text) {
			v.problem("pattern", `must be 1 to 128 of A-Z a-z 0-9 . _ : -, begin with a letter or digit, and not be "new"`)
		}
		*p = text
	}
}

// oneOf leaves *p alone unless the value is allowed.
func oneOf(p *string, allowed ...string) func(value) {
	return func(v value) {
		text, ok := v.text()
		switch {
		case !ok:
		case slices.Contains(allowed, text):
			*p = text
		default:
			v.problem("enum", "must be one of "+strings.Join(allowed, ", "))
		}
	}
}

// constant reads a member with only one valid value.
func constant(want string) func(value) {
	return func(v value) {
		if text, ok := v.text(); ok && text != want {
			v.problem("const", "must be "+want)
		}
	}
}

// moment reads a time and writes it as RenderTime does.
func moment(p *string) func(value) {
	return func(v value) {
		text, ok := v.text()
		if !ok {
			return
		}
		t, naive, ok := parseTime(text)
		if !ok {
			v.problem("format", "must be a date and time as in RFC 3339")
			return
		}
		if naive {
			v.r.warn(v.path, "naive_time", "has no zone and is read as UTC")
		}
		*p = RenderTime(t)
	}
}

func truth(p *bool) func(value) {
	return func(v value) {
		switch string(v.raw) {
		case "true", "false":
			*p = v.raw[0] == 't'
		default:
			v.problem("type_error", "must be true or false")
		}
	}
}

// whole reads a plain integer literal. 1.0 and 1e2 are refused: not all readers take
// them for integers.
func whole(p **int64, low, high int64) func(value) {
	return func(v value) {
		n, err := strconv.ParseInt(string(v.raw), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			v.problem("type_error", "must be a whole number")
		case err != nil || n < low || n > high:
			v.problem("limit", fmt.Sprintf("must be from %d to %d", low, high))
		default:
			*p = &n
		}
	}
}

func titles(p *[]string) func(value) {
	return func(v value) {
		for _, e := range v.elements() {
			s, _ := e.textWithin(v.r.limits.Title)
			*p = append(*p, s)
		}
	}
}

// anyObject and events check the shape of members that are kept but not
// interpreted.
func anyObject(v value) { v.object() }

func events(v value) {
	list := v.elements()
	if len(list) > v.r.limits.Events {
		v.problem("limit", fmt.Sprintf("must have at most %d events", v.r.limits.Events))
		return
	}
	for _, e := range list {
		e.object()
	}
}
