package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// soon is how long a page may take to show what it must.
const soon = 20 * time.Second

// page is a window of a browser that shares its cookies with no other.
type page struct {
	t    *testing.T
	ctx  context.Context
	base string
	*console
}

// opens gives a new window, 1280 px wide. When the test ends, anything that
// went wrong in it fails the test.
func (s *stage) opens(setup ...chromedp.Action) *page {
	s.t.Helper()
	ctx := chromium.window(s.t)
	p := &page{t: s.t, ctx: ctx, base: s.base, console: listen(ctx)}
	setup = append([]chromedp.Action{
		// Windows in the background look and behave like the one in front.
		emulation.SetFocusEmulationEnabled(true),
		emulation.SetDeviceMetricsOverride(1280, 900, 1, false),
	}, setup...)
	if err := chromedp.Run(ctx, setup...); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { p.check(s.t) })
	return p
}

// signsIn gives a new window in which the user is signed in.
func (s *stage) signsIn(name string, setup ...chromedp.Action) *page {
	s.t.Helper()
	p := s.opens(setup...)
	p.open("/login")
	p.signIn(name, password)
	p.waitFor("header.top")
	return p
}

func (p *page) signIn(name, password string) {
	p.t.Helper()
	p.fill("#username", name)
	p.fill("#password", password)
	p.submit(".door button")
}

// open goes to an address of the server.
func (p *page) open(path string) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, chromedp.Navigate(p.base+path)); err != nil {
		p.t.Fatalf("%s: %v", path, err)
	}
}

// opensConfirm goes to the page of a confirm.
func (p *page) opensConfirm(id string) {
	p.t.Helper()
	p.open("/confirms/" + id)
	p.waitFor("#confirm")
}

// opensRecord opens what stands closed at the end of a confirm's page.
func (p *page) opensRecord() {
	p.t.Helper()
	p.click("details.record > summary")
	p.until(query("details.record") + `.open`)
}

// acknowledgesAll ticks what has to be ticked before a confirm can be approved.
func (p *page) acknowledgesAll() {
	p.t.Helper()
	for n := p.count(".ack input:not(:checked)"); n > 0; n-- {
		p.click(".ack input:not(:checked)")
	}
}

// eval evaluates a JavaScript expression.
func (p *page) eval(expression string, out any) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, chromedp.Evaluate(expression, out)); err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

// is evaluates a condition.
func (p *page) is(condition string) (holds bool) {
	p.t.Helper()
	p.eval("Boolean("+condition+")", &holds)
	return holds
}

// until waits for a condition in a page that has loaded.
func (p *page) until(condition string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, soon)
	defer cancel()
	look := time.NewTicker(15 * time.Millisecond)
	defer look.Stop()
	for {
		var holds bool
		err := chromedp.Run(ctx, chromedp.Evaluate(`document.readyState === "complete" && Boolean(`+condition+")", &holds))
		if holds {
			return
		}
		select {
		case <-look.C: // an error is that of a page just being left
		case <-ctx.Done():
			p.t.Fatalf("never true: %s (%v)\n%s", condition, err, p)
		}
	}
}

// String is the page as a reader sees it.
func (p *page) String() string {
	var address, text string
	if err := chromedp.Run(p.ctx, chromedp.Location(&address), chromedp.Evaluate(`document.body.innerText`, &text)); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("at %s the page says:\n%s", address, text)
}

// waitFor waits until an element is there and shown.
func (p *page) waitFor(selector string) {
	p.t.Helper()
	p.until(query(selector) + `?.checkVisibility()`)
}

// waitGone waits until no such element is shown.
func (p *page) waitGone(selector string) {
	p.t.Helper()
	p.until("!" + query(selector) + `?.checkVisibility()`)
}

// sees waits until an element says something.
func (p *page) sees(selector, words string) {
	p.t.Helper()
	p.until(`(e => (e?.innerText ?? e?.textContent)?.includes(` + quote(words) + `))(` + query(selector) + `)`)
}

// text is what an element shows.
func (p *page) text(selector string) (words string) {
	p.t.Helper()
	p.waitFor(selector)
	p.eval(query(selector)+`.innerText`, &words)
	return words
}

// value is what stands in a field.
func (p *page) value(selector string) (text string) {
	p.t.Helper()
	p.waitFor(selector)
	p.eval(query(selector)+`.value`, &text)
	return text
}

// count is how many elements there are.
func (p *page) count(selector string) (n int) {
	p.t.Helper()
	p.eval(`document.querySelectorAll(`+quote(selector)+`).length`, &n)
	return n
}

// click clicks in the middle of an element, once nothing covers it. With words,
// it is the first of the elements that says just that.
func (p *page) click(selector string, words ...string) {
	p.t.Helper()
	x, y := p.aim(selector, words...)
	p.do(chromedp.MouseClickXY(x, y))
}

// submit clicks what leads to another page, and waits for that.
func (p *page) submit(selector string, words ...string) {
	p.t.Helper()
	p.eval(`window.left = true`, nil)
	p.click(selector, words...)
	p.until(`!window.left`)
}

// hover moves the pointer to the middle of an element.
func (p *page) hover(selector string) {
	p.t.Helper()
	x, y := p.aim(selector)
	p.do(input.DispatchMouseEvent(input.MouseMoved, x, y))
}

// aim gives the middle of an element, in pixels of the window.
func (p *page) aim(selector string, words ...string) (x, y float64) {
	p.t.Helper()
	element := query(selector)
	if len(words) > 0 {
		element = `[...document.querySelectorAll(` + quote(selector) + `)].find(e => (e.innerText ?? e.textContent).trim() === ` + quote(words[0]) + `)`
	}
	target := `(e => {
		e?.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"});
		const box = e?.getClientRects()[0];
		if (!box || e.disabled) return null;
		const x = box.x + box.width / 2, y = box.y + box.height / 2;
		return e.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
	})(` + element + `)`
	p.until(target)
	var at []float64
	p.eval(target, &at)
	if len(at) != 2 {
		p.t.Fatalf("%s %q moved away\n%s", selector, words, p)
	}
	return at[0], at[1]
}

// fill replaces what stands in a field, as typing does.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.waitFor(selector)
	p.eval(query(selector)+`.select()`, nil)
	p.until(`document.activeElement === ` + query(selector))
	p.do(input.InsertText(text))
}

// press presses keys one after the other.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

func (p *page) do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// focused says whether an element has the focus.
func (p *page) focused(selector string) bool {
	p.t.Helper()
	return p.is(`document.activeElement?.matches(` + quote(selector) + `)`)
}

// waitFocus waits until an element has the focus.
func (p *page) waitFocus(selector string) {
	p.t.Helper()
	p.until(`document.activeElement?.matches(` + quote(selector) + `)`)
}

// path is where the window is, without the query.
func (p *page) path() (path string) {
	p.t.Helper()
	p.eval(`location.pathname`, &path)
	return path
}

// waitPath waits until the window has come to an address.
func (p *page) waitPath(path string) {
	p.t.Helper()
	p.until(`location.pathname === ` + quote(path))
}

// live waits until the window hears of changes: the server has answered its
// stream.
func (p *page) live() {
	p.t.Helper()
	p.until(`document.querySelector("#live")?._htmx?.sse`)
}

func query(selector string) string { return `document.querySelector(` + quote(selector) + `)` }

// quote writes a text as JavaScript does.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(quoted)
}
