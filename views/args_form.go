package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// ArgsField is an argument of a tool call as a field. Names, titles, descriptions and
// choices are the agent's words.
type ArgsField struct {
	Kind        ArgsKind
	Name        string // in the form, empty for a group
	Member      string // its name in the arguments
	Title       string
	Description string
	Required    bool
	Unnamed     bool   // the agent's schema does not name it
	Whole       bool   // of a number
	Long        bool   // its text may have several lines
	Text        string // what it has now
	Choices     []Option
	Members     []ArgsField // of a group
	Error       string
}

// ArgsKind says how an argument is edited.
type ArgsKind int

// The kinds of arguments.
const (
	ArgsText ArgsKind = iota
	ArgsNumber
	ArgsChoice
	ArgsList // one value in each line
	ArgsGroup
	ArgsJSON
)

// note says in a few words what the field takes.
func (f ArgsField) note() string {
	var notes []string
	if f.Required {
		notes = append(notes, "required")
	}
	switch {
	case f.Unnamed:
		notes = append(notes, "not in the agent's schema")
	case f.Kind == ArgsList:
		notes = append(notes, "one in each line")
	case f.Kind == ArgsJSON:
		notes = append(notes, "JSON")
	case f.Whole:
		notes = append(notes, "whole number")
	case f.Kind == ArgsNumber:
		notes = append(notes, "number")
	}
	return strings.Join(notes, ", ")
}

// rows returns the height of a field with several lines.
func (f ArgsField) rows() string {
	return strconv.Itoa(max(editorRows(f.Text)-2, 2))
}

// errors is how components find the message of a field.
func (f ArgsField) errors() Errors { return Errors{f.Name: f.Error} }

// argsTitleLength and argsDescriptionLength are how many characters of an agent's words
// about an argument are shown.
const (
	argsTitleLength       = 100
	argsDescriptionLength = excerptLength
)

// argsExcerpt shows the start of an agent's words about an argument.
func argsExcerpt(s string, most int) templ.Component {
	return component(func(m *htmlBuffer) { m.excerptInline(s, most) })
}

// idOf is an id, if there is one.
func idOf(id string) templ.Attributes {
	if id == "" {
		return nil
	}
	return templ.Attributes{"id": id}
}
