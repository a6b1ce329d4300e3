package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// formTrade is a tool call with a schema of its arguments.
const formTrade = `{"target_type":"other","actions":[{"name":"execute_trade","args":{"extra":[1.0],"symbol":"VNM","quantity":9007199254740993,"limit":1.10}}],
	"review_configs":[{"args_schema":{"type":"object","required":["symbol","quantity"],"properties":{
		"symbol":{"type":"string","title":"Ticker <b>","description":"As the exchange writes it"},
		"quantity":{"type":"integer","minimum":1},"limit":{"type":"number"},"side":{"enum":["buy","sell"]}}}}]}`

// Fields of formTrade by their numbers: symbol, quantity, limit, side, extra.
func TestEditInFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), formTrade)
	page := b.open(c)
	doc := page.doc(t)
	for field, want := range map[string]string{"#field_0_0": "VNM", "#field_0_1": "9007199254740993", "#field_0_2": "1.10"} {
		if got := doc.Find(field).AttrOr("value", ""); got != want {
			t.Errorf("%s has %q, want %q", field, got, want)
		}
	}
	if label := doc.Find(`label[for="field_0_0"]`); !strings.Contains(label.Text(), "Ticker <b>") || label.Find("[hx-ignore]").Length() != 2 {
		t.Errorf("the label is %q", label.Text())
	}
	review := b.want(b.submit(page, "/confirms/"+c.ID+"/decision", "decision", "edit", "field_0_1", "1e400", "field_0_3", "1"), http.StatusOK)
	b.want(b.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)
	o := w.outcome(c.ID)
	if o.Confirm.Status != domain.Approved {
		t.Fatalf("status %s", o.Confirm.Status)
	}
	const want = `{"extra":[1.0],"symbol":"VNM","quantity":1e400,"limit":1.10,"side":"sell"}`
	if got := string(o.Decision.Actions[0].Args); got != want {
		t.Errorf("what may run is %s, want %s", got, want)
	}
}

// Whatever is refused loses nothing that was typed, and is said where it was typed.
func TestEditInFieldsIsRefusedAtTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), formTrade)
	for _, tc := range []struct {
		name   string
		fields []string
		at     string // of the message
		says   string
	}{
		{"no number", []string{"decision", "edit", "field_0_1", "ten"}, "#field_0_1", "Enter a number"},
		{"does not fit", []string{"decision", "edit", "field_0_1", "0"}, "#field_0_1", "at least 1"},
		{"nothing changed", []string{"decision", "edit"}, "#fields_0", "changes nothing"},
		{"without choosing edit", []string{"decision", "approve", "field_0_0", "X"}, "#fields_0", "without choosing Edit"},
		{"fields and JSON", []string{"decision", "edit", "field_0_0", "X", "args_0", "{}"}, "#args_0", "the fields and the JSON"},
		{"JSON that does not fit", []string{"decision", "edit", "args_0", `{"symbol":1}`}, "#args_0", "/quantity: This is required."},
		{"no such field", []string{"decision", "edit", "field_0_9", "X"}, "", "no argument for the field"},
		{"no such action", []string{"decision", "edit", "field_1_0", "X"}, "", "no argument for the field"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			answer := b.want(b.submit(b.open(c), "/confirms/"+c.ID+"/decision", append(tc.fields, "reason", "typed")...), http.StatusUnprocessableEntity)
			doc := answer.doc(t)
			where := doc.Find(tc.at + "-error")
			if tc.at == "" {
				where = doc.Find(".notice")
			}
			if !strings.Contains(where.Text(), tc.says) {
				t.Errorf("%s says %q, want %q", tc.at, where.Text(), tc.says)
			}
			if field := doc.Find(tc.at + ":is(input, textarea)"); tc.at != "" && field.Length() > 0 && field.AttrOr("aria-invalid", "") != "true" {
				t.Errorf("%s is not marked", tc.at)
			}
			for i := 0; i < len(tc.fields); i += 2 {
				if name, text := tc.fields[i], tc.fields[i+1]; name == "field_0_0" || name == "field_0_1" {
					if got := doc.Find("#"+name).AttrOr("value", ""); got != text {
						t.Errorf("%s has %q, want %q", name, got, text)
					}
				}
			}
			if got := doc.Find("#reason").Text(); got != "typed" {
				t.Errorf("the reason is %q", got)
			}
		})
	}
	if w.outcome(c.ID).Confirm.IsFinal() {
		t.Error("something was decided")
	}
}

// A reviewer may approve an edit after the warning that it does not fit the schema.
func TestEditThatDoesNotFitCanBeApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), formTrade)
	at := "/confirms/" + c.ID + "/decision"
	told := b.want(b.submit(b.open(c), at, "decision", "edit", "field_0_1", "0"), http.StatusUnprocessableEntity)
	review := b.want(b.submit(told, at, "decision", "edit", "field_0_1", "0", "unfit_0", "1"), http.StatusOK)
	if got := review.doc(t).Find(".edit-review .notice").Text(); !strings.Contains(got, "/quantity: This must be at least 1.") {
		t.Errorf("the review says %q", got)
	}
	b.want(b.submit(review, at), http.StatusSeeOther)
	if got := string(w.outcome(c.ID).Decision.Actions[0].Args); !strings.Contains(got, `"quantity":0,`) {
		t.Errorf("what may run is %s", got)
	}
}

// What an agent sends as a schema keeps nobody from deciding.
func TestConfirmWithAnySchemaCanBeDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	var members, words strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&members, `"member%d":{},`, i)
	}
	for i := range 90 {
		fmt.Fprintf(&words, `"m%d":{"type":"string","description":"%s"},`, i, strings.Repeat("ش", 300))
	}
	for _, tc := range []struct {
		name, schema, args string
		drawn              bool
	}{
		{"thousands of members", `{"properties":{` + members.String() + `"a":{}}}`, `{"a":1}`, false},
		{"long descriptions", `{"properties":{` + words.String() + `"a":{}}}`, `{"a":1}`, true},
		{"arguments that fill the form", `{"properties":{"a":{"type":"string"}}}`, `{"a":"` + strings.Repeat("م", 90_000) + `"}`, false},
		{"nothing known", `{"type":{},"properties":{"a":{"enum":{},"items":7,"required":{"x":[]},"maximum":"x","pattern":"("}}}`, `{"a":1}`, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			c := w.post(agent, `{"target_type":"other","actions":[{"name":"write","args":`+tc.args+`}],"review_configs":[{"args_schema":`+tc.schema+`}]}`)
			page := b.open(c)
			if drawn := page.doc(t).Find(".args-fields").Length() == 1; drawn != tc.drawn {
				t.Errorf("there are fields: %t, want %t", drawn, tc.drawn)
			}
			if size := len(page.text) - 8*len(tc.args); size > 400_000 {
				t.Errorf("the page has %d bytes", size)
			}
			b.want(b.submit(page, "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusSeeOther)
		})
	}
}
