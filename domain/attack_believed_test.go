package domain_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// again is the same database in another process, as after a restart.
func (w *world) again() *world {
	w.t.Helper()
	other := openWorld(w.t, w.file)
	other.pass(w.now().Sub(other.now()))
	return other
}

// wantBlocked asserts that the gate does not resume, and that no approval is used.
func (w *world) wantBlocked(what string, agent domain.Ref, plan, step string, in domain.ConsumeInput) {
	w.t.Helper()
	if v, err := w.Gate(w.ctx, agent, domain.GateQuery{PlanID: plan, StepID: step}); err == nil && v.Allows() {
		w.t.Errorf("%s: the gate resumes: %+v", what, v)
	}
	in.StepID, in.ExecutionID = step, "e"
	if _, err := w.Consume(w.ctx, agent, in); err == nil {
		w.t.Errorf("%s: the approval is used", what)
	}
}

// What runs is what was approved: the steps, not a column beside them.
func TestA3_ReplacedStepsDoNotRun(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]string{
		"the steps":          {"UPDATE plan_contents SET content = CAST(replace(content, 'Design', 'Destroy') AS BLOB)"},
		"the steps and hash": {"UPDATE plan_contents SET content = CAST(replace(content, 'Design', 'Destroy') AS BLOB)", "UPDATE plans SET hash = 'sha256:00'"},
		"the plan's hash":    {"UPDATE plans SET hash = (SELECT target_hash FROM confirms LIMIT 1) || '0'"},
		"the title":          {"UPDATE plans SET title = 'Harmless'"},
		"the plan's context": {"UPDATE plans SET context_id = 'none'"},
		"no steps":           {"DELETE FROM plan_contents"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			w.running(agent, reviewer, "p")
			detail, err := w.Plan(w.ctx, agent, "p")
			if err != nil {
				t.Fatal(err)
			}
			whole := detail.Confirms[0].ID
			if got := w.gate(agent, "p", "s2"); got != "RESUME approved" {
				t.Fatalf("before: %s", got)
			}
			i := openIntruder(t, w.file)
			i.while(func() {
				for _, w := range []*world{w, w.again()} {
					w.wantBlocked(name, agent, "p", "s2", domain.ConsumeInput{ConfirmID: whole})
					if o, err := w.PlanJSON(w.ctx, agent, "p"); err == nil {
						t.Errorf("the agent is told %s", o.Native)
					}
					if d, err := w.Plan(w.ctx, reviewer, "p"); err == nil {
						t.Errorf("the page shows %q %v", d.Plan.Title, d.Document.Steps)
					}
					if list, _, err := w.PlansJSON(w.ctx, agent, domain.PlanFilter{}, domain.Page{}); err == nil {
						t.Errorf("the list has %s", list)
					}
					if err := w.step(agent, "p", "s1", domain.StepInProgress); err == nil {
						t.Errorf("a step of it moves")
					}
				}
			}, change...)
			w.wantNothingDone(name)
		})
	}
}

// A rejection that was turned into an approval tells nobody to go on, and lets
// nothing run.
func TestA3_RejectionTurnedIntoAnApproval(t *testing.T) {
	t.Parallel()
	approved := []string{
		`UPDATE decisions SET status = 'approved', actions = replace(actions, '"reject"', '"approve"')`,
		"UPDATE confirms SET status = 'approved', effective_hash = content_hash",
	}
	for name, change := range map[string][]string{
		"both":           approved,
		"the decision":   approved[:1],
		"the confirm":    approved[1:],
		"of the timeout": {"UPDATE decisions SET cause = 'human', reason = 'fine'", "UPDATE confirms SET cause = 'human'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			c := w.post(agent, `{"confirm_id":"c","target_type":"other","session_id":"s","timeout":300,"actions":[{"name":"pay","args":{}}]}`)
			if strings.Contains(name, "timeout") {
				w.pass(time.Hour)
				w.outcome("c")
			} else {
				w.mustDecide(reviewer, c, domain.Rejected)
			}
			i := openIntruder(t, w.file)
			i.while(func() {
				for _, w := range []*world{w, w.again()} {
					_, err := w.Outcome(w.ctx, agent, "c", 0)
					w.wantUnproven("outcome", err)
					_, err = w.Approval(w.ctx, agent, "c", 0)
					w.wantUnproven("approval", err)
					_, err = w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: "c", ExecutionID: "e", Action: new(int64(0)), ArgsHash: evidence.ArgsHash([]byte("{}"))})
					w.wantUnproven("consume", err)
					_, err = w.ConfirmJSON(w.ctx, agent, "c")
					w.wantUnproven("object", err)
					_, err = w.Confirm(w.ctx, reviewer, "c")
					w.wantUnproven("page", err)
					if proof, err := w.Prove(w.ctx, reviewer, "c"); err == nil && proof.Proven {
						t.Error("the page says that it is proven")
					}
				}
			}, change...)
			w.wantNothingDone(name)
		})
	}
}

