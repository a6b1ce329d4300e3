package argsform

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/domain/mplp"
	"countersign/views"
)

// Sent returns the text that was posted for a field, and reports whether there is one.
type Sent func(number int) (string, bool)

// Problems says what is wrong with fields, by their number.
type Problems map[int]string

// Read returns the arguments with what was changed in place. What a field has that is
// no value of its kind is a problem, and then there are no arguments. Fields that were
// not posted are not changed.
func (f *Form) Read(sent Sent) (args []byte, wrong Problems) {
	wrong = Problems{}
	args = f.root.read(sent, wrong)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return args, nil
}

// IsChanged reports whether a field has another text than it was shown with.
func (f *Form) IsChanged(sent Sent) bool {
	for _, m := range f.inputs {
		if text, there := sent(m.number); there && linesOf(text) != m.text {
			return true
		}
	}
	return false
}

// read returns the member's value, nil if it is to be left out.
func (m *member) read(sent Sent, wrong Problems) mplp.Raw {
	if m.kind == views.ArgsGroup {
		return m.readGroup(sent, wrong)
	}
	text, there := sent(m.number)
	if text = linesOf(text); !there || text == m.text {
		return m.value
	}
	value, problem := m.readText(text)
	if problem != "" {
		wrong[m.number] = problem
	}
	return value
}

// readGroup keeps the bytes of an object in which nothing has changed.
func (m *member) readGroup(sent Sent, wrong Problems) mplp.Raw {
	o := m.value.Object()
	if o == nil {
		o = mplp.NewObject()
	}
	for _, child := range m.members {
		switch value := child.read(sent, wrong); {
		case value != nil:
			o.Set(child.name, value)
		case child.value != nil:
			o.Delete(child.name)
		}
	}
	if m.value == nil && o.Len() == 0 {
		return nil
	}
	return o.Bytes()
}

// Sentences about what is no value.
const (
	notNumber = "Enter a number, such as 12 or 0.5."
	notChosen = "Choose one of the values."
	needed    = "This is required. To leave it out, edit the JSON."
	unnamed   = "To leave this out, edit the JSON."
)

// readText reads what a changed field has.
func (m *member) readText(text string) (value mplp.Raw, wrong string) {
	switch m.kind {
	case views.ArgsText:
		if !utf8.ValidString(text) {
			return nil, "Enter text in UTF-8."
		}
		return mplp.String(text), ""
	case views.ArgsChoice:
		return m.readChoice(text)
	case views.ArgsList:
		return m.readList(text)
	}
	if strings.TrimSpace(text) == "" {
		return m.readNothing()
	}
	if m.kind == views.ArgsNumber {
		return readNumber(text)
	}
	raw, err := mplp.Compact([]byte(text))
	var syntax *mplp.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, "This JSON is not accepted: " + syntax.Message
	case err != nil:
		return nil, "This JSON is not accepted."
	case m.value != nil && string(raw) == views.Editable(string(m.value)):
		return m.value, ""
	}
	return raw, ""
}

// readNothing is for a field that was emptied.
func (m *member) readNothing() (value mplp.Raw, wrong string) {
	switch {
	case m.kind == views.ArgsNumber && m.schema.nullable:
		return mplp.Raw("null"), ""
	case m.unnamed:
		return nil, unnamed
	case m.required:
		return nil, needed
	}
	return nil, ""
}

func (m *member) readChoice(text string) (value mplp.Raw, wrong string) {
	for i, c := range m.choices {
		if text == choiceValue(i) {
			if c.value == nil && m.required {
				return nil, notChosen
			}
			return c.value, ""
		}
	}
	if text == "" && !m.required {
		return nil, ""
	}
	return nil, notChosen
}

// readList reads a value in each line. Those of a text that was there keep their bytes.
func (m *member) readList(text string) (value mplp.Raw, wrong string) {
	before := map[string]mplp.Raw{}
	for _, item := range m.value.Elements() {
		if line, ok := item.Text(); ok {
			before[line] = item
		}
	}
	var items []mplp.Raw
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		item, known := before[line]
		switch {
		case !m.schema.items.accepts("string"):
			if item, wrong = readNumber(line); wrong != "" {
				return nil, "Enter a number in each line, such as 12 or 0.5."
			}
		case !utf8.ValidString(line):
			return nil, "Enter text in UTF-8."
		case !known:
			item = mplp.String(line)
		}
		items = append(items, item)
	}
	return mplp.Array(items...), ""
}

// readNumber keeps a number as it was typed.
func readNumber(text string) (value mplp.Raw, wrong string) {
	raw, err := mplp.Compact([]byte(strings.TrimSpace(text)))
	if err != nil || kindOf(raw) != "number" {
		return nil, notNumber
	}
	return raw, ""
}

// linesOf undoes the ends of lines as browsers send them.
func linesOf(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

func isLine(text string) bool { return strings.TrimSpace(text) != "" && !strings.Contains(text, "\n") }

// choiceValue is how a form names a choice.
func choiceValue(i int) string { return strconv.Itoa(i) }
