package domain_test

import (
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

// tamperedVotes are changes of the votes on the request c, of which the vote of fay did not
// end it, and of what was required.
var tamperedVotes = map[string]string{
	"the vote's row is gone":           "DELETE FROM decisions WHERE " + voteOfC,
	"the vote's row is a rejection":    "UPDATE decisions SET status = 'rejected' WHERE " + voteOfC,
	"the vote's row has another user":  "UPDATE decisions SET decided_by = (SELECT 'user:' || user_id FROM users WHERE name = 'finn') WHERE " + voteOfC,
	"the vote's row has another role":  "UPDATE decisions SET role_id = 'ops' WHERE " + voteOfC,
	"the vote's row has another hash":  "UPDATE decisions SET effective_hash = NULL WHERE " + voteOfC,
	"the vote's row has another time":  "UPDATE decisions SET decided_at = decided_at + 1 WHERE " + voteOfC,
	"the vote's row is a timeout":      "UPDATE decisions SET cause = 'timeout' WHERE " + voteOfC,
	"the vote's row names no entry":    "UPDATE decisions SET seq = -seq WHERE " + voteOfC,
	"the vote's row is another's":      "UPDATE decisions SET requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'd'), number = 7 WHERE " + voteOfC,
	"the vote's row comes later":       "UPDATE decisions SET number = 7 WHERE " + voteOfC,
	"the vote's row is there twice":    "INSERT INTO decisions SELECT requested_seq, 7, 'more', status, cause, decided_by, decided_by_name, decided_by_role, decided_at, reason, user_edit_content, intent, sent_hash, seq, actions, entry_seq, role_id, effective_hash FROM decisions WHERE " + voteOfC,
	"the vote's entry is gone":         "DELETE FROM log WHERE " + entryOfC,
	"the vote's entry is a rejection":  `UPDATE log SET entry = CAST(replace(entry, '"vote":"approved"', '"vote":"rejected"') AS BLOB) WHERE ` + entryOfC,
	"the vote's entry has no type":     "UPDATE log SET type = NULL WHERE " + entryOfC,
	"the vote's entry is of another":   "UPDATE log SET confirm_id = 'd' WHERE " + entryOfC,
	"the vote's entry is of no one":    "UPDATE log SET confirm_id = NULL WHERE " + entryOfC,
	"the vote's entry is another's":    "UPDATE log SET entry = (SELECT entry FROM log WHERE confirm_id = 'd' AND type = 'confirm.voted') WHERE " + entryOfC,
	"the request needs no quorum":      "UPDATE confirms SET quorum = NULL WHERE confirm_id = 'c'",
	"the request needs less":           "UPDATE confirms SET quorum = 1 WHERE confirm_id = 'c'",
	"the content requires less":        `UPDATE confirm_contents SET content = CAST(replace(content, '"approvals":1', '"approvals":0') AS BLOB)`,
	"the request's entry needs less":   `UPDATE log SET entry = CAST(replace(entry, '"approvals":1', '"approvals":0') AS BLOB) WHERE seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c')`,
	"no entries of votes can be found": "UPDATE log SET type = NULL WHERE type = 'confirm.voted'",
}

const (
	voteOfC  = "number = 0 AND requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c')"
	entryOfC = "confirm_id = 'c' AND type = 'confirm.voted'"
)

var withoutTriggers = []string{"DROP TRIGGER log_no_update", "DROP TRIGGER log_no_delete", "DROP TRIGGER confirm_contents_fixed", "DROP TRIGGER decisions_fixed"}

// stepWorld has two requests for steps of a plan, c and d, that Fay has approved.
func stepWorld(t *testing.T) (w *votingWorld, worker domain.Ref) {
	t.Helper()
	w = newVotingWorld(t, "")
	worker = w.worker()
	w.running(worker, w.user("reviewer", "reviewer"), "p")
	for id, step := range map[string]string{"c": "s2", "d": "s3"} {
		c := w.post(worker, `{"confirm_id":"`+id+`","target_type":"other","plan_id":"p","step_id":"`+step+`","actions":[{"name":"wire_transfer","args":{"amount":25000}}]}`)
		w.mustVote(w.fay, c, domain.Approved, "")
	}
	return w, worker
}

func (w *votingWorld) stored(id string) *domain.Confirm {
	w.t.Helper()
	return w.outcome(id).Confirm
}

// What was decided by votes runs only while the log proves each of them.
func TestGate_BlocksWhatVotesDoNotProve(t *testing.T) {
	t.Parallel()
	for name, change := range tamperedVotes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, worker := stepWorld(t)
			w.mustVote(w.sue, w.stored("c"), domain.Approved, "")
			if got := w.gate(worker, "p", "s2"); got != "RESUME approved" {
				t.Fatalf("before: %s", got)
			}
			w.sql(append(withoutTriggers[:len(withoutTriggers):len(withoutTriggers)], change)...)
			if v, err := w.Gate(w.ctx, worker, domain.GateQuery{PlanID: "p", StepID: "s2"}); err == nil && v.Allows() {
				t.Errorf("the gate resumes: %+v", v)
			}
			in := domain.ConsumeInput{ConfirmID: "c", ExecutionID: "e", Action: new(int64), ArgsHash: evidence.ArgsHash([]byte(`{"amount":25000}`))}
			if used, err := w.Consume(w.ctx, worker, in); err == nil {
				t.Errorf("it can be used: %+v", used)
			}
			if proof, err := w.Prove(w.ctx, w.sue, "c"); err == nil && proof.Proven {
				t.Errorf("the page says that it is proven: %+v", proof)
			}
		})
	}
}

// Nobody ends a voting whose votes the log does not prove.
func TestVote_NoneBesideTamperedOnes(t *testing.T) {
	t.Parallel()
	for name, change := range tamperedVotes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, worker := stepWorld(t)
			c := w.stored("c")
			w.sql(append(withoutTriggers[:len(withoutTriggers):len(withoutTriggers)], change)...)
			if o, err := w.vote(w.sue, c, domain.Approved, ""); err == nil {
				t.Errorf("it is %s: %s", o.Confirm.Status, counts(o))
			}
			if v, err := w.Gate(w.ctx, worker, domain.GateQuery{PlanID: "p", StepID: "s2"}); err == nil && v.Allows() {
				t.Errorf("the gate resumes: %+v", v)
			}
		})
	}
}
