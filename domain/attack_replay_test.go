package domain_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
)

// hidden empties the columns along which entries of the log are found.
func hidden(where string) string {
	return "UPDATE log SET type = NULL, confirm_id = NULL, plan_id = NULL, object_id = NULL, trace_id = NULL WHERE " + where
}

// Whoever hides the entries of a later rejection gains no use of the approval before
// it that a verification would not find for ever.
func TestN1_HiddenEntriesLetNothingBeUsed(t *testing.T) {
	t.Parallel()
	const entries = "seq >= (SELECT requested_seq FROM confirms WHERE confirm_id = 'no')"
	for name, change := range map[string][]string{
		"of another plan": {hidden(entries), "UPDATE confirms SET plan_id = 'none' WHERE confirm_id = 'no'"},
		"of another step": {hidden(entries), "UPDATE confirms SET step_id = 's4' WHERE confirm_id = 'no'"},
		"an import":       {hidden(entries), "UPDATE confirms SET imported = 1 WHERE confirm_id = 'no'"},
		"it is gone":      {hidden(entries), "DELETE FROM confirms WHERE confirm_id = 'no'"},
		"its row only":    {"UPDATE confirms SET plan_id = 'none' WHERE confirm_id = 'no'"},
		"its entries":     {"UPDATE log SET entry = CAST(replace(entry, '\"no\"', '\"xx\"') AS BLOB) WHERE " + entries, "UPDATE confirms SET plan_id = 'none' WHERE confirm_id = 'no'"},
		"entries twice": {"UPDATE log SET entry = (SELECT entry FROM log WHERE seq = 0) WHERE " + entries,
			"UPDATE confirms SET plan_id = 'none' WHERE confirm_id = 'no'"},
	} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarted %v", name, again), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
				w.running(agent, reviewer, "p")
				detail, err := w.Plan(w.ctx, agent, "p")
				if err != nil {
					t.Fatal(err)
				}
				whole := detail.Confirms[0].ID
				no := w.post(agent, `{"confirm_id":"no","target_type":"plan","target_id":"p","step_id":"s2","on_reject":"recover"}`)
				w.mustDecide(reviewer, no, domain.Rejected)
				if got := w.gate(agent, "p", "s2"); got != "BLOCK recover" {
					t.Fatalf("before: %s", got)
				}
				use := func(w *world) error {
					_, err := w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e", StepID: "s2"})
					return err
				}
				i := openIntruder(t, w.file)
				var used error
				i.while(func() {
					now := w
					if again {
						now = w.again()
					}
					used = use(now)
					if v, err := now.Gate(now.ctx, agent, domain.GateQuery{PlanID: "p", StepID: "s2"}); err == nil && v.Allows() && !strings.Contains(change[0], "NULL") {
						t.Errorf("the gate resumes, and nothing is hidden: %+v", v)
					}
				}, change...)
				if used == nil {
					w.wantFound("used against the gate")
				} else {
					w.wantNothingDone("refused")
				}
				if got := w.gate(agent, "p", "s2"); got != "BLOCK recover" {
					t.Errorf("put back: %s", got)
				}
			})
		}
	}
}

