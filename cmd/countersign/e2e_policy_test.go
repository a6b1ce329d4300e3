package main

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// An administrator who knows no CEL says who must approve large payments, sees what that
// would have meant, and reads it in one sentence, with the script and without it.
func TestE2E_PolicyFromTheForm(t *testing.T) {
	for name, setup := range map[string]func(*page){
		"with the script": func(*page) {},
		"without it":      func(p *page) { p.do(emulation.SetScriptExecutionDisabled(true)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			for _, role := range []string{"finance", "security"} {
				invoke(t, "role", "set", role, "--capability", "confirm.approve", "--db", s.db)
				addUser(t, s.db, role+"-head", role)
			}
			wire := func(args object) string {
				return s.asksFor("An invoice", object{"name": "wire_transfer", "args": args}).ConfirmID
			}
			small, large, unsaid := wire(object{"amount": 50}), wire(object{"amount": 50_000}), wire(object{"sum": 50})
			p := s.signsIn("admin")
			setup(p)
			p.provokes(http.StatusUnprocessableEntity)
			p.open("/policies")
			p.submit(".page-head a", "New policy")
			p.fill("#name", "Payments over 10,000")
			p.fill("#tools", "wire_*")
			p.fill("#member_0", "args.amount")
			p.chooses("#is_0", "over")
			p.fill("#value_0", "ten thousand")
			p.submit("fieldset button", "Add a line")
			p.waitFor("#member_2")
			p.chooses("#effect", "Reject at once")
			p.waitGone("#quorum_role_0") // nobody is asked
			p.chooses("#effect", "People must approve")
			p.chooses("#quorum_role_0", "finance")
			p.chooses("#quorum_role_1", "security")
			p.submit(".button", "Try it")
			p.sees("#value_0-error", "Must be a number, such as 10000")
			p.fill("#value_0", "10000")
			p.submit(".button", "Try it")
			sentence := "For calls of wire_* with amount over 10,000, one person of finance and one of security must approve."
			p.sees("[aria-labelledby=trial] .lead", sentence)
			p.sees("[aria-labelledby=trial] .points", "It matches 2 of the last 3 requests; 1 because")
			p.sees("[aria-labelledby=trial] .points", "1 of finance, 1 of security")
			for id, want := range map[string]int{small: 0, large: 1, unsaid: 1} {
				if n := p.count(`[aria-labelledby=trial] a[href="/confirms/` + id + `"]`); n != want {
					t.Errorf("%s is listed %d times, want %d", id, n, want)
				}
			}
			p.submit(".button", "Save")
			p.sees(".confirm-head .lead", sentence)
			p.sees("h1", "Payments over 10,000")
			held := wire(object{"amount": 20_000})
			p.open("/policies")
			p.sees(".list", sentence)
			var told struct{ Requires struct{ Quorum []object } }
			if s.calls(http.MethodGet, "/api/v1/confirms/"+held+"/outcome", nil, &told); len(told.Requires.Quorum) != 2 {
				t.Errorf("the agent is told %+v", told)
			}
		})
	}
}

// triesPolicy tries a policy that nobody can meet, written by hand.
func (p *page) triesPolicy() {
	p.t.Helper()
	p.open("/policies/new")
	p.fill("#name", "Large orders")
	p.fill("#member_0", "args.quantity")
	p.chooses("#is_0", "over")
	p.fill("#value_0", "10")
	p.chooses("#quorum_role_0", "human_user")
	p.submit(".button", "Write it in CEL")
	p.fill("#condition", p.value("#condition")+" || has(args.symbol)")
	p.submit(".button", "Try it")
	p.waitFor("[aria-labelledby=trial]")
}

// chooses selects what an option says. Its list opens outside of the page.
func (p *page) chooses(selector, words string) {
	p.t.Helper()
	p.waitFor(selector)
	p.until(`(e => [...e.options].some(o => o.label === ` + quote(words) + ` && (o.selected = true)))(` + query(selector) + `)`)
}
