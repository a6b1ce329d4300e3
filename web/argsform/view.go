package argsform

import (
	"strings"

	"countersign/views"
)

// maxLabel is the longest choice in bytes.
const maxLabel = 200

// View returns the fields as they are shown: with what was sent, if there is something,
// and what is wrong with it. name names a field in the form.
func (f *Form) View(name func(number int) string, sent Sent, wrong views.Errors) []views.ArgsField {
	return f.root.views(name, sent, wrong)
}

func (m *member) views(name func(number int) string, sent Sent, wrong views.Errors) []views.ArgsField {
	list := make([]views.ArgsField, 0, len(m.members))
	for _, child := range m.members {
		list = append(list, child.view(name, sent, wrong))
	}
	return list
}

func (m *member) view(name func(number int) string, sent Sent, wrong views.Errors) views.ArgsField {
	v := views.ArgsField{
		Kind: m.kind, Member: m.name, Title: m.schema.title, Description: m.schema.description,
		Required: m.required && !m.unnamed, Unnamed: m.unnamed, Whole: m.schema.accepts("integer") && !m.schema.accepts("number"),
	}
	if m.kind == views.ArgsGroup {
		v.Members = m.views(name, sent, wrong)
		return v
	}
	v.Name, v.Text = name(m.number), m.text
	if text, there := sent(m.number); there {
		v.Text = linesOf(text)
	}
	v.Error = wrong[v.Name]
	v.Long = m.kind != views.ArgsText || len(m.text) > 80 || strings.Contains(m.text, "\n") || strings.Contains(v.Text, "\n")
	for i, c := range m.choices {
		option := views.Option{Value: choiceValue(i), Label: c.label}
		if c.value == nil {
			option.Value, option.Label = "", "Not given"
		}
		option.Selected = option.Value == v.Text
		v.Choices = append(v.Choices, option)
	}
	return v
}
