package domain_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/mplp"
)

const quarter = 90 * 24 * time.Hour

func (w *world) hasContent(c *domain.Confirm) bool {
	w.t.Helper()
	detail, err := w.Confirm(w.ctx, domain.System, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return detail.Stored != nil
}

// Prune forgets nothing for what a row says of when and how it ended: the log must
// prove it.
func TestN5_PruneBelievesTheLogAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change   string // of the confirm c, which the row of the confirm old stands beside
		pending  bool
		unproven bool
	}{
		"pending, said to be cancelled":           {"status = 'cancelled', cause = 'cancelled', decided_at = $then", true, true},
		"pending, said to be decided by another":  {"status = 'approved', decided_at = $then, decided_seq = (SELECT decided_seq FROM confirms WHERE confirm_id = 'old')", true, true},
		"pending, said to be decided by its post": {"status = 'approved', decided_at = $then, decided_seq = requested_seq", true, true},
		"pending, said to be an import":           {"status = 'approved', imported = 1, received_at = $then", true, true},
		"decided now, said to be long ago":        {"decided_at = $then", false, true},
		"decided now, said to be an import":       {"imported = 1, decided_at = $then", false, true},
		"decided now, of another plan":            {"plan_id = 'none', decided_at = $then", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			old := w.post(agent, strings.Replace(toolCall, "{", `{"confirm_id":"old",`, 1))
			w.mustDecide(reviewer, old, domain.Approved)
			then := w.now()
			w.pass(100 * 24 * time.Hour)
			c := w.post(agent, strings.Replace(toolCall, "{", `{"confirm_id":"c",`, 1))
			if !tt.pending {
				w.mustDecide(reviewer, c, domain.Approved)
			}
			w.sql("CREATE TABLE kept AS SELECT * FROM confirms WHERE confirm_id = 'c'")
			w.sql("UPDATE confirms SET " + strings.ReplaceAll(tt.change, "$then", fmt.Sprint(then.UnixMicro())) + " WHERE confirm_id = 'c'")
			n, err := w.Prune(w.ctx, quarter)
			if want := map[bool]domain.Code{true: domain.CodeEvidenceUnavailable}[tt.unproven]; n != 1 || domain.ErrorCode(err) != want {
				t.Errorf("forgot %d, %v", n, err)
			}
			if w.hasContent(old) {
				t.Error("what was decided long ago is still there")
			}
			var columns []string
			for _, column := range strings.Split(tt.change, ", ") {
				column, _, _ = strings.Cut(column, " =")
				columns = append(columns, fmt.Sprintf("%[1]s = (SELECT %[1]s FROM kept)", column))
			}
			w.sql("UPDATE confirms SET "+strings.Join(columns, ", ")+" WHERE confirm_id = 'c'", "DROP TABLE kept")
			if !w.hasContent(c) {
				t.Error("what was not decided long ago was forgotten")
			}
			w.close()
			wantVerified(t, "put back", verify(t, w.file, ""))
		})
	}
}

// The entry says what a verifier needs to hold it to the decision's time, of
// imports too.
func TestN5_PruneSaysByWhatItWasAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("worker", "architect", "executor", w.role("asker", "confirm.request")), w.user("reviewer", "reviewer")
	decided := w.post(agent, toolCall)
	w.mustDecide(reviewer, decided, domain.Rejected)
	imported := w.post(agent, `{"target_type":"other","reason":"old","status":"approved"}`)
	w.pass(quarter)
	if n, err := w.Prune(w.ctx, quarter); n != 0 || err != nil { // not longer ago than that
		t.Errorf("forgot %d, %v", n, err)
	}
	w.pass(time.Second)
	if n, err := w.Prune(w.ctx, quarter); n != 2 || err != nil {
		t.Fatalf("forgot %d, %v", n, err)
	}
	entry := func(c *domain.Confirm, kind string) (seq int64, at time.Time, facts map[string]int64) {
		list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{ConfirmID: c.ID, Type: kind})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d entries %s: %v", len(list), kind, err)
		}
		_ = json.Unmarshal(list[0].Data, &facts)
		return list[0].Seq, list[0].At, facts
	}
	for kind, c := range map[string]*domain.Confirm{"confirm.rejected": decided, "confirm.imported": imported} {
		seq, at, _ := entry(c, kind)
		_, pruned, facts := entry(c, "content.pruned")
		age := time.Duration(facts["older_than_seconds"]) * time.Second
		if facts["decided_seq"] != seq || age != quarter || pruned.Sub(at) < age {
			t.Errorf("%s at %v is entry %d; pruned at %v: %v", kind, at, seq, pruned, facts)
		}
	}
}

