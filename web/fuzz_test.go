package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

// FuzzOwnPath: wherever a sign-in leads, a browser that reads addresses as
// browsers do stays on this server.
func FuzzOwnPath(f *testing.F) {
	for _, seed := range []string{"/", "/confirms/x?a=b", "//evil.example", `/\evil.example`, `\\evil.example`, "https:evil.example", "https://evil.example", "/%09/evil.example",
		"/\t/evil.example", "/%2F/evil.example", "/confirms/..//evil.example", "/.//evil.example", "javascript:alert(1)", "/confirms\r\nLocation: x", "/confirms@evil.example", "?//x", "#", "/confirms;/../", "/confirms/%0X"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "https", Host: "sign.example", Path: "/login"}
	f.Fuzz(func(t *testing.T, next string) {
		got := safePath(next)
		if got != next && got != "/" {
			t.Fatalf("%q leads to %q", next, got)
		}
		// Browsers drop these, take \ for /, and resolve what is left.
		read := strings.ReplaceAll(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(got)), `\`, "/")
		if !strings.HasPrefix(read, "/") || strings.HasPrefix(read, "//") {
			t.Fatalf("%q leads to %q", next, got)
		}
		where, err := base.Parse(strings.ReplaceAll(read, "%", "%25")) // which browsers never decode first
		if err != nil || where.Host != base.Host || where.Scheme != base.Scheme {
			t.Fatalf("%q leads to %v (%v)", next, where, err)
		}
		if strings.HasPrefix(where.Path, "/api") || strings.HasPrefix(where.Path, "/log"+"out") {
			t.Errorf("%q leads to %q, which is no page", next, got)
		}
	})
}

// FuzzReadDecision: a form decides only what it says without contradiction.
func FuzzReadDecision(f *testing.F) {
	for _, seed := range []string{"decision=approve", "decision=reject&action_0=approve", "decision=decide&action_0=approve&action_1=reject", "decision=edit&action_0=edit&args_0={}",
		"decision=approve&decision=reject", "decision=approve&args_0={\"a\":2}", "decision=edit&args_0={\"a\":2}&args_1=[]", "action_9=approve&decision=approve", "decision=request_changes&reason=x", "decision=decide",
		"decision=decide&action_0=edit&field_0_0=2&action_1=approve", "decision=approve&field_0_0=2", "decision=decide&action_0=edit&field_0_0=1.5&unfit_0=1&action_1=reject"} {
		f.Add(seed)
	}
	actions := []evidence.Action{{Name: "one", Args: json.RawMessage(`{"a":1}`), ReviewConfig: json.RawMessage(`{"args_schema":{"properties":{"a":{"type":"integer"}}}}`)}, {Name: "two", Args: json.RawMessage(`{}`)}}
	editors := newEditors(actions)
	f.Fuzz(func(t *testing.T, text string) {
		form, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		d, wrong := readDecision(form, actions, editors)
		if (d == nil) != (len(wrong) > 0) {
			t.Fatalf("%q: decision %v and faults %v", text, d, wrong)
		}
		if d == nil {
			return
		}
		for name, values := range form {
			if len(values) > 1 && (name == "decision" || strings.HasPrefix(name, "action_") || strings.HasPrefix(name, "args_") || strings.HasPrefix(name, "field_")) {
				t.Errorf("%q says %s twice and decides", text, name)
			}
		}
		if len(d.Actions) != len(actions) {
			t.Fatalf("%q decides on %d actions", text, len(d.Actions))
		}
		for i, action := range d.Actions {
			field := form.Get([]string{"action_0", "action_1"}[i])
			button := implied[form.Get("decision")]
			switch {
			case !slices.Contains([]string{domain.ActionApprove, domain.ActionReject, domain.ActionEdit}, action.Type):
				t.Errorf("%q decides %q", text, action.Type)
			case field != "" && field != action.Type, button != "" && button != action.Type:
				t.Errorf("%q decides %q against what it says", text, action.Type)
			case (action.Type == domain.ActionEdit) != (d.Edits[i] != nil):
				t.Errorf("%q: %q with arguments %s", text, action.Type, d.Edits[i])
			case d.Edits[i] != nil && (!json.Valid(d.Edits[i]) || d.Edits[i][0] != '{' || string(d.Edits[i]) == string(actions[i].Args)):
				t.Errorf("%q edits to %s", text, d.Edits[i])
			}
		}
	})
}
