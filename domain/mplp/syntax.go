package mplp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

var byteOrderMark = []byte("\uFEFF")

// Compact removes the white space between the tokens of one JSON value, read
// under the same strict rules and default limits as a document; every token
// keeps its bytes. Unlike [ParseObject] it drops nothing. Without white space
// the result is data itself. Errors are *SyntaxError.
func Compact(data []byte) ([]byte, error) { return compactStrict(data, DefaultLimits) }

// compactStrict checks that data is exactly one JSON value within the limits
// and returns it without white space between tokens, which may be data itself.
func compactStrict(data []byte, l Limits) (Raw, error) {
	if !fits(data, l) {
		if !utf8.Valid(data) {
			return nil, &SyntaxError{Message: "not valid UTF-8"}
		}
		if err := scan(data, l); err != nil {
			return nil, err
		}
	}
	return withoutSpace(data), nil
}

// fits says whether data is one JSON value within the limits, in a way that is
// quicker than scan. Of what it refuses scan decides, and says why.
func fits(data []byte, l Limits) bool {
	for at, depth := 0, 0; at < len(data); {
		switch b := data[at]; {
		case b == '"':
			at = stringEnd(data, at)
		case opens(b):
			at++
			if depth++; depth > l.Depth {
				return false
			}
		case closes(b):
			at++
			depth--
		case separates(b):
			at++
		default:
			end := literalEnd(data, at)
			if end-at > l.NumberLen {
				return false
			}
			at = end
		}
	}
	return jsontext.Value(data).IsValid()
}

// withoutSpace leaves out the white space between the tokens of a JSON value.
// Without any it is data itself.
func withoutSpace(data []byte) Raw {
	var out Raw
	begin := 0 // of what is still to be copied
	for at := 0; at < len(data); {
		switch {
		case data[at] == '"':
			at = stringEnd(data, at)
		case isSpace(data[at]):
			if out == nil {
				out = make(Raw, 0, len(data))
			}
			out = append(out, data[begin:at]...)
			at++
			begin = at
		default:
			at++
		}
	}
	if out == nil {
		return data
	}
	return append(out, data[begin:]...)
}

// scan walks over every token once. Limits are checked while walking, so that
// a hostile document is given up where it first goes too far.
func scan(data []byte, l Limits) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		var err error
		if dec.PeekKind() == jsontext.KindNumber {
			var number jsontext.Value
			if number, err = dec.ReadValue(); err == nil && len(number) > l.NumberLen {
				return &SyntaxError{
					Path:    pathOf(dec, dec.StackPointer()),
					Message: fmt.Sprintf("number literal longer than %d characters", l.NumberLen),
				}
			}
		} else {
			_, err = dec.ReadToken()
		}
		if err != nil {
			return syntaxFault(dec, err)
		}
		if dec.StackDepth() > l.Depth {
			return &SyntaxError{
				Path:    pathOf(dec, dec.StackPointer()),
				Message: fmt.Sprintf("nested deeper than %d levels", l.Depth),
			}
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &SyntaxError{Message: "data after the end of the document"}
	}
	return nil
}

// syntaxFault puts a decoder's error into words of our own: the library's text
// is not part of the interface.
func syntaxFault(dec *jsontext.Decoder, err error) *SyntaxError {
	fault := &SyntaxError{Message: "not valid JSON"}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		fault.Path = pathOf(dec, syntactic.JSONPointer)
		fault.Message = fmt.Sprintf("not valid JSON at byte %d", syntactic.ByteOffset)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		fault.Message = "duplicate key"
	case errors.Is(err, jsontext.ErrNonStringName):
		fault.Message = "a key must be a string"
	case errors.Is(err, io.ErrUnexpectedEOF):
		fault.Message = "the document ends too early"
	case errors.Is(err, io.EOF):
		fault.Message = "the document is empty"
	}
	return fault
}

// pathOf writes a pointer as a path. The decoder knows which tokens are array
// indices; the pointer alone does not.
func pathOf(dec *jsontext.Decoder, p jsontext.Pointer) string {
	path, level := "", 0
	for token := range p.Tokens() {
		level++
		if level <= dec.StackDepth() {
			if kind, _ := dec.StackIndex(level); kind == jsontext.KindBeginArray {
				path += "[" + token + "]"
				continue
			}
		}
		path = join(path, shorten(token))
	}
	return path
}

// join appends a member's name to the path of its object.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// shorten keeps a hostile key or id from filling the error message. What may be
// an id stays whole.
func shorten(name string) string {
	const longest = 128
	if utf8.RuneCountInString(name) <= longest {
		return name
	}
	return string([]rune(name)[:longest]) + "…"
}
