package policy

import (
	"errors"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/domain/mplp"
)

// Parse reads a document strictly and checks it. Errors are *mplp.SyntaxError or
// *mplp.Invalid, whose codes include unknown (a member that there is not) and condition.
func Parse(data []byte) (*Document, error) {
	return parse(data, func(*Document) []mplp.Problem { return nil })
}

// parse reads a document, prepares it and checks it.
func parse(data []byte, prepare func(*Document) []mplp.Problem) (*Document, error) {
	raw, err := mplp.ParseValue(data, mplp.DefaultLimits)
	if err != nil {
		return nil, err
	}
	members := raw.Object()
	if members == nil {
		return nil, &mplp.SyntaxError{Message: "the document must be an object"}
	}
	d := new(Document)
	if err := unmarshal(raw, d); err != nil {
		return nil, err
	}
	c := checker{problems: prepare(d)}
	for _, name := range []string{"rejections", "timeout"} {
		if value, _ := members.Get(name); string(value) == "0" || string(value) == "-0" {
			c.problem(name, "limit", "must be at least 1; leave it out for the default")
		}
	}
	c.document(d)
	return d, c.err()
}

// unmarshal reads well-formed JSON into v. Members that v does not have are refused.
func unmarshal(raw mplp.Raw, v any) error {
	err := jsonv2.Unmarshal(raw, v, jsonv2.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	p := mplp.Problem{Code: "type_error", Message: "has a value of the wrong type"}
	if fault := new(jsonv2.SemanticError); errors.As(err, &fault) {
		p.Path = pathOf(raw, fault.JSONPointer)
	}
	if errors.Is(err, jsonv2.ErrUnknownName) {
		p.Code, p.Message = "unknown", "is not a member of this object"
	}
	return &mplp.Invalid{Problems: []mplp.Problem{p}}
}

// pathOf writes a pointer into a value as the path of a problem.
func pathOf(raw mplp.Raw, pointer jsontext.Pointer) (path string) {
	for token := range pointer.Tokens() {
		if jsontext.Value(raw).Kind() == jsontext.KindBeginArray {
			path += "[" + token + "]"
			if i := index(token); i < len(raw.Elements()) {
				raw = raw.Elements()[i]
			}
			continue
		}
		if path != "" {
			path += "."
		}
		path += shorten(token, 128)
		if o := raw.Object(); o != nil {
			raw, _ = o.Get(token)
		}
	}
	return path
}
