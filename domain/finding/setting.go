package finding

import (
	"strings"

	"countersign/domain/reading"
)

// A setting is a named value: a member of the arguments, or one inside a string.
type setting struct {
	name, value string
	pointer     string // of the argument
	line        string // as written, if it stands inside a string
}

// eachSetting calls visit with every named value in v, also those in strings that are
// JSON, or lines of YAML or of the like.
func eachSetting(v reading.Value, visit func(setting)) {
	for leaf := range v.Leaves() {
		text := leaf.Text
		if leaf.Type != reading.String || len(text) > maxText {
			visit(setting{name: memberName(leaf.Pointer), value: text, pointer: leaf.Pointer})
			continue
		}
		if inner, ok := documentIn(text); ok {
			for within := range inner.Leaves() {
				name := memberName(within.Pointer)
				visit(setting{name: name, value: within.Text, pointer: leaf.Pointer, line: cut(name, 2*maxQuoted) + ": " + within.Text})
			}
			continue
		}
		if !strings.Contains(text, "\n") {
			visit(setting{name: memberName(leaf.Pointer), value: text, pointer: leaf.Pointer})
			continue
		}
		for line := range strings.Lines(text) {
			if name, value, ok := settingIn(line); ok {
				visit(setting{name: name, value: value, pointer: leaf.Pointer, line: strings.TrimSpace(line)})
			}
		}
	}
}

// documentIn reads a text that is a JSON object or array.
func documentIn(text string) (reading.Value, bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return reading.Value{}, false
	}
	v, err := reading.Parse([]byte(text))
	return v, err == nil
}

// settingIn reads a line such as "verify_ssl: false" or "ssl_verify = off # why".
func settingIn(line string) (name, value string, ok bool) {
	if len(line) > 200 {
		return "", "", false
	}
	line = strings.TrimLeft(strings.TrimSpace(line), "-+ ")
	at := strings.IndexAny(line, ":=")
	if at <= 0 {
		return "", "", false
	}
	name = strings.Trim(line[:at], "\"' \t")
	value, _, _ = strings.Cut(line[at+1:], " #")
	value = strings.Trim(value, " \t\r,;:")
	if len(value) > 1 && value[0] == '[' {
		value = strings.Trim(value, "[] ")
	}
	value = strings.Trim(value, "\"'")
	return name, value, name != "" && !strings.ContainsAny(name, " \t(){}/") && value != ""
}
