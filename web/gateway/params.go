package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/domain/mplp"
)

// params are those of a call, read strictly.
type params struct {
	raw  json.RawMessage // compact
	name string
	args json.RawMessage // an object; {} if there are none
	// from and to are where the arguments stand; equal: they are missing.
	from, to      int
	progressToken json.RawMessage // nil: none
	version       string          // of the protocol, if the call names it
	state         string          // of a call that goes on
}

// known are the members that the gateway reads.
var known = []string{"name", "arguments", "_meta", "requestState"}

// parseParams reads the params of a call. Whatever two readers could understand in two
// ways is refused: what was shown would not be what runs.
func parseParams(text json.RawMessage) (*params, error) {
	raw, err := mplp.ParseValue(text, mplp.DefaultLimits)
	if err != nil {
		return nil, err
	}
	if raw[0] != '{' {
		return nil, errors.New("params must be an object")
	}
	p := &params{raw: json.RawMessage(raw), args: json.RawMessage("{}")}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() == jsontext.KindString {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		member := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		if err := p.set(member, slices.Clone(value), end); err != nil {
			return nil, err
		}
	}
	if p.name == "" {
		return nil, errors.New("name is missing")
	}
	return p, nil
}

// set takes over one member, whose value ends at a place of the text.
func (p *params) set(member string, value jsontext.Value, end int) error {
	if !slices.Contains(known, member) {
		if slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, member) }) {
			return fmt.Errorf("%q is written otherwise", member)
		}
		return nil
	}
	switch member {
	case "name":
		return json.Unmarshal(value, &p.name)
	case "arguments":
		p.from, p.to = end-len(value), end
		switch value.Kind() {
		case jsontext.KindBeginObject:
			p.args = json.RawMessage(value)
		case jsontext.KindNull:
		default:
			return errors.New("arguments must be an object")
		}
	case "requestState":
		return json.Unmarshal(value, &p.state)
	case "_meta":
		var meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
			Version       string          `json:"io.modelcontextprotocol/protocolVersion"`
		}
		if err := json.Unmarshal(value, &meta); err != nil {
			return err
		}
		p.version = meta.Version
		if len(meta.ProgressToken) > 0 && string(meta.ProgressToken) != "null" {
			p.progressToken = meta.ProgressToken
		}
	}
	return nil
}

// with returns the params with other arguments. Everything else keeps its bytes.
func (p *params) with(args json.RawMessage) json.RawMessage {
	if bytes.Equal(args, p.args) {
		return p.raw
	}
	if p.from == p.to {
		return slices.Concat(p.raw[:len(p.raw)-1], []byte(`,"arguments":`), args, []byte("}"))
	}
	return slices.Concat(p.raw[:p.from], args, p.raw[p.to:])
}
