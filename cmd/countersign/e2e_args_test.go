package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// asksWithSchema posts a tool call that comes with a schema of its arguments.
func (s *stage) asksWithSchema() pending {
	s.t.Helper()
	text := object{"type": "string"}
	return s.asks(object{"target_type": "other", "reason": "The limit is 50", "actions": []object{{"name": "execute_trade", "args": object{
		"symbol": "VNM", "quantity": 100, "side": "buy", "urgent": false, "tags": []string{"long", "term"}, "route": object{"venue": "XETRA"}, "note": nil}}},
		"review_configs": []object{{"args_schema": object{"type": "object", "required": []string{"symbol", "quantity"}, "properties": object{
			"symbol": object{"type": "string", "title": "Ticker", "description": "As the exchange writes it, without the country."}, "quantity": object{"type": "integer", "minimum": 1},
			"side": object{"enum": []string{"buy", "sell"}}, "urgent": object{"type": "boolean"}, "tags": object{"type": "array", "items": text},
			"route": object{"type": "object", "title": "Where it goes", "properties": object{"venue": text, "hops": object{"type": "integer"}}}}}}}})
}

// Arguments are edited in the fields that the agent's schema draws, with scripts and
// without.
func TestE2E_EditInFields(t *testing.T) {
	s := newStage(t)
	for name, setup := range map[string][]chromedp.Action{"scripts": nil, "no-scripts": {emulation.SetScriptExecutionDisabled(true)}} {
		asked := s.asksWithSchema()
		p := s.signsIn("reviewer", setup...)
		p.provokes(http.StatusUnprocessableEntity)
		p.opensConfirm(asked.ConfirmID)
		if setup == nil {
			p.click(".verdicts button", "Edit")
			p.waitFocus(`.args-fields input[value="100"]`)
		} else {
			p.click(".editor > summary")
		}
		quantity := "#" + p.attribute(`.args-fields input[value="100"]`, "id")
		p.fill(quantity, "0")
		p.fill(`.args-fields input[value="VNM"]`, "AAPL")
		p.click(".editor > .button")
		p.sees(quantity+"-error", "at least 1")
		if got := p.value(quantity); got != "0" {
			t.Errorf("%s: after a refusal the field has %q", name, got)
		}
		if dir := os.Getenv("COUNTERSIGN_SCREENSHOTS"); dir != "" {
			for look, setup := range map[string][]chromedp.Action{
				"1280-light": {chromedp.EmulateViewport(1280, 800), theme("light")}, "390-dark": {narrow(), theme("dark")},
				"390-light": {narrow(), theme("light")}, "1280-dark": {chromedp.EmulateViewport(1280, 800), theme("dark")},
			} {
				p.do(setup...)
				p.photograph(filepath.Join(dir, "args-"+name+"-"+look+".png"), map[bool]int{true: 1280, false: 390}[look[0] == '1'])
			}
		}
		p.fill(quantity, "9007199254740993")
		p.click(".editor > .button")
		p.sees(".diff .added", `"quantity": 9007199254740993`)
		p.click(`[data-verdict="approve"]`)
		p.sees(".receipt h2", "Approved")
		const want = `{"note":null,"quantity":9007199254740993,"route":{"venue":"XETRA"},"side":"buy","symbol":"AAPL","tags":["long","term"],"urgent":false}`
		if got := string(s.told(asked.ConfirmID).Decisions[0].EditedAction.Args); got != want {
			t.Errorf("%s: the agent may run %s, want %s", name, got, want)
		}
	}
}

// attribute gives an attribute of an element.
func (p *page) attribute(selector, name string) (value string) {
	p.t.Helper()
	p.waitFor(selector)
	p.eval(query(selector)+`.getAttribute(`+quote(name)+`)`, &value)
	return value
}
