package main

import (
	"net/http"
	"testing"
)

// A trace tells a plan's story on one time line, and goes on while it is open.
func TestE2E_Trace(t *testing.T) {
	s := newStage(t)
	var where, draft posted
	s.calls(http.MethodPost, "/api/v1/contexts", example("context"), &where)
	plan := example("plan")
	plan["context_id"], plan["trace"] = where.ContextID, object{"trace_id": "trace-story"}
	s.calls(http.MethodPost, "/api/v1/plans", plan, &draft)
	address := "/api/v1/plans/" + draft.PlanID
	var proposed posted
	s.calls(http.MethodPost, address+"/propose", object{}, &proposed)

	p := s.signsIn("reviewer")
	p.open("/plans/" + draft.PlanID)
	p.click(".facts a", "trace-story")
	p.waitPath("/traces/trace-story")
	if got := p.count(".timeline tbody tr"); got != 1 {
		t.Fatalf("%d lanes, want that of the confirm", got)
	}
	p.sees(".timeline tbody tr", "Pending")
	p.live()

	decides := s.signsIn("second")
	decides.opensConfirm(proposed.ConfirmID)
	decides.click(`[data-verdict="approve"]`)
	decides.sees(".receipt h2", "Approved")
	p.sees(".timeline tbody tr", "Approved") // by itself

	s.calls(http.MethodPost, address+"/start", object{}, nil)
	for _, status := range []string{"in_progress", "completed"} {
		s.calls(http.MethodPatch, address+"/steps/s1", object{"status": status}, nil)
	}
	p.sees(".timeline tbody tr:nth-child(2)", "Completed")
	p.sees("table.log", "step.started")
	if !p.is(`[...document.querySelectorAll(".lane-bar")].every(bar => bar.getBBox().width > 0)`) {
		t.Error("a bar of the time line has no width")
	}
}

func TestE2E_LogFilters(t *testing.T) {
	s := newStage(t)
	asked := s.asks(object{"target_type": "other", "reason": "Look", "actions": []object{trade()}})
	p := s.signsIn("reviewer")
	p.open("/log")
	p.sees("table.log", "role.created")
	p.fill(`input[name="confirm_id"]`, asked.ConfirmID)
	p.submit(".filter button", "Apply")
	p.sees("table.log", "confirm.requested")
	if got := p.count("table.log tbody tr"); got != 1 {
		t.Errorf("%d entries of one confirm, want 1", got)
	}
	if got := p.value(`input[name="confirm_id"]`); got != asked.ConfirmID {
		t.Errorf("the filter forgets the id: %q", got)
	}
	p.open("/log?family=pipeline_stage")
	if p.is(`[...document.querySelectorAll("table.log code")].some(c => c.textContent.startsWith("role."))`) {
		t.Error("roles are no pipeline stage")
	}
	p.sees("table.log", "confirm.requested")
	p.click("table.log a", asked.ConfirmID)
	p.waitPath("/confirms/" + asked.ConfirmID)
}
