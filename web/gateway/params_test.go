package gateway

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestParseParams_Refuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `null`, `[]`, `"a"`, `{}`, `{"name":""}`, `{"name":1}`, `{"name":"a"`, `{"name":"a"}{}`,
		`{"name":"a","name":"b"}`, `{"name":"a","n\u0061me":"b"}`, `{"name":"a","arguments":{"x":1,"x":2}}`,
		`{"name":"a","Name":"b"}`, `{"name":"a","ARGUMENTS":{}}`, `{"name":"a","arguments":{},"_META":{}}`,
		`{"name":"a","arguments":[]}`, `{"name":"a","arguments":"{}"}`, `{"name":"a","_meta":1}`, `{"name":"a","requestState":1}`,
		"{\"name\":\"\xff\"}", `{"name":"\ud800"}`,
	} {
		if p, err := parseParams(json.RawMessage(text)); err == nil {
			t.Errorf("%s: %+v", text, p)
		}
	}
}

func TestParams_With(t *testing.T) {
	t.Parallel()
	const edited = `{"n":9007199254740995,"t":"<&>"}`
	for text, want := range map[string]string{
		`{"name":"a"}`:                                    `{"name":"a","arguments":` + edited + `}`,
		`{"name":"a","arguments":null,"x":1.0}`:           `{"name":"a","arguments":` + edited + `,"x":1.0}`,
		`{"arguments":{"n":1e2},"$comment":1,"name":"a"}`: `{"arguments":` + edited + `,"$comment":1,"name":"a"}`,
		`{"_meta":{"arguments":{"n":0}},"arguments":{},"name":"a","task":{"ttl":9007199254740993}}`: `{"_meta":{"arguments":{"n":0}},"arguments":` + edited + `,"name":"a","task":{"ttl":9007199254740993}}`,
	} {
		p, err := parseParams(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.with(json.RawMessage(edited)); string(got) != want {
			t.Errorf("%s: %s", text, got)
		}
		if got := p.with(p.args); string(got) != text {
			t.Errorf("%s without an edit: %s", text, got)
		}
	}
}

// Other arguments change nothing else.
func FuzzParams(f *testing.F) {
	f.Add([]byte(`{"name":"a","arguments":{"x":1.0},"_meta":{"progressToken":7}}`), []byte(`{"y":2}`))
	f.Add([]byte(`{"name":"a"}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, text, other []byte) {
		p, err := parseParams(text)
		if err != nil {
			return
		}
		args, err := parseParams([]byte(`{"name":"b","arguments":` + string(other) + `}`))
		if err != nil {
			return
		}
		q, err := parseParams(p.with(args.args))
		switch {
		case err != nil:
			t.Fatalf("%s with %s: %v", text, other, err)
		case q.name != p.name || !bytes.Equal(q.args, args.args) || q.state != p.state || q.version != p.version || !bytes.Equal(q.progressToken, p.progressToken):
			t.Errorf("%+v became %+v", p, q)
		case p.from != p.to && !bytes.Equal(q.with(p.raw[p.from:p.to]), p.raw) && string(p.raw[p.from:p.to]) != "null":
			t.Errorf("%s did not come back: %s", p.raw, q.with(p.raw[p.from:p.to]))
		}
	})
}