// Nobody is shown another content, or another plan, than what they sign.
func TestA4_WhatIsShownIsWhatIsSigned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		plan   bool
		change []string
	}{
		"the arguments":        {false, []string{`UPDATE confirm_contents SET content = CAST(replace(replace(content, 'attacker', 'landlord'), '1000000', '1') AS BLOB)`}},
		"the object":           {false, []string{`UPDATE confirm_contents SET native = CAST(replace(native, 'wire', 'read') AS BLOB)`}},
		"the tools of a list":  {false, []string{`UPDATE confirm_contents SET tools = '["read"]'`}},
		"the reason of a list": {false, []string{`UPDATE confirm_contents SET reason = 'Rent'`}},
		"the salt":             {false, []string{`UPDATE confirm_contents SET salt = zeroblob(32)`}},
		"another's content":    {false, []string{"UPDATE confirm_contents SET (content, salt, native, reason, tools) = (SELECT content, salt, native, reason, tools FROM confirm_contents WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'rent')) WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c')"}},
		"another's content and hash": {false, []string{"UPDATE confirm_contents SET (content, salt, native, reason, tools) = (SELECT content, salt, native, reason, tools FROM confirm_contents WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'rent')) WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c')",
			"UPDATE confirms SET content_hash = (SELECT content_hash FROM confirms WHERE confirm_id = 'rent') WHERE confirm_id = 'c'"}},
		"no content":            {false, []string{"DELETE FROM confirm_contents WHERE requested_seq = (SELECT requested_seq FROM confirms WHERE confirm_id = 'c')"}},
		"the plan's steps":      {true, []string{"UPDATE plan_contents SET content = CAST(replace(content, 'Pay', 'Look') AS BLOB)"}},
		"the plan's title":      {true, []string{"UPDATE plans SET title = 'Harmless'"}},
		"the plan's objective":  {true, []string{"UPDATE plan_contents SET content = CAST(replace(content, 'No more errors', 'Nothing') AS BLOB)"}},
		"steps, and their hash": {true, []string{"UPDATE plan_contents SET content = CAST(replace(content, 'Pay', 'Look') AS BLOB)", "UPDATE plans SET hash = 'sha256:1'", "UPDATE confirms SET target_hash = 'sha256:1'"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			var c *domain.Confirm
			if tt.plan {
				w.plan(agent, "p-1")
				c = w.propose(agent, "p-1")
			} else {
				w.post(agent, `{"confirm_id":"rent","target_type":"other","actions":[{"name":"wire","args":{"to":"landlord","eur":1}}]}`)
				c = w.post(agent, `{"confirm_id":"c","target_type":"other","reason":"Rent it","actions":[{"name":"wire","args":{"to":"attacker","eur":1000000}}]}`)
			}
			i := openIntruder(t, w.file)
			i.while(func() {
				for _, w := range []*world{w, w.again()} {
					if d, err := w.Confirm(w.ctx, reviewer, c.ID); err == nil {
						t.Errorf("the page shows %s, and the plan %+v", d.Stored.Content, d.Plan)
					}
					in, err := w.Inbox(w.ctx, reviewer, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
					for _, row := range in.Rows {
						if row.ID == c.ID && (!row.Unproven || row.Mine || row.Title != "" || row.Reason.Text != "" || row.Tools != nil) && name != "the plan's steps" && name != "the plan's objective" {
							t.Errorf("the inbox shows %+v", row.ConfirmRow)
						}
					}
					if err != nil {
						t.Errorf("the inbox: %v", err)
					}
					if !tt.plan {
						_, err = w.decide(reviewer, c, domain.Approved)
						w.wantUnproven("approve", err)
						o, err := w.ConfirmJSON(w.ctx, agent, c.ID)
						if err == nil {
							t.Errorf("the agent is told %s", o.Native)
						}
					} else if _, err = w.decide(reviewer, c, domain.Approved); err == nil {
						t.Error("approved as changed")
					}
				}
			}, tt.change...)
			w.wantNothingDone(name)
			if _, err := w.decide(reviewer, c, domain.Approved); err != nil {
				t.Errorf("put back, it is still refused: %v", err)
			}
		})
	}
}

