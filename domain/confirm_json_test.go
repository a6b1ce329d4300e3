package domain

import (
	"testing"

	"countersign/domain/evidence"
)

// What a client sent comes back byte by byte, and its arguments are stored once.
func TestConfirmObject(t *testing.T) {
	t.Parallel()
	args := func(list ...string) (actions []evidence.Action) {
		for _, a := range list {
			actions = append(actions, evidence.Action{Name: "n", Args: []byte(a)})
		}
		return actions
	}
	for name, tt := range map[string]struct {
		sent    string
		actions []evidence.Action
		stored  string
	}{
		"no actions":        {`{"a":1}`, nil, `{"a":1}`},
		"one":               {`{"actions":[{"args":{"x":1},"name":"n"}]}`, args(`{"x":1}`), "{\"actions\":[{\"args\":\x00,\"name\":\"n\"}]}"},
		"two alike":         {`[{"args":{}},{"args":{}}]`, args(`{}`, `{}`), "[{\"args\":\x00},{\"args\":\x00}]"},
		"without arguments": {`[{"name":"n"},{"args":{"x":1}}]`, []evidence.Action{{Name: "n"}, {Name: "n", Args: []byte(`{"x":1}`)}}, `[{"name":"n"},{"args":{"x":1}}]`},
		"repeated before":   {`{"note":{"x":1},"actions":[{"args":{"x":1}}]}`, args(`{"x":1}`), "{\"note\":\x00,\"actions\":[{\"args\":{\"x\":1}}]}"},
		"in another order":  {`[{"args":{"b":2}},{"args":{"a":1}}]`, args(`{"a":1}`, `{"b":2}`), `[{"args":{"b":2}},{"args":{"a":1}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := (&evidence.Content{ConfirmID: "c", Actions: tt.actions}).Marshal()
			c := &ConfirmContent{Content: content, Native: stripArgs([]byte(tt.sent), tt.actions)}
			if string(c.Native) != tt.stored {
				t.Errorf("stored %q, want %q", c.Native, tt.stored)
			}
			object, err := c.object()
			if err != nil || string(object) != tt.sent {
				t.Errorf("%q, %v, want %q", object, err, tt.sent)
			}
		})
	}
}
