package domain

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Excerpt is the beginning of a text, for lists.
type Excerpt struct {
	Text    string
	Omitted int // characters that were cut off
}

// fillPage renders the objects of rows until the page is full. next is the cursor after
// the last row; cut returns the cursor after the first n rows. Rows whose object no
// longer exists are left out.
func fillPage[T any](page Page, rows []T, next string, object func(T) ([]byte, error), cut func(rows int) (string, error)) (list [][]byte, _ string, err error) {
	return fillPageWithLists(page, rows, next, func(row T) ([][]byte, error) {
		made, err := object(row)
		return [][]byte{made}, err
	}, cut)
}

// fillPageWithLists is fillPage with several objects for a row.
func fillPageWithLists[T any](page Page, rows []T, next string, objects func(T) ([][]byte, error), cut func(rows int) (string, error)) (list [][]byte, _ string, err error) {
	bytes := 0
	for i, row := range rows {
		full := page.Bytes > 0 && bytes >= page.Bytes
		var made [][]byte
		if !full {
			if made, err = objects(row); errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return nil, "", err
			}
			for _, object := range made {
				bytes += len(object)
			}
			full = page.Bytes > 0 && bytes > page.Bytes && len(list) > 0
		}
		if full {
			next, err = cut(i)
			return list, next, err
		}
		list = append(list, made...)
	}
	return list, next, nil
}

// NewExcerpt returns the first max characters of a text. It does not keep the rest in
// memory.
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

// OmittedText says how much was cut off, "" if nothing was.
func (e Excerpt) OmittedText() string {
	switch e.Omitted {
	case 0:
		return ""
	case 1:
		return "… and 1 more character"
	}
	digits := strconv.Itoa(e.Omitted)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return "… and " + digits + " more characters"
}

// String returns the excerpt and how much was cut off.
func (e Excerpt) String() string {
	if e.Omitted == 0 {
		return e.Text
	}
	return e.Text + " " + e.OmittedText()
}
