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

// Compact removes the white space between the tokens of one JSON value, which is read
// under the same strict rules and default limits as a document. It drops nothing else,
// and returns data itself if there is no white space. Errors are *SyntaxError.
func Compact(data []byte) ([]byte, error) { return compactStrict(data, DefaultLimits) }

// ParseValue reads one JSON value of any kind, without a byte order mark, under the same
// strict rules as a document. White space between tokens is dropped. Errors are
// *SyntaxError.
func ParseValue(data []byte, l Limits) (Raw, error) {
	return compactStrict(bytes.TrimPrefix(data, byteOrderMark), l)
}

// compactStrict checks that data is exactly one JSON value within the limits and
// returns it without white space between tokens. The result may be data itself.
func compactStrict(data []byte, l Limits) (Raw, error) {
	if !passesQuickCheck(data, l) {
		if !utf8.Valid(data) {
			return nil, &SyntaxError{Message: "not valid UTF-8"}
		}
		if err := checkTokens(data, l); err != nil {
			return nil, err
		}
	}
	return removeSpace(data), nil
}

// passesQuickCheck reports whether data is one JSON value within the limits, faster
// than checkTokens, which has the last word on what this refuses.
func passesQuickCheck(data []byte, l Limits) bool {
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
		case isSeparator(b):
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

// removeSpace removes the white space between the tokens of a JSON value.
func removeSpace(data []byte) Raw {
	var out Raw
	begin := 0 // start of what is not copied yet
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

// checkTokens reads every token once. It checks the limits on the way, so that it gives
// up a hostile document early.
func checkTokens(data []byte, l Limits) error {
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

// syntaxFault words a decoder's error: the library's text is not part of the interface.
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

// pathOf writes a pointer as a path. Only the decoder knows which tokens are array
// indices.
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

// shorten keeps a hostile key from filling an error message. Anything that may be an id
// stays whole.
func shorten(name string) string {
	const longest = 128
	if utf8.RuneCountInString(name) <= longest {
		return name
	}
	return string([]rune(name)[:longest]) + "…"
}
