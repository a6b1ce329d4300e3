package domain_test

import (
	"database/sql"
	"fmt"
	"testing"

	"countersign/domain"
)

// The gate answers RESUME from proof: whatever of an approval's record is
// changed in the database, it blocks.
func TestGate_BlocksWhatTheLogDoesNotProve(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"the entry":            "UPDATE log SET entry = CAST(replace(entry, '\"human\"', '\"agent\"') AS BLOB) WHERE seq = (SELECT decided_seq FROM confirms WHERE confirm_id = 'c')",
		"the entry is gone":    "DELETE FROM log WHERE seq = (SELECT decided_seq FROM confirms WHERE confirm_id = 'c')",
		"a hash of the tree":   "UPDATE log SET hash = zeroblob(32)",
		"a hash is none":       "UPDATE log SET hash = x''",
		"the checkpoint":       "UPDATE log_head SET checkpoint = replace(checkpoint, 'countersign', 'counterfeit')",
		"no checkpoint":        "DELETE FROM log_head",
		"the content":          "UPDATE confirm_contents SET content = CAST(replace(content, '100', '999') AS BLOB)",
		"the salt":             "UPDATE confirm_contents SET salt = zeroblob(32)",
		"the content is gone":  "DELETE FROM confirm_contents",
		"another decision":     "UPDATE decisions SET actions = replace(actions, 'approve', 'edit')",
		"another entry's":      "UPDATE decisions SET seq = seq - 1",
		"a rejection approved": "UPDATE decisions SET seq = (SELECT decided_seq FROM confirms WHERE confirm_id = 'no'); UPDATE confirms SET status = 'approved' WHERE confirm_id = 'no'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			w.running(agent, reviewer, "p")
			for id, status := range map[string]domain.Status{"no": domain.Rejected, "c": domain.Approved} {
				step := map[string]string{"no": "s3", "c": "s2"}[id]
				w.mustDecide(reviewer, w.post(agent, `{"confirm_id":"`+id+`","target_type":"other","plan_id":"p","step_id":"`+step+`","actions":[{"name":"pay","args":{"eur":100}}]}`), status)
			}
			if got := w.gate(agent, "p", "s2"); got != "RESUME approved" {
				t.Fatalf("before: %s", got)
			}
			w.sql("DROP TRIGGER log_no_update", "DROP TRIGGER log_no_delete", "DROP TRIGGER log_hashes_no_update", "DROP TRIGGER log_hashes_no_delete",
				"DROP TRIGGER confirm_contents_fixed", "DROP TRIGGER decisions_fixed", change)
			for _, step := range []string{"s2", "s3"} {
				v, err := w.Gate(w.ctx, agent, domain.GateQuery{PlanID: "p", StepID: step})
				if err == nil && v.Allows() {
					t.Errorf("the gate resumes %s: %+v", step, v)
				}
			}
			if proof, err := w.Prove(w.ctx, reviewer, "c"); err == nil && proof.Proven && name != "a rejection approved" { // that is of another confirm
				t.Errorf("the page says that it is proven: %+v", proof)
			}
		})
	}
}

// sql changes the database behind the server's back.
func (w *world) sql(texts ...string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := db.Exec(text); err != nil {
			w.t.Fatalf("%s: %v", text, err)
		}
	}
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// The last word on a step is the latest confirm that speaks for it. A row that
// is lost, or says that it is about something else, gives nobody before it the
// word.
func TestGate_MissesNoConfirmOfTheLog(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"it is gone":        "DELETE FROM confirms WHERE confirm_id LIKE 'no-%'",
		"of another step":   "UPDATE confirms SET step_id = 's4' WHERE confirm_id LIKE 'no-%'",
		"of another plan":   "UPDATE confirms SET plan_id = NULL WHERE confirm_id LIKE 'no-%'",
		"of no step":        "UPDATE confirms SET step_id = NULL WHERE confirm_id LIKE 'no-%'",
		"bound to nothing":  "UPDATE confirms SET binding = NULL WHERE confirm_id LIKE 'no-%'",
		"of the whole plan": "UPDATE confirms SET binding = 'plan' WHERE confirm_id LIKE 'no-%'",
		"an import":         "UPDATE confirms SET imported = 1 WHERE confirm_id LIKE 'no-%'",
		"older":             "UPDATE confirms SET requested_seq = -requested_seq WHERE confirm_id LIKE 'no-%'",
	} {
		for crowd, others := range map[string]int{"alone": 0, "among many": 20} {
			t.Run(name+", "+crowd, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
				w.running(agent, reviewer, "p")
				ask := func(id, step string, status domain.Status) {
					w.mustDecide(reviewer, w.post(agent, `{"confirm_id":"`+id+`","target_type":"plan","target_id":"p","step_id":"`+step+`","on_reject":"recover"}`), status)
				}
				resumes := func() { // what it has read of the log, it may remember
					t.Helper()
					if got := w.gate(agent, "p", "s1"); got != "RESUME approved" {
						t.Fatalf("s1: %s", got)
					}
				}
				for i := range others {
					ask(fmt.Sprint("other-", i), "s1", domain.Approved)
				}
				resumes()
				ask("yes", "s2", domain.Approved)
				ask("no-2", "s2", domain.Rejected)
				resumes()
				ask("no-3", "s3", domain.Rejected)
				for _, step := range []string{"s2", "s3"} {
					if got := w.gate(agent, "p", step); got != "BLOCK recover" {
						t.Fatalf("before: %s: %s", step, got)
					}
				}
				w.sql(change)
				for _, step := range []string{"s2", "s3"} {
					v, err := w.Gate(w.ctx, agent, domain.GateQuery{PlanID: "p", StepID: step})
					if err == nil && v.Allows() {
						t.Errorf("the gate resumes %s: %+v", step, v)
					}
				}
			})
		}
	}
}

// A log that was put back to an earlier state is refused by the process that has
// seen more of it, also where it only reads.
func TestN2_ShorterLogIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.running(agent, reviewer, "p")
	for i := range 20 {
		if i == 19 {
			w.sql("CREATE TABLE earlier AS SELECT size, checkpoint FROM log_head")
		}
		id := fmt.Sprint("c-", i)
		w.mustDecide(reviewer, w.post(agent, `{"confirm_id":"`+id+`","target_type":"plan","target_id":"p","step_id":"s1"}`), domain.Approved)
	}
	if got := w.gate(agent, "p", "s1"); got != "RESUME approved" {
		t.Fatalf("before: %s", got)
	}
	w.sql("UPDATE log_head SET (size, checkpoint) = (SELECT size, checkpoint FROM earlier)",
		"DROP TRIGGER log_no_delete", "DELETE FROM log WHERE confirm_id = 'c-19' OR seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c-19')",
		"DELETE FROM decisions WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c-19')", "DELETE FROM confirm_contents WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c-19')", "DELETE FROM confirms WHERE confirm_id = 'c-19'")
	if got := w.gate(agent, "p", "s1"); got != "BLOCK unproven" {
		t.Errorf("of a log without the last: %s", got)
	}
	if _, _, err := w.Confirms(w.ctx, reviewer, domain.ConfirmFilter{}, domain.Page{}); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
		t.Errorf("the list: %v", err)
	}
}