// Whoever looked while somebody had changed the row has not been shown another
// requester, role, target or title.
func TestN7_WhoAsksIsWhoAsked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"the name":         "UPDATE confirms SET requested_by_name = 'payroll-bot'",
		"the role":         "UPDATE confirms SET requested_by_role = 'admin'",
		"the role held":    "UPDATE confirms SET role_registered = 1 - role_registered",
		"the target":       "UPDATE confirms SET target_id = 'other'",
		"the group":        "UPDATE confirms SET requested_group = 'user:x'",
		"the requester":    "UPDATE confirms SET requested_by = 'system'",
		"its age":          "UPDATE confirms SET received_at = received_at - 86400000000",
		"its trace":        "UPDATE confirms SET trace_id = 'x'",
		"what was before":  "UPDATE confirms SET supersedes = 'x'",
		"the plan's title": "UPDATE plans SET title = 'Harmless'",
		"the plan's name":  "UPDATE plans SET requested_by_name = 'payroll-bot'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			w.plan(agent, "p-1")
			c := w.propose(agent, "p-1")
			i := openIntruder(t, w.file)
			i.while(func() {
				for _, w := range []*world{w, w.again()} {
					_, err := w.Confirm(w.ctx, reviewer, c.ID)
					w.wantUnproven("the page", err)
					rows, _, err := w.Confirms(w.ctx, reviewer, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
					for _, row := range rows {
						if !row.Unproven {
							t.Errorf("the inbox shows %+v", row)
						}
					}
					if err != nil || len(rows) != 1 {
						t.Errorf("the inbox: %d, %v", len(rows), err)
					}
					_, err = w.ConfirmJSON(w.ctx, agent, c.ID)
					if strings.HasPrefix(change, "UPDATE confirms") {
						w.wantUnproven("the object", err)
					}
				}
			}, change)
			w.wantNothingDone(name)
			if _, err := w.decide(reviewer, c, domain.Approved); err != nil {
				t.Errorf("put back, it is still refused: %v", err)
			}
		})
	}
}

// Agents and auditors are told what the log proves, or that it does not.
// COUNTERSIGN_SOAK=1 changes every column, else some.
func TestN8_ChangedRowsAreNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.history(func() {})
	var changes [][2]string // where, and what
	i := openIntruder(t, w.file)
	for name, table := range i.tables {
		if strings.HasPrefix(name, "volatile_") || name == "log_handovers" {
			continue
		}
		for _, column := range table.columns {
			if name == "log" && column != "entry" || strings.HasPrefix(name, "log_") {
				continue // along which others are found: that is another attack
			}
			changes = append(changes, [2]string{name + "." + column, "UPDATE " + name + " SET " + column + " = CASE typeof(" + column + ") WHEN 'integer' THEN " + column + " + 1 WHEN 'blob' THEN CAST(replace(" + column +
				", 'e', 'o') || ' ' AS BLOB) WHEN 'text' THEN " + column + " || 'x' ELSE CASE (SELECT type FROM pragma_table_info('" + name + "') WHERE name = '" + column + "') WHEN 'INTEGER' THEN 7 WHEN 'BLOB' THEN x'07' ELSE 'x' END END " +
				"WHERE (" + strings.Join(table.keys, ", ") + ") = (SELECT " + strings.Join(table.keys, ", ") + " FROM " + name + " ORDER BY " + column + " IS NULL, " + strings.Join(table.keys, " DESC, ") + " DESC LIMIT 1)"})
		}
	}
	readers := w.readers()
	honest := map[string]map[string]bool{}
	for _, r := range readers {
		items, err := r.read(w)
		if err != nil && domain.ErrorCode(err) != domain.CodeNotFound { // it was forgotten
			t.Fatalf("%s: %v", r.name, err)
		}
		honest[r.name] = map[string]bool{}
		for _, item := range items {
			honest[r.name][item] = true
		}
	}
	every := 8
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		every = 1
	}
	slices.SortFunc(changes, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	made := 0
	for n, change := range changes {
		if n%every != 0 {
			continue
		}
		where := change[0]
		changed := i.tryWhile(func() {
			for _, r := range readers {
				items, err := r.read(w)
				if err != nil && !refusals[domain.ErrorCode(err)] {
					t.Errorf("%s: %s: %v", where, r.name, err)
				}
				for _, item := range items {
					if err == nil && !honest[r.name][item] {
						t.Errorf("%s: %s tells %.300s", where, r.name, item)
					}
				}
			}
		}, change[1])
		if changed {
			made++
		}
	}
	if made*every < 100 {
		t.Errorf("%d changes were made of %d", made, len(changes))
	}
	w.wantNothingDone("all")
}

// A role that its holder needs was removed from the database. The refusal says
// that the database was changed.
func TestA4_RemovedRoleIsMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, link, err := w.AddUser(w.ctx, domain.System, "invited", []string{"reviewer"}, "")
	if err != nil {
		t.Fatal(err)
	}
	openIntruder(t, w.file).while(func() {
		if _, _, err := w.UseOneTimeLink(w.ctx, link, "first", password, "browser"); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
			t.Errorf("the invitation answers %v", err)
		}
	}, "DELETE FROM roles WHERE name = 'reviewer'")
}
