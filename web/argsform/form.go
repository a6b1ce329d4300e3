// Package argsform makes a form of the arguments of a tool call, as the JSON Schema
// says that came with it, and reads the edited arguments from what was posted.
//
// What is not changed keeps its bytes, members that the schema does not name included.
// A number is text throughout, so none is rounded.
//
// A schema is an agent's word, so it costs little whatever it says: no reference is
// followed, and no part is read twice. A part that cannot be drawn becomes a field with
// JSON. Only the rules of drawn fields are checked, and a reviewer may go on anyway.
package argsform

import (
	"bytes"
	"strings"

	"countersign/domain/mplp"
	"countersign/views"
)

// Limits of what is drawn. Beyond them there is no form.
const (
	MaxFields  = 100
	maxDepth   = 4
	maxChoices = 100
)

// pointerEscapes writes a name for a path, as a JSON Pointer has it.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Form is the fields for the arguments of one tool call.
type Form struct {
	args   mplp.Raw
	root   *member
	inputs []*member // those with a field, in their order on the page
}

// member is a member of the arguments, sent or not.
type member struct {
	name, path string // the path is unique
	number     int    // its index among the inputs
	kind       views.ArgsKind
	schema     *schema
	required   bool
	unnamed    bool     // the schema does not name it
	value      mplp.Raw // nil if it was not sent
	text       string   // what its input shows
	choices    []choice
	members    []*member // of a group
}

// choice is a value to choose. An empty one leaves the member out.
type choice struct {
	value mplp.Raw
	label string
}

// New returns the form of some arguments, both compact and well-formed. It returns nil
// if none can be drawn.
func New(config, args []byte) *Form {
	sent := mplp.Raw(config).Object()
	if sent == nil || mplp.Raw(args).Object() == nil {
		return nil
	}
	raw, ok := sent.Get("args_schema")
	if !ok || len(raw) > mplp.MaxArgsSchema {
		return nil
	}
	s := readSchema(raw)
	if s == nil || s.complex || s.properties == nil || !s.accepts("object") {
		return nil
	}
	f := &Form{args: args, root: &member{schema: s, value: args, required: true, kind: views.ArgsGroup}}
	if !f.drawMembers(f.root, 1) || len(f.inputs) == 0 {
		return nil
	}
	return f
}

// Fields returns how many fields the form has.
func (f *Form) Fields() int { return len(f.inputs) }

// drawMembers draws the members of a group, those that the schema names first. False:
// there are too many.
func (f *Form) drawMembers(group *member, depth int) bool {
	sent := group.value.Object()
	if sent == nil {
		sent = mplp.NewObject()
	}
	named := group.schema.properties
	if len(f.inputs)+named.Len()+sent.Len() > 2*MaxFields {
		return false
	}
	add := func(name string, s *schema, unnamed bool) bool {
		m := &member{name: name, path: group.path + "/" + pointerEscapes.Replace(name), schema: s, unnamed: unnamed, required: unnamed || group.schema.required[name]}
		m.value, _ = sent.Get(name)
		group.members = append(group.members, m)
		if m.draw(depth); m.kind == views.ArgsGroup {
			return f.drawMembers(m, depth+1)
		}
		m.number = len(f.inputs)
		f.inputs = append(f.inputs, m)
		return len(f.inputs) <= MaxFields
	}
	for _, name := range named.Names() {
		raw, _ := named.Get(name)
		s := readSchema(raw)
		if s == nil {
			s = &schema{complex: true}
		}
		if !add(name, s, false) {
			return false
		}
	}
	for _, name := range sent.Names() {
		if _, ok := named.Get(name); ok {
			continue
		}
		raw, _ := sent.Get(name)
		if !add(name, schemaOf(raw), true) {
			return false
		}
	}
	return true
}

// draw chooses the input of a member and what it shows.
func (m *member) draw(depth int) {
	s, text := m.schema, ""
	null := m.value == nil || s.nullable && string(m.value) == "null"
	switch {
	case s.complex:
	case s.choices != nil:
		if m.drawChoice() {
			return
		}
	case s.accepts("string"):
		text, _ = m.value.Text()
		if null || kindOf(m.value) == "string" && isPlain(m.value, text) {
			m.kind, m.text = views.ArgsText, text
			return
		}
	case s.accepts("number"), s.accepts("integer"):
		if null {
			m.kind = views.ArgsNumber
			return
		}
		if kindOf(m.value) == "number" {
			m.kind, m.text = views.ArgsNumber, string(m.value)
			return
		}
	case s.accepts("object") && s.properties != nil && depth < maxDepth:
		if m.value == nil || kindOf(m.value) == "object" {
			m.kind = views.ArgsGroup
			return
		}
	case s.accepts("array") && s.items != nil:
		if m.drawList() {
			return
		}
	}
	m.kind, m.text = views.ArgsJSON, views.Editable(views.Indent(string(m.value)))
}

// isPlain reports whether an input shows a text as it is. JSON shows the others with
// escapes.
func isPlain(raw mplp.Raw, text string) bool {
	return views.Editable(text) == text && (text != "" || string(raw) == `""`)
}

// drawChoice offers the values of an enumeration. False: one of them cannot be shown.
func (m *member) drawChoice() bool {
	m.kind = views.ArgsChoice
	values := m.schema.choices
	if m.schema.nullable && !containsEqual(values, mplp.Raw("null")) {
		values = append(values[:len(values):len(values)], mplp.Raw("null"))
	}
	if m.value != nil && !containsEqual(values, m.value) {
		values = append(values[:len(values):len(values)], m.value)
	}
	texts := true
	for _, value := range values {
		texts = texts && kindOf(value) == "string"
	}
	for _, value := range values {
		label := string(value)
		if texts {
			label, _ = value.Text()
		}
		if kind := kindOf(value); kind == "object" || kind == "array" || views.Editable(label) != label || len(label) > maxLabel {
			return false
		}
		m.choices = append(m.choices, choice{value, label})
	}
	if !m.required || m.value == nil {
		m.choices = append(m.choices, choice{})
	}
	for i, c := range m.choices {
		if c.value != nil && m.value != nil && equal(c.value, m.value) {
			m.text = choiceValue(i)
			break
		}
	}
	return true
}

// drawList shows a list of texts or numbers, each in a line of its own. False: one of
// them does not fit into a line.
func (m *member) drawList() bool {
	kind := "string"
	switch items := m.schema.items; {
	case items.complex || items.choices != nil || items.nullable:
		return false
	case items.accepts("string"):
	case items.accepts("number"), items.accepts("integer"):
		kind = "number"
	default:
		return false
	}
	if m.value != nil && kindOf(m.value) != "array" {
		return false
	}
	var text bytes.Buffer
	for i, item := range m.value.Elements() {
		line := string(item)
		if kindOf(item) != kind {
			return false
		}
		if kind == "string" {
			line, _ = item.Text()
			if !isPlain(item, line) || !isLine(line) {
				return false
			}
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(line)
	}
	m.kind, m.text = views.ArgsList, text.String()
	return true
}
