package main

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

func TestE2E_EditWithDiff(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 50", object{"name": "execute_trade", "args": object{"symbol": "VNM", "quantity": 100}})
	answer := s.waits(asked.ConfirmID)
	p := s.signsIn("reviewer")
	p.provokes(http.StatusUnprocessableEntity)
	p.opensConfirm(asked.ConfirmID)
	p.click(".verdicts button", "Edit")
	p.waitFocus("#args_0")

	const broken = "{\"symbol\": \"VNM\",\n \"quantity\": 50,}"
	p.fill("#args_0", broken)
	p.click(".editor button")
	p.waitFor("#args_0-error")
	p.waitFocus("#args_0")
	if got := p.value("#args_0"); got != broken {
		t.Errorf("after a refusal the text is %q, want %q", got, broken)
	}

	// Numbers no float holds, an escape, a member twice as deep: all as written.
	p.fill("#args_0", "{\n  \"symbol\": \"VN\\u004d\",\n  \"quantity\": 50.10,\n  \"id\": 9007199254740993, \"far\": 1e400 }")
	p.fill("#reason", "Half of it")
	p.click(".editor button")
	p.sees("h1", "Approve with these arguments?")
	p.sees(".diff .removed", `"quantity": 100`)
	p.sees(".diff", `"far": 1e400`)
	if told := s.told(asked.ConfirmID); told.Status != string(domain.Pending) {
		t.Fatalf("before the edit is confirmed it is %s", told.Status)
	}

	p.click(`[data-verdict="approve"]`)
	p.sees(".receipt h2", "Approved")
	told := <-answer
	if told.Status != "approved" || told.Reason != "Half of it" || len(told.Decisions) != 1 || told.Decisions[0].Type != "edit" {
		t.Fatalf("the agent is told %+v", told)
	}
	want := `{"symbol":"VN\u004d","quantity":50.10,"id":9007199254740993,"far":1e400}`
	if diff := cmp.Diff(want, string(told.Decisions[0].EditedAction.Args)); diff != "" {
		t.Errorf("the arguments that may run (-want +got):\n%s", diff)
	}
	p.sees(".receipt", "Effective hash")
}

func TestE2E_EditThatChangesNothing(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 50", trade())
	p := s.signsIn("reviewer")
	p.provokes(http.StatusUnprocessableEntity)
	p.opensConfirm(asked.ConfirmID)
	p.click(".verdicts button", "Edit")
	p.click(".editor button")
	p.sees("#args_0-error", "changes nothing")

	p.fill("#args_0", `{"symbol":"VNM","quantity":1,"side":"buy"}`)
	p.click(`[data-verdict="approve"]`)
	p.sees("#args_0-error", "Choose Edit, or undo the change")
	if told := s.told(asked.ConfirmID); told.Status != string(domain.Pending) {
		t.Errorf("it is %s", told.Status)
	}
}

func TestE2E_TwoActionsWithDifferentAnswers(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("Clean up",
		object{"name": "delete_records", "args": object{"table": "sessions"}}, object{"name": "post_message", "args": object{"text": "Gone"}})
	answer := s.waits(asked.ConfirmID)
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)

	p.click(`label:has([name="action_1"][value="reject"])`)
	p.sees(`[data-tally="0"]`, "not decided")
	p.sees(`[data-tally="1"]`, "Reject")
	p.click(`[data-verdict="decide"]`) // the browser asks for the other choice
	p.waitFocus(`[name="action_0"]`)
	if told := s.told(asked.ConfirmID); told.Status != string(domain.Pending) {
		t.Fatalf("half decided it is %s", told.Status)
	}
	p.click(`label:has([name="action_0"][value="approve"])`)
	p.fill("#reason", "Not in public")
	p.click(`[data-verdict="decide"]`)
	p.sees(".receipt h2", "Rejected")
	p.sees(`[data-action="0"]`, "Approved")
	p.sees(`[data-action="1"]`, "Rejected")

	told := <-answer
	if told.Status != "rejected" || len(told.Decisions) != 2 || told.Decisions[0].Type != "approve" || told.Decisions[1].Type != "reject" {
		t.Errorf("the agent is told %+v", told)
	}
}

func TestE2E_OneOfTwoActionsIsEdited(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("Clean up",
		object{"name": "delete_records", "args": object{"table": "sessions"}}, object{"name": "post_message", "args": object{"text": "Gone"}})
	answer := s.waits(asked.ConfirmID)
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	p.click(`label:has([name="action_0"][value="approve"])`)
	p.click(`label:has([name="action_1"][value="edit"])`)
	p.waitFocus("#args_1")
	p.fill("#args_1", `{"text": "Old sessions are gone"}`)
	p.click(`[data-verdict="decide"]`)
	p.sees(".diff .added", "Old sessions are gone")
	p.click(`[data-verdict="approve"]`)
	p.sees(".receipt h2", "Approved")
	told := <-answer
	if told.Status != "approved" || len(told.Decisions) != 2 || told.Decisions[0].Type != "approve" ||
		string(told.Decisions[1].EditedAction.Args) != `{"text":"Old sessions are gone"}` {
		t.Errorf("the agent is told %+v", told)
	}
}
