package main

import (
	"net/http"
	"testing"
)

// loginPlan posts the example plan of five steps and returns its id.
func (s *stage) loginPlan() string {
	s.t.Helper()
	var where, draft posted
	s.calls(http.MethodPost, "/api/v1/contexts", example("context"), &where)
	plan := example("plan")
	plan["context_id"] = where.ContextID
	s.calls(http.MethodPost, "/api/v1/plans", plan, &draft)
	return draft.PlanID
}

// A plan that ends while somebody types why it should takes its form away, and
// leaves their words, also when the page looks anew after that.
func TestE2E_PlanEndsWhileACancellationIsTyped(t *testing.T) {
	s := newStage(t)
	id := s.loginPlan()
	p := s.signsIn("admin")
	p.open("/plans/" + id)
	p.live()
	p.click("summary", "Abandon draft…")
	p.fill("#cancel-reason", "Another way was found")
	s.calls(http.MethodPost, "/api/v1/plans/"+id+"/cancel", object{}, nil)
	p.sees(".kicker", "Cancelled")
	p.waitGone("#cancel-reason")
	p.sees("#unsent", "Another way was found")
	p.eval(`document.addEventListener("htmx:after:swap", () => { window.anew = true; }), document.querySelector("#plan").dispatchEvent(new CustomEvent("refresh"))`, nil)
	p.until(`window.anew`)
	p.sees("#unsent:not([hidden])", "Another way was found")
}

func TestE2E_Plan(t *testing.T) {
	s := newStage(t)
	id := s.loginPlan()
	p, reviewer := s.signsIn("admin"), s.signsIn("reviewer")
	p.open("/plans")
	p.click(".row-link")
	p.waitPath("/plans/" + id)
	p.sees(".kicker", "Draft")
	for selector, want := range map[string]int{".drawing svg a.step": 5, ".drawing svg .edge": 5, ".steps tbody tr": 5, ".gate-ring": 0} {
		if got := p.count(selector); got != want {
			t.Errorf("%d of %s, want %d", got, selector, want)
		}
	}
	if !p.is(`(box => box.scrollWidth <= box.clientWidth)(document.querySelector(".drawing-scroll"))`) {
		t.Error("the drawing does not fit beside what can be done")
	}
	p.click(".drawing a.step:last-of-type")
	p.sees(".steps tr:target", "s5")

	reviewer.open("/plans/" + id)
	if n := reviewer.count(`form[action$="/propose"]`); n != 0 {
		t.Error("a reviewer may not propose, and is offered it")
	}
	p.click("button", "Propose this plan")
	p.sees(".kicker", "Proposed")
	reviewer.live()
	reviewer.sees(".kicker", "Proposed") // by itself
	reviewer.click(".confirm-side .refs a")
	reviewer.waitFor("#confirm")
	reviewer.sees(".card .lead", "Fix Login Bug")
	if got := reviewer.count(".drawing svg a.step"); got != 5 {
		t.Errorf("the confirm draws %d steps", got)
	}
	reviewer.fill("#reason", "Back up first")
	reviewer.click(`[data-verdict="reject"]`)
	reviewer.sees(".receipt h2", "Rejected")
	p.sees(".kicker", "Draft")

	p.click("summary", "Abandon draft…")
	p.fill("#cancel-reason", "Another way was found")
	p.click(".danger-zone button")
	p.sees(".kicker", "Cancelled")
}

func TestE2E_GatedStep(t *testing.T) {
	s := newStage(t)
	id := s.loginPlan()
	asked := s.asks(object{"target_type": "plan", "target_id": id, "step_id": "s4", "reason": "The tests need a database"})
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	p.sees("#happens .lead", "Write unit tests for the fix")
	p.sees(".drawing a.step.gated .word", "Pending · gated")
	p.sees(".steps tr.gated", "s4")
	if got := p.count(".gate-ring, .steps tr.gated"); got != 2 {
		t.Errorf("%d marks of gated steps, want one in the drawing and one in the table", got)
	}
	p.open("/plans/" + id)
	p.sees(".steps tr.gated", "s4")
	p.click(".steps tr.gated .refs a")
	p.waitPath("/confirms/" + asked.ConfirmID)

	owner := s.signsIn("admin")
	owner.opensConfirm(asked.ConfirmID)
	owner.click("summary", "Cancel this request…")
	owner.fill("#cancel-reason", "Asked by mistake")
	owner.click(".danger-zone button")
	owner.sees(".receipt h2", "Cancelled")
	if told := s.told(asked.ConfirmID); told.Status != "cancelled" || told.Cause != "cancelled" {
		t.Errorf("the agent is told %+v", told)
	}
}
