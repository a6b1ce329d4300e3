package domain_test

import (
	"os"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/store"
)

// history gives the database a row in every table that the log covers: plans
// and steps, approvals, an edit, a timeout, a content that was forgotten, and
// two keys that have signed. after is told when something more is in it.
func (w *world) history(after func()) {
	w.t.Helper()
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.role("auditor", "trace.read")
	w.destination("pager")
	w.keyFor(domain.KeyInput{Name: "tools", Roles: []string{"auditor"}, Owner: "reviewer", Lifetime: time.Hour})
	after()
	w.mustDecide(reviewer, w.post(agent, toolCall), domain.Approved)
	w.pass(24 * time.Hour)
	if n, err := w.Prune(w.ctx, time.Hour); err != nil || n != 1 {
		w.t.Fatalf("prune: %d, %v", n, err)
	}
	after()
	w.running(agent, reviewer, "p")
	w.mustStep(agent, "p", "s1", domain.StepInProgress, domain.StepCompleted)
	if _, err := w.RotateKey(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	after()
	c := w.post(agent, `{"confirm_id":"c-1","target_type":"other","plan_id":"p","step_id":"s2","trace":{"trace_id":"t-1","span_id":"sp"},
		"actions":[{"name":"pay","args":{"eur":100},"tool_use_id":"tu-1"},{"name":"tell","args":{"to":"all"}}],"session_id":"s-1"}`)
	_, err := w.Decide(w.ctx, reviewer, "c-1", domain.DecisionInput{ContentHash: c.ContentHash, UserEditContent: "less", Actions: []mplp.ActionDecision{
		{Type: "edit", Name: "pay", Args: []byte(`{"eur":50}`)}, {Type: "approve", Message: "fine"},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	used := int64(0)
	if _, err := w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: "c-1", ExecutionID: "e", Action: &used, StepID: "s2",
		ArgsHash: evidence.ArgsHash([]byte(`{"eur":50}`))}); err != nil {
		w.t.Fatal(err)
	}
	after()
	in, err := mplp.ParseTraceObject([]byte(`{"trace_id":"t-2","context_id":"ctx-p"}`), w.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.CreateTrace(w.ctx, agent, in); err != nil {
		w.t.Fatal(err)
	}
	w.post(agent, toolCall)
	w.pass(time.Hour)
	w.policy(`{"v":1,"name":"Trades","effect":"require","match":{"tools":["execute_trade"]},"quorum":[{"role":"reviewer","approvals":2}],
		"escalate":[{"after":60,"role":"auditor","for":"reviewer"}]}`)
	w.mustDecide(reviewer, w.post(agent, toolCall), domain.Approved)
	w.post(agent, twoCalls)
	if err := w.RevokeKey(w.ctx, domain.System, "tools"); err != nil {
		w.t.Fatal(err)
	}
	after()
}

// close ends the use of the database, so that its files are all there is.
func (w *world) close() {
	w.t.Helper()
	w.feed.Close()
	if err := w.db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// verify verifies a database as the command does.
func verify(t testing.TB, file, vkey string) *evidence.Report {
	t.Helper()
	return verifyAt(t, file, file, vkey)
}

// verifyAt verifies a database whose key and head are in files of another name.
func verifyAt(t testing.TB, name, file, vkey string) *evidence.Report {
	t.Helper()
	head, err := os.ReadFile(file + ".head")
	if err != nil {
		t.Fatal(err)
	}
	if vkey == "" {
		if vkey, err = store.VKey(file + ".key"); err != nil {
			t.Fatal(err)
		}
	}
	a := evidence.NewAudit()
	signed, err := store.Audit(t.Context(), name, a)
	if err != nil {
		t.Fatal(err)
	}
	report := a.Finish(signed, vkey)
	a.CheckKeptCheckpoint("head file", string(head), vkey, true)
	return report
}

func wantVerified(t testing.TB, what string, r *evidence.Report) {
	t.Helper()
	if !r.IsVerified() || r.Entries == 0 {
		t.Errorf("%s: not verified: %+v", what, r)
	}
}

func copyFiles(t testing.TB, to, from string, suffixes ...string) {
	t.Helper()
	for _, suffix := range suffixes {
		data, err := os.ReadFile(from + suffix)
		if err == nil {
			err = os.WriteFile(to+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