// Rows of before, which were true once, are refused, or what is done on them is found
// for ever: also when the later entries are hidden.
func TestN3_RowsOfBefore(t *testing.T) {
	t.Parallel()
	type cast struct {
		*world
		agent, reviewer, owner domain.Ref
		key                    string // id of a key that may decide
		whole                  string // the approval of the plan
	}
	consume := func(id string, step string) func(c *cast) error {
		return func(c *cast) error {
			id := cmp.Or(id, c.whole)
			_, err := c.Consume(c.ctx, c.agent, domain.ConsumeInput{ConfirmID: id, ExecutionID: "e-2", StepID: step})
			return err
		}
	}
	decideAs := func(who func(c *cast) domain.Ref) func(c *cast) error {
		return func(c *cast) error {
			list, _, err := c.Confirms(c.ctx, domain.System, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
			if err != nil {
				return err
			}
			_, err = c.decide(who(c), &list[slices.IndexFunc(list, func(row *domain.ConfirmRow) bool { return row.ID == "open" })].Confirm, domain.Approved)
			return err
		}
	}
	byKey := func(c *cast) domain.Ref { return domain.Ref{Kind: domain.KindAgent, ID: c.key} }
	byOwner := func(c *cast) domain.Ref { return c.owner }
	for name, tt := range map[string]struct {
		tables  []string // of which rows are put back as they were
		prepare func(c *cast)
		then    func(c *cast) // what becomes of it
		act     func(c *cast) error
	}{
		"a rejected request": {tables: []string{"confirms", "decisions"},
			then: func(c *cast) {
				_, err := c.Decide(c.ctx, c.reviewer, "open", domain.DecisionInput{Status: domain.Rejected, ContentHash: c.outcome("open").Confirm.ContentHash})
				if err != nil {
					c.t.Fatal(err)
				}
			},
			act: decideAs(func(c *cast) domain.Ref { return c.reviewer })},
		"a rejected request, and who asked for its decision": {tables: []string{"confirms", "decisions"},
			then: func(c *cast) {
				_, err := c.Decide(c.ctx, c.reviewer, "open", domain.DecisionInput{Status: domain.Rejected, ContentHash: c.outcome("open").Confirm.ContentHash})
				if err != nil {
					c.t.Fatal(err)
				}
			},
			act: func(c *cast) error { _, err := c.CancelConfirm(c.ctx, c.agent, "open", ""); return err }},
		"a plan that was cancelled": {tables: []string{"plans"},
			then: func(c *cast) {
				if _, err := c.CancelPlan(c.ctx, c.agent, "p", ""); err != nil {
					c.t.Fatal(err)
				}
			},
			act: consume("", "s2")},
		"a plan that failed": {tables: []string{"plans"},
			then: func(c *cast) {
				c.mustStep(c.agent, "p", "s1", domain.StepInProgress)
				if _, err := c.MoveStep(c.ctx, c.agent, "p", "s1", domain.StepFailed, true); err != nil {
					c.t.Fatal(err)
				}
			},
			act: consume("", "s2")},
		"a step that was completed": {tables: []string{"plans"},
			then: func(c *cast) { c.mustStep(c.agent, "p", "s1", domain.StepInProgress, domain.StepCompleted) },
			act:  func(c *cast) error { return c.step(c.agent, "p", "s1", domain.StepInProgress) }},
		"a use": {tables: []string{"consumptions"},
			then: func(c *cast) {
				if _, err := c.Consume(c.ctx, c.agent, domain.ConsumeInput{ConfirmID: c.whole, ExecutionID: "e-1", StepID: "s1"}); err != nil {
					c.t.Fatal(err)
				}
			},
			act: consume("", "s1")},
		"the steps of an older draft": {tables: []string{"plan_contents"},
			prepare: func(c *cast) { c.plan(c.agent, "d") },
			then: func(c *cast) {
				in, err := mplp.ParsePlan([]byte(`{"plan_id":"d","context_id":"ctx-1","title":"Fix","objective":"No","steps":[{"step_id":"s1","description":"Pay"}]}`), c.Limits().MPLP())
				if err == nil {
					_, err = c.RevisePlan(c.ctx, c.agent, "d", in)
				}
				if err != nil {
					c.t.Fatal(err)
				}
				c.propose(c.agent, "d")
			},
			act: func(c *cast) error {
				list, _, err := c.Confirms(c.ctx, domain.System, domain.ConfirmFilter{Status: domain.Pending, PlanID: "d"}, domain.Page{})
				if err == nil {
					_, err = c.Confirm(c.ctx, c.reviewer, list[0].ID)
				}
				return err
			}},
		"a revoked key decides": {tables: []string{"keys", "key_roles"},
			then: func(c *cast) {
				if err := c.RevokeKey(c.ctx, domain.System, c.key); err != nil {
					c.t.Fatal(err)
				}
			},
			act: decideAs(byKey)},
		"a revoked key asks": {tables: []string{"keys", "key_roles"},
			then: func(c *cast) {
				if err := c.RevokeKey(c.ctx, domain.System, c.key); err != nil {
					c.t.Fatal(err)
				}
			},
			act: func(c *cast) error { _, err := c.tryPost(byKey(c), toolCall); return err }},
		"a disabled user": {tables: []string{"users", "user_roles"},
			then: func(c *cast) {
				if err := c.DisableUser(c.ctx, domain.System, c.owner.ID); err != nil {
					c.t.Fatal(err)
				}
			},
			act: decideAs(byOwner)},
		"roles that were taken away": {tables: []string{"users", "user_roles"},
			then: func(c *cast) {
				if err := c.AssignRoles(c.ctx, domain.System, c.owner.ID, []string{"executor"}); err != nil {
					c.t.Fatal(err)
				}
			},
			act: decideAs(byOwner)},
		"one role that was taken away": {tables: []string{"user_roles"},
			then: func(c *cast) {
				if err := c.AssignRoles(c.ctx, domain.System, c.owner.ID, []string{"executor"}); err != nil {
					c.t.Fatal(err)
				}
			},
			act: decideAs(byOwner)},
		"a role with what it allowed": {tables: []string{"roles"},
			then: func(c *cast) {
				if _, err := c.UpdateRole(c.ctx, domain.System, "finance", domain.RoleInput{Name: "finance", Capabilities: []string{"trace.read"}}); err != nil {
					c.t.Fatal(err)
				}
			},
			act: decideAs(byOwner)},
		"a context that was active": {tables: []string{"contexts"},
			prepare: func(c *cast) { // approved, and not started
				c.context(c.agent, "ctx-1", "active")
				c.plan(c.agent, "d")
				c.mustDecide(c.reviewer, c.propose(c.agent, "d"), domain.Approved)
			},
			then: func(c *cast) {
				in, err := mplp.ParseContext([]byte(`{"context_id":"ctx-1","title":"T","status":"suspended","root":{"domain":"d"}}`), c.Limits().MPLP())
				if err == nil {
					_, err = c.UpdateContext(c.ctx, c.agent, "ctx-1", in)
				}
				if err != nil {
					c.t.Fatal(err)
				}
			},
			act: func(c *cast) error { _, err := c.StartPlan(c.ctx, c.agent, "d"); return err }},
	} {
		for _, hide := range []bool{false, true} {
			for _, again := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, hidden %v, restarted %v", name, hide, again), func(t *testing.T) {
					t.Parallel()
					c := &cast{world: newWorld(t)}
					c.agent, c.reviewer = c.worker(), c.user("reviewer", "reviewer")
					c.role("finance", "confirm.*")
					c.owner = c.user("owner", "finance")
					c.key = c.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"finance"}, Owner: "owner", MayDecide: true}).ID
					c.running(c.agent, c.reviewer, "p")
					detail, err := c.Plan(c.ctx, domain.System, "p")
					if err != nil {
						t.Fatal(err)
					}
					c.whole = detail.Confirms[0].ID
					c.post(c.agent, `{"confirm_id":"open","target_type":"other","required_role":"`+map[bool]string{true: "finance", false: "reviewer"}[strings.Contains(name, "key") || strings.Contains(name, "user") || strings.Contains(name, "role")]+`","actions":[{"name":"pay","args":{"eur":1}}]}`)
					if tt.prepare != nil {
						tt.prepare(c)
					}
					i := openIntruder(t, c.file)
					before := i.read(append(tt.tables, "log")...)
					tt.then(c)
					after := i.read(append(tt.tables, "log")...)
					made := edits{}
					for place, row := range after {
						switch was := before[place]; {
						case place.table == "log" && was == nil && hide:
							log := i.tables["log"]
							made.set(place, row, log.with(row, map[string]any{"type": nil, "confirm_id": nil, "plan_id": nil, "object_id": nil, "trace_id": nil}))
						case place.table != "log" && !was.equal(row):
							made.set(place, row, was)
						}
					}
					for place, row := range before {
						if after[place] == nil {
							made.set(place, nil, row)
						}
					}
					c.wantNothingDone("before")
					if err := i.apply(made); err != nil {
						t.Fatal(err)
					}
					now := *c
					if again {
						now.world = c.world.again()
					}
					err = tt.act(&now)
					i.undo(made)
					switch {
					case err == nil && name == "the steps of an older draft":
						t.Error("the page shows them")
					case err == nil && !hide:
						t.Error("it is done, and nothing was hidden")
						fallthrough
					case err == nil:
						c.wantFound("done")
					default:
						c.wantNothingDone(fmt.Sprintf("refused (%v)", err))
					}
				})
			}
		}
	}
}
