package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reviewRequest is a request of one of six trades. Danger lists what stands in the list
// of what is to notice; of a harmless one there is no such list.
type reviewRequest struct {
	Name    string          `json:"name"`
	Trade   string          `json:"trade"`
	Danger  []string        `json:"danger"`
	Request json.RawMessage `json:"request"` // its members stay in their order
}

func reviewRequests(t *testing.T) (list []reviewRequest) {
	t.Helper()
	text, err := os.ReadFile("testdata/review/requests.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wide is a reviewer's screen.
func wide() chromedp.Action { return chromedp.EmulateViewport(1280, 900) }

// The photographs of the review requests are for looking at, as of the other pages.
func TestE2E_ReviewScreenshots(t *testing.T) {
	dir := os.Getenv("COUNTERSIGN_SCREENSHOTS")
	requests := reviewRequests(t)
	if dir == "" {
		dir, requests = t.TempDir(), requests[:1]
	}
	s := newStage(t)
	asked := map[string]string{}
	for _, r := range requests {
		asked[r.Name] = s.asks(r.Request).ConfirmID
	}
	for _, look := range []struct {
		name  string
		setup []chromedp.Action
	}{
		{"1280-light", []chromedp.Action{wide()}},
		{"1280-dark", []chromedp.Action{wide(), dark()}},
		{"390-light", []chromedp.Action{narrow()}},
		{"390-dark", []chromedp.Action{narrow(), dark()}},
	} {
		p := s.signsIn("reviewer", look.setup...)
		p.open("/confirms")
		p.capture(filepath.Join(dir, "review-inbox-"+look.name+".png"))
		for name, id := range asked {
			p.opensConfirm(id)
			p.capture(filepath.Join(dir, "review-"+name+"-"+look.name+".png"))
		}
	}
}

// What a reviewer decides by stands in the first view: the reason, what there is to
// notice, and the first argument.
func TestE2E_ReviewInTheFirstView(t *testing.T) {
	s := newStage(t)
	requests := reviewRequests(t)
	asked := make([]pending, len(requests))
	for i, r := range requests {
		asked[i] = s.asks(r.Request)
	}
	for view, setup := range map[string]chromedp.Action{"wide": wide(), "narrow": narrow()} {
		p := s.signsIn("reviewer", setup)
		for i, r := range requests {
			p.opensConfirm(asked[i].ConfirmID)
			for _, selector := range []string{".reason .agent-text", ".what .member"} {
				if !p.is(`(box => box.top >= 0 && box.top + 20 <= innerHeight)(` + query(selector) + `.getBoundingClientRect())`) {
					t.Errorf("%s, %s: %s is not in the first view", view, r.Name, selector)
				}
			}
			if listed := p.count(".finding"); listed > 0 != (len(r.Danger) > 0) {
				t.Errorf("%s, %s: %d findings: %s", view, r.Name, listed, p.text(".what"))
			} else if listed > 0 && !p.is(`(box => box.bottom <= innerHeight)(`+query(".finding")+`.getBoundingClientRect())`) {
				t.Errorf("%s, %s: the finding is not in the first view", view, r.Name)
			}
			if p.is(`document.documentElement.scrollWidth > innerWidth`) {
				t.Errorf("%s, %s: it scrolls sideways", view, r.Name)
			}
		}
	}
}

// longCall has more lines than a screen.
func longCall() object {
	var lines strings.Builder
	for i := range 120 {
		fmt.Fprintf(&lines, "line %d of the letter\n", i+1)
	}
	return object{"name": "write_file", "args": object{"name": "letter.txt", "text": lines.String()}}
}

// A goes on by a view while something was not seen, and arms the button then.
func TestE2E_ReviewPagesBeforeItArms(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("reviewer", wide())
	p.opensConfirm(s.asksFor("Write the letter", longCall()).ConfirmID)
	p.sees(".unseen-hint", "more screens to see")
	pages := 0
	for ; pages < 20 && !p.focused(`[data-verdict="approve"]`); pages++ {
		before := p.scrolled()
		p.press("a")
		p.until(fmt.Sprintf(`Math.round(scrollY) !== %d || document.activeElement === %s`, before, query(`[data-verdict="approve"]`)))
	}
	if pages < 3 || pages == 20 {
		t.Errorf("it armed after %d times", pages)
	}
	p.press(kb.Enter)
	p.sees(".receipt h2", "Approved")

	// What is all in view takes two keys; a rejection never pages.
	p.opensConfirm(s.asksFor("Buy", trade()).ConfirmID)
	p.press("a")
	p.waitFocus(`[data-verdict="approve"]`)
	p.opensConfirm(s.asksFor("Write the letter", longCall()).ConfirmID)
	p.press("r")
	p.waitFocus(`[data-verdict="reject"]`)
}

// scrolled returns how far the page is scrolled, in pixels.
func (p *page) scrolled() (y int) {
	p.t.Helper()
	p.eval(`Math.round(scrollY)`, &y)
	return y
}

// A grave finding is ticked at the value before an approval counts.
func TestE2E_ReviewAcknowledges(t *testing.T) {
	s := newStage(t)
	everyRow := object{"name": "run_sql", "args": object{"statement": "UPDATE parcels SET status = 'closed'"}}
	for view, setup := range map[string][]chromedp.Action{
		"wide": {wide()}, "narrow": {narrow()},
		"without scripts": {wide(), emulation.SetScriptExecutionDisabled(true)}, "narrow, without scripts": {narrow(), emulation.SetScriptExecutionDisabled(true)},
	} {
		p := s.signsIn("reviewer", setup...)
		p.provokes(http.StatusUnprocessableEntity)
		p.opensConfirm(s.asksFor("Close what is lost", everyRow).ConfirmID)
		p.click(`[data-verdict="approve"]`)
		p.waitFor(`.ack input[aria-invalid="true"]`)
		if len(setup) == 1 {
			p.waitFocus(".ack input")
		}
		p.click(".ack input")
		p.click(`[data-verdict="approve"]`)
		p.sees(".receipt h2", "Approved")
		t.Log(view)
	}
}

// On a telephone the decision stays within reach: the first tap arms, the second sends.
func TestE2E_ReviewBarOfATelephone(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("reviewer", narrow())
	p.opensConfirm(s.asksFor("Buy", trade()).ConfirmID)
	if !p.is(`(box => box.height >= 56 && box.bottom <= innerHeight + 1)(` + query("[data-bar]") + `.getBoundingClientRect())`) {
		t.Error("the bar is not in view")
	}
	p.waitFor("#confirm[data-all-seen]")
	tap := func() { p.eval(query(`[data-verdict-of="approve"]`)+".click()", nil) } // where the finger is
	tap()
	p.sees(`[data-verdict-of="approve"]`, "Tap again to approve")
	tap()
	p.sees(".receipt h2", "Approved")

	p.opensConfirm(s.asksFor("Write the letter", longCall()).ConfirmID)
	tap()
	p.until(`scrollY > 0`)
	p.sees(`[data-verdict-of="approve"]`, "Approve")
}

// A row of the inbox is as high as two lines, so that many are seen at once.
func TestE2E_InboxRowsAreLow(t *testing.T) {
	s := newStage(t)
	s.furnish()
	for _, r := range reviewRequests(t) {
		s.asks(r.Request)
	}
	p := s.signsIn("reviewer", wide())
	p.open("/confirms")
	var high []string
	p.eval(`[...document.querySelectorAll(".inbox-row")].filter(row => row.getBoundingClientRect().height > 76).map(row => row.innerText)`, &high)
	if len(high) > 0 {
		t.Errorf("higher than 76 pixels: %q", high)
	}
	if rows := p.count(".inbox-row"); rows < 20 {
		t.Errorf("%d rows", rows)
	}
	p = s.signsIn("reviewer", narrow())
	p.open("/confirms")
	p.waitFor(".notices")
	if p.is(`[...document.querySelectorAll(".notices")].some(e => e.getBoundingClientRect().right > 390) || document.documentElement.scrollWidth > 390`) {
		t.Error("on a telephone it is wider than the screen")
	}
}
