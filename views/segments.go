package views

import (
	"context"
	"io"

	"github.com/a-h/templ"
)

// segments writes text with its marks. It is not a template because a
// template may add white space between elements, and in text that is signed
// every space counts.
func segments(s string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		return writeSegments(w, s)
	})
}

// segmentsText is segments for SVG text, where a mark has no element of its own.
func segmentsText(s string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, segment := range Visible(s) {
			if _, err := io.WriteString(w, templ.EscapeString(segment.Text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// codeLine writes one line of JSON with the member's name set off.
func codeLine(line codeText) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, line.indent); err != nil {
			return err
		}
		if line.key != "" {
			if err := wrap(w, `<b>`, line.key, `</b>`); err != nil {
				return err
			}
		}
		return writeSegments(w, line.rest)
	})
}

func writeSegments(w io.Writer, s string) error {
	if obvious(s) {
		_, err := io.WriteString(w, templ.EscapeString(s))
		return err
	}
	for _, segment := range Visible(s) {
		open, end := "", ""
		switch segment.Kind {
		case Invisible:
			open, end = `<span class="invisible">`, `</span>`
		case MixedScript:
			open, end = `<span class="mixed-script" title="This word mixes letters of different alphabets">`, `</span>`
		}
		if _, err := io.WriteString(w, open+templ.EscapeString(segment.Text)+end); err != nil {
			return err
		}
	}
	return nil
}

func wrap(w io.Writer, open, s, end string) error {
	if _, err := io.WriteString(w, open); err != nil {
		return err
	}
	if err := writeSegments(w, s); err != nil {
		return err
	}
	_, err := io.WriteString(w, end)
	return err
}