// After prune the file has none of what an agent wrote into a request, and none of
// what was written into its decision, but ids.
func TestB8_PruneLeavesNothingOfWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "reviewer", MayDecide: true})
	n := 0
	mark := func() string {
		n++
		return fmt.Sprintf("canary%03d", n)
	}
	marked := func(text string) string { // each @ is another canary
		return regexp.MustCompile("@").ReplaceAllStringFunc(text, func(string) string { return mark() })
	}
	full := func(more string) *domain.Confirm {
		return w.post(agent, marked(`{`+more+`"target_type":"other","reason":"@ @","requested_by_role":"@","requested_at":"2025-01-02T03:04:05Z",
			"meta":{"note":"@"},"governance":{"note":"@"},"events":[{"event_id":"1f0c3e9a-8e1b-4a47-9f4e-0a6b1c2d3e4f","event_type":"@","source":"@","timestamp":"2025-01-02T03:04:05Z","data":{"a":"@"}}],
			"trace":{"trace_id":"t","span_id":"s","attributes":{"note":"@"}},
			"actions":[{"name":"@","args":{"@":"@"},"tool_use_id":"@","description":"@"},{"name":"second","args":{"a":"@"}}],
			"review_configs":[{"description":"@"},{"description":"@"}]}`))
	}
	decide := func(by domain.Ref, c *domain.Confirm, in domain.DecisionInput) {
		t.Helper()
		in.ContentHash = c.ContentHash
		if _, err := w.Decide(w.ctx, by, c.ID, in); err != nil {
			t.Fatal(err)
		}
	}

	c := full("")
	var first struct{ Actions []struct{ Name string } }
	if err := json.Unmarshal(w.native(c), &first); err != nil {
		t.Fatal(err)
	}
	decide(decider, c, domain.DecisionInput{Reason: mark(), UserEditContent: mark(), Actions: []mplp.ActionDecision{
		{Type: "edit", Name: first.Actions[0].Name, Args: []byte(`{"to":"` + mark() + `"}`), Message: mark()},
		{Type: "approve", Message: mark()},
	}})
	if _, err := w.CancelConfirm(w.ctx, agent, full("").ID, mark()); err != nil {
		t.Fatal(err)
	}
	decide(reviewer, full(""), domain.DecisionInput{Status: domain.Rejected, Reason: mark(), Intent: domain.IntentRequestChanges,
		Findings: []domain.ShownFinding{{Kind: "sum", Level: "look", Pointer: "/" + mark()}}})
	full(`"status":"approved","decisions":[{"decision_id":"d","status":"approved","decided_by_role":"` + mark() + `","decided_at":"2025-01-01T00:00:00Z","reason":"` + mark() + `"}],`)
	in, err := mplp.ParseApproval([]byte(marked(`{"type":"approval_request","session_id":"s","reason":"@","requested_by_role":"@","actions":[{"name":"@","args":{"a":"@"}}]}`)), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	approval, err := w.PostApproval(w.ctx, agent, in)
	if err != nil {
		t.Fatal(err)
	}
	decide(reviewer, approval.Confirm, domain.DecisionInput{Status: domain.Approved, Reason: mark()})

	plan := w.plan(agent, "draft")
	proposed, err := w.ProposePlan(w.ctx, agent, plan, domain.ProposeInput{Reason: mark(), RequestedByRole: mark()})
	if err != nil {
		t.Fatal(err)
	}
	decide(reviewer, proposed, domain.DecisionInput{Status: domain.Rejected, Reason: mark()})
	stopped := w.running(agent, reviewer, "stopped")
	w.mustStep(agent, stopped, "s1", domain.StepInProgress)
	decide(reviewer, w.post(agent, marked(`{"target_type":"plan","target_id":"stopped","step_id":"s2","reason":"@"}`)), domain.DecisionInput{Status: domain.Rejected, Reason: mark()})
	due := w.post(agent, marked(`{"target_type":"other","reason":"@","requested_by_role":"@","timeout":60,"actions":[{"name":"@","args":{}}]}`))
	w.pass(time.Minute)
	w.outcome(due.ID)

	entries, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries { // nobody prunes the log
		text := string(e.Marshal())
		for _, written := range []string{"canary", "Fix the login", "Analyze"} {
			if strings.Contains(text, written) {
				t.Errorf("the log has %s: %s", written, text)
			}
		}
	}
	w.pass(quarter)
	if _, err := w.Prune(w.ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	w.close()
	wantVerified(t, "pruned", verify(t, w.file, ""))
	data, err := os.ReadFile(w.file)
	if err != nil {
		t.Fatal(err)
	}
	if left := regexp.MustCompile(`(?i).{0,60}canary\d*.{0,20}`).FindAllString(string(data), -1); len(left) > 0 {
		t.Errorf("%d of %d are still in the file: %q", len(left), n, left)
	}
	if n < 60 {
		t.Errorf("only %d were written", n)
	}
}

// native is a confirm as the JSON interface gives it.
func (w *world) native(c *domain.Confirm) []byte {
	w.t.Helper()
	o, err := w.ConfirmJSON(w.ctx, domain.System, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return o.Native
}
