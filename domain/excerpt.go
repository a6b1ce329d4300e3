package domain

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Excerpt is how a text begins, for lists: a text that fills a body is not to
// fill a page too.
type Excerpt struct {
	Text string
	More int // characters that follow
}

// fillPage collects the objects of rows, which are read one by one, until they fill
// the page. next leads on from the last of the rows, and cut from the first so
// many. Rows whose objects are not there any more are left out.
func fillPage[T any](page Page, rows []T, next string, object func(T) ([]byte, error), cut func(rows int) (string, error)) (list [][]byte, _ string, err error) {
	bytes := 0
	for i, row := range rows {
		full := page.Bytes > 0 && bytes >= page.Bytes
		var made []byte
		if !full {
			if made, err = object(row); errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return nil, "", err
			}
			bytes += len(made)
			full = page.Bytes > 0 && bytes > page.Bytes && len(list) > 0
		}
		if full {
			next, err = cut(i)
			return list, next, err
		}
		list = append(list, made)
	}
	return list, next, nil
}

// NewExcerpt is an excerpt of so many characters at most. It keeps nothing else
// of the text in memory.
func NewExcerpt(text string, most int) Excerpt {
	at := 0
	for range most {
		if at == len(text) {
			return Excerpt{Text: text}
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at == len(text) {
		return Excerpt{Text: text}
	}
	return Excerpt{strings.Clone(text[:at]), utf8.RuneCountInString(text[at:])}
}

// Left says how much is left out; empty when nothing is.
func (e Excerpt) Left() string {
	switch e.More {
	case 0:
		return ""
	case 1:
		return "… and 1 more character"
	}
	digits := strconv.Itoa(e.More)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return "… and " + digits + " more characters"
}

// String is the excerpt and how much is left out.
func (e Excerpt) String() string {
	if e.More == 0 {
		return e.Text
	}
	return e.Text + " " + e.Left()
}
