package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// recorder notes the notifications that a page makes, what it sets the app's badge to,
// and when it asks what waits.
const recorder = `window.notes = [], window.badges = [], window.looks = [];
window.Notification = class extends Notification { constructor(words, options) { super(words, options); notes.push(this); } };
navigator.setAppBadge = async n => { badges.push(n); };
navigator.clearAppBadge = async () => { badges.push(0); };
document.addEventListener("htmx:before:request", e => { if (e.detail.ctx.sourceElement.id === "pending-count") looks.push(performance.now()); });`

// recorded notes what the window does from its next page on, and lets it be hidden.
func recorded() []chromedp.Action {
	return []chromedp.Action{
		emulation.SetFocusEmulationEnabled(false),
		chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := cdppage.AddScriptToEvaluateOnNewDocument(recorder).Do(ctx)
			return err
		}),
	}
}

// profile gives the browser, and the profile of the window in it.
func (p *page) profile() (context.Context, cdp.BrowserContextID) {
	p.t.Helper()
	c := chromedp.FromContext(p.ctx)
	executor := cdp.WithExecutor(p.ctx, c.Browser)
	info, err := target.GetTargetInfo().WithTargetID(c.Target.TargetID).Do(executor)
	if err != nil {
		p.t.Fatal(err)
	}
	return executor, info.BrowserContextID
}

// beside opens a tab in the same window, in front of the others.
func (p *page) beside(path string) *page {
	p.t.Helper()
	executor, profile := p.profile()
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(profile).Do(executor)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, leave := chromedp.NewContext(p.ctx, chromedp.WithTargetID(id))
	p.t.Cleanup(leave)
	tab := &page{t: p.t, ctx: ctx, base: p.base, console: listen(ctx)}
	tab.do(recorded()...)
	p.t.Cleanup(func() { tab.check(p.t) })
	if path != "" {
		tab.open(path)
	}
	return tab
}

// front brings the tab before the others of its window.
func (p *page) front() {
	p.t.Helper()
	executor, _ := p.profile()
	if err := target.ActivateTarget(chromedp.FromContext(p.ctx).Target.TargetID).Do(executor); err != nil {
		p.t.Fatal(err)
	}
	p.until(`!document.hidden`)
}

// allows lets the window show notifications.
func (p *page) allows() {
	p.t.Helper()
	executor, profile := p.profile()
	if err := cdpbrowser.GrantPermissions([]cdpbrowser.PermissionType{cdpbrowser.PermissionTypeNotifications}).WithOrigin(p.base).WithBrowserContextID(profile).Do(executor); err != nil {
		p.t.Fatal(err)
	}
}

// titled waits for the title of the page.
func (p *page) titled(title string) {
	p.t.Helper()
	p.until(`document.title === ` + quote(title+" · Countersign"))
}

// notes are the words of the notifications that the page has made.
func (p *page) notes() (words []string) {
	p.t.Helper()
	p.eval(`notes.map(n => n.title)`, &words)
	return words
}

// The title and the badge are right on every page, in view or not, and no request that
// another has to decide is counted.
func TestE2E_TitleAndBadgeOfHiddenTabs(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("admin", recorded()...)
	p.open("/evidence")
	p.live()
	p.titled("Evidence")
	first := s.asksFor("The limit is 100", trade())
	p.titled("(1) Evidence")
	p.until(`badges.at(-1) === 1`)

	users, account := p.beside("/users"), p.beside("/account")
	front := p.beside("")
	for _, hidden := range []*page{p, users, account} {
		hidden.until(`document.hidden`)
	}
	s.asks(object{"target_type": "other", "required_role": "reviewer", "actions": []object{trade()}})
	second := s.asksFor("Another", trade())
	p.titled("(2) Evidence")
	users.titled("(2) Users")
	account.titled("(2) Your account")

	// While things happen all the time each tab asks about once a second.
	for _, hidden := range []*page{p, users} {
		hidden.eval(`looks = [performance.now()]`, nil)
	}
	ten := time.NewTicker(100 * time.Millisecond)
	defer ten.Stop()
	posted := 0
	for enough, late := false, time.Now().Add(patience); !enough && time.Now().Before(late); {
		for range 10 {
			<-ten.C
			s.asksFor("One of many", trade())
			posted++
		}
		enough = true
		for _, hidden := range []*page{p, users} {
			enough = enough && hidden.is(`looks.length > 4`)
		}
	}
	for _, hidden := range []*page{p, users} {
		var looks []float64
		hidden.eval(`looks`, &looks)
		if len(looks) < 5 {
			t.Errorf("%d looks while %d requests came", len(looks)-1, posted)
		}
		for i := 2; i < len(looks); i++ {
			if gap := looks[i] - looks[i-1]; gap < 990 {
				t.Errorf("look %d comes %.0f ms after the one before", i, gap)
			}
		}
	}
	p.titled(fmt.Sprintf("(%d) Evidence", posted+2))
	users.titled(fmt.Sprintf("(%d) Users", posted+2))
	streams := 0
	for _, hidden := range []*page{p, users, account} {
		streams += hidden.count("#live-hidden")
	}
	if streams != 1 {
		t.Errorf("the hidden tabs hold %d streams", streams)
	}
	p.front() // it led the others, or does not count among them any more
	p.until(`!document.querySelector("#live-hidden")`)
	s.asksFor("One more", trade())
	users.titled(fmt.Sprintf("(%d) Users", posted+3))
	front.front()

	front.open("/confirms/" + first.ConfirmID)
	front.click(`[data-verdict="approve"]`)
	front.waitFor(".receipt")
	s.calls(http.MethodPost, "/api/v1/confirms/"+second.ConfirmID+"/cancel", object{}, nil)
	users.titled(fmt.Sprintf("(%d) Users", posted+1))
	for _, hidden := range []*page{p, users, account} {
		hidden.provokes(http.StatusUnauthorized)
	}
	front.click(".who button")
	for _, tab := range []*page{front, p, users, account} {
		tab.waitPath("/login")
		tab.titled("Sign in")
		tab.until(`badges.at(-1) === 0`)
	}
}

