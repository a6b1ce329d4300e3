package views

import "github.com/a-h/templ"

// Option is a choice in a select or a group of check boxes.
type Option struct {
	Value    string
	Label    string
	Hint     string
	Selected bool
	Disabled bool // shown, but the reader may not grant it
}

func options(list []Option) templ.Component {
	return component(func(m *htmlBuffer) {
		for _, option := range list {
			m.html(`<option value="`)
			m.text(option.Value)
			m.html(`"`)
			if option.Selected {
				m.html(` selected`)
			}
			if option.Disabled {
				m.html(` disabled`)
			}
			m.html(`>`)
			m.text(Marked(option.Label))
			m.html(`</option>`)
		}
	})
}