// Who chose it is notified once of a burst, by one tab, with no agent's words, and
// again after a minute.
func TestE2E_Notification(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("reviewer", recorded()...)
	p.allows()
	p.open("/account")
	p.live()
	p.sees("#notify [role=status]", "Off")
	p.click("#notify button", "Notify me in this browser")
	p.sees("#notify [role=status]", "On")
	plans := p.beside("/plans")
	front := p.beside("")
	hidden := []*page{p, plans}
	notified := func() (words []string) {
		t.Helper()
		for _, tab := range hidden {
			tab.until(`document.hidden`)
			words = append(words, tab.notes()...)
		}
		return words
	}
	const all = `notes.length`
	first := s.asksFor("ignore me and click", trade())
	for _, tab := range hidden {
		tab.until(`document.title.startsWith("(1) ")`)
	}
	p.until(all + ` === 1`)
	if got := notified(); len(got) != 1 || got[0] != "1 request waits for you" {
		t.Errorf("notified of %q", got)
	}

	// More within the minute, and one that is decided: nothing is said yet.
	s.asksFor("Second", trade())
	s.asksFor("Third", trade())
	s.calls(http.MethodPost, "/api/v1/confirms/"+first.ConfirmID+"/cancel", object{}, nil)
	for _, tab := range hidden {
		tab.until(`document.title.startsWith("(2) ")`)
	}
	if got := notified(); len(got) != 1 {
		t.Errorf("within the minute notified of %q", got)
	}
	// The minute is nearly over: what came in between is told then.
	p.eval(`(key => localStorage.setItem(key, JSON.stringify({...JSON.parse(localStorage.getItem(key)), at: Date.now() - 59000})))(Object.keys(localStorage)[0])`, nil)
	s.asks(object{"target_type": "other", "required_role": "admin", "actions": []object{trade()}}) // another's
	p.until(all + ` === 2`)
	if got := notified(); len(got) != 2 || got[1] != "2 requests wait for you" {
		t.Errorf("after the minute notified of %q", got)
	}
	p.eval(`notes[1].onclick(new Event("click"))`, nil)
	p.waitPath("/confirms")

	// A page in view is enough: it notifies nobody, and neither do the others.
	front.open("/account")
	front.live()
	front.eval(`(key => localStorage.setItem(key, JSON.stringify({...JSON.parse(localStorage.getItem(key)), at: 0})))(Object.keys(localStorage)[0])`, nil)
	s.asksFor("Fourth", trade())
	front.titled("(3) Your account")
	plans.titled("(3) Plans")
	if got := append(notified(), front.notes()...); len(got) != 0 {
		t.Errorf("a page is in view, and notified of %q", got)
	}
}

// The account says what is so, and the choice is one person's.
func TestE2E_NotificationChoice(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("reviewer", recorded()...)
	p.allows()
	p.open("/account")
	p.click("#notify button")
	p.sees("#notify [role=status]", "On")
	p.click("#notify button", "Turn off notifications")
	p.sees("#notify [role=status]", "Off")
	p.click("#notify button", "Notify me in this browser")
	p.sees("#notify [role=status]", "On")
	p.submit(".who button")
	p.signIn("second", password)
	p.open("/account")
	p.sees("#notify [role=status]", "Off")

	for name, script := range map[string]string{
		"Blocked":  `Object.defineProperty(Notification, "permission", {value: "denied"})`,
		"does not": `window.Notification = class { static permission = "default"; constructor() { throw new TypeError("Illegal constructor"); } }`,
	} {
		tab := p.beside("")
		tab.do(chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := cdppage.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
			return err
		}))
		tab.open("/account")
		tab.sees("#notify [role=status]", name)
		tab.until(`document.querySelector("#notify button").disabled`)
	}
}
