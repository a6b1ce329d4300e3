package domain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// past is a log of an honest run, to which a test adds what none writes.
type past struct {
	*world
	log []*evidence.Entry
}

// pastOf opens a database and reads its log.
func pastOf(t *testing.T, file string) *past {
	t.Helper()
	p := &past{world: openWorld(t, file)}
	var err error
	if p.log, err = p.Entries(p.ctx, domain.System, domain.EntryFilter{Limit: 10_000}); err != nil {
		t.Fatal(err)
	}
	p.clock = p.log[len(p.log)-1].At.Add(time.Second)
	return p
}

// of is a copy of the last entry of a type about a confirm, plan or object, as if
// it was written now.
func (p *past) of(kind, id string) *evidence.Entry {
	p.t.Helper()
	for i := len(p.log) - 1; i >= 0; i-- {
		if e := *p.log[i]; e.Type == kind && (id == "" || e.ConfirmID == id || e.PlanID == id || e.ObjectID == id) {
			e.Rows, e.At = nil, p.now()
			return &e
		}
	}
	p.t.Fatalf("there is no entry %s of %s", kind, id)
	return nil
}

// with changes facts of an entry.
func with(e *evidence.Entry, facts ...any) *evidence.Entry {
	all := map[string]any{}
	_ = json.Unmarshal(e.Data, &all) // our own
	for i := 0; i < len(facts); i += 2 {
		all[facts[i].(string)] = facts[i+1]
	}
	e.Data, _ = json.Marshal(all)
	return e
}

// about makes an entry one of another confirm, as it was requested.
func (p *past) about(e *evidence.Entry, confirm string) *evidence.Entry {
	p.t.Helper()
	asked := p.of("confirm.requested", confirm)
	e.ConfirmID, e.PlanID, e.ContentHash, e.EffectiveHash = confirm, asked.PlanID, asked.ContentHash, asked.ContentHash
	return e
}

// by makes an entry one that somebody else wrote.
func by(e *evidence.Entry, ref domain.Ref, role string) *evidence.Entry {
	e.Principal, e.Kind, e.Role = ref.String(), string(ref.Kind), role
	return e
}

// add signs entries into the log.
func (p *past) add(entries ...*evidence.Entry) {
	p.t.Helper()
	err := p.db.Tx(p.ctx, func(tx domain.Tx) (err error) {
		for _, e := range entries {
			err = errors.Join(err, tx.Append(e))
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// cast are those who act in the past that tests add to.
type cast struct{ worker, owned, decider, quiet, revoked, reviewer, finance, viewer, disabled, admin domain.Ref }

// honest makes the past: approvals used and not, refusals, plans that run, that
// wait and that have ended, and people who have come and gone.
func honest(t *testing.T) (file string, who cast) {
	t.Helper()
	w := newWorld(t)
	token, err := w.CreateSetupLink(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, admin, err := w.UseOneTimeLink(w.ctx, token, "root", password, "")
	if err != nil {
		t.Fatal(err)
	}
	who.admin = domain.Ref{Kind: domain.KindUser, ID: admin.ID}
	w.role("finance", "confirm.approve", "confirm.reject")
	w.role("asking", "confirm.request")
	who.worker = w.key("worker", "architect", "executor", "asking")
	who.reviewer, who.finance, who.disabled = w.user("reviewer", "reviewer"), w.user("finance", "finance"), w.user("gone", "reviewer")
	who.owned = w.keyFor(domain.KeyInput{Name: "owned", Roles: []string{"executor"}, Owner: "reviewer"})
	who.decider = w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "finance", MayDecide: true, Lifetime: time.Hour})
	who.quiet, who.viewer = w.key("quiet", "reviewer"), w.user("viewer", "executor")
	who.revoked = w.key("old", "executor")
	if err := errors.Join(w.RevokeKey(w.ctx, domain.System, "old"), w.DisableUser(w.ctx, who.admin, who.disabled.ID)); err != nil {
		t.Fatal(err)
	}
	post := func(by domain.Ref, id, rest string) *domain.Confirm {
		return w.post(by, fmt.Sprintf(`{"confirm_id":%q,%s`, id, rest))
	}
	call, words := toolCall[1:], `"target_type":"other"}`
	post(who.worker, "open", call)
	post(who.owned, "own", call)
	post(who.worker, "finance", `"required_role":"finance",`+call)
	w.mustDecide(who.reviewer, post(who.worker, "used", call), domain.Approved)
	w.mustDecide(who.reviewer, post(who.worker, "unused", words), domain.Approved)
	w.mustDecide(who.reviewer, post(who.worker, "no", call), domain.Rejected)
	w.mustDecide(who.decider, post(who.worker, "agent", call), domain.Approved)
	post(who.worker, "import", `"status":"approved",`+words)
	mixed := post(who.worker, "mixed", twoCalls[1:])
	if _, err := w.Decide(w.ctx, who.reviewer, "mixed", domain.DecisionInput{ContentHash: mixed.ContentHash,
		Actions: []mplp.ActionDecision{{Type: "approve"}, {Type: "reject"}}}); err != nil {
		t.Fatal(err)
	}
	consume := func(id, step string, action *int64, args string) {
		t.Helper()
		in := domain.ConsumeInput{ConfirmID: id, ExecutionID: "e-1", StepID: step, Action: action}
		if action != nil {
			in.ArgsHash = evidence.ArgsHash([]byte(args))
		}
		if _, err := w.Consume(w.ctx, who.worker, in); err != nil {
			t.Fatal(err)
		}
	}
	first := int64(0)
	consume("used", "", &first, `{"symbol":"VNM","quantity":100}`)
	consume("mixed", "", &first, `{"table":"users"}`)

	w.running(who.worker, who.reviewer, "run")
	w.mustStep(who.worker, "run", "s1", domain.StepInProgress, domain.StepCompleted)
	consume(w.ofPlan("run"), "s1", nil, "")
	w.mustDecide(who.reviewer, post(who.worker, "s2", `"target_type":"plan","target_id":"run","step_id":"s2"}`), domain.Approved)
	w.mustDecide(who.reviewer, post(who.worker, "s3", `"target_type":"plan","target_id":"run","step_id":"s3","on_reject":"recover"}`), domain.Rejected)
	w.plan(who.worker, "draft")
	w.plan(who.worker, "proposed")
	w.propose(who.worker, "proposed")
	w.running(who.worker, who.reviewer, "ended")
	if _, err := w.CancelPlan(w.ctx, who.worker, "ended", ""); err != nil {
		t.Fatal(err)
	}
	w.mustDecide(who.reviewer, post(who.worker, "elsewhere", `"target_type":"plan","target_id":"run","step_id":"s9"}`), domain.Approved)
	w.mustDecide(who.reviewer, post(who.worker, "forgotten", words), domain.Approved)
	wantVerified(t, "the honest run", verify(t, w.file, ""))
	w.close()
	return w.file, who
}

// ofPlan is the last confirm of a whole plan.
func (w *world) ofPlan(id string) string {
	w.t.Helper()
	detail, err := w.Plan(w.ctx, domain.System, id)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range detail.Confirms {
		if c.Binding == domain.BoundPlan {
			return c.ID
		}
	}
	w.t.Fatalf("plan %s has no confirm", id)
	return ""
}

// forgery is what a program writes that is shown other rows than it had written.
type forgery struct {
	name  string
	forge func(p *past, who cast) []*evidence.Entry
	want  string // in the finding; empty: an honest run may write it
}

func one(e *evidence.Entry) []*evidence.Entry { return []*evidence.Entry{e} }

// testForgeries adds each to a copy of the honest past, and verifies.
func testForgeries(t *testing.T, list []forgery) {
	t.Helper()
	t.Parallel()
	base, who := honest(t)
	testForgeriesOf(t, base, who, list)
}

func testForgeriesOf(t *testing.T, base string, who cast, list []forgery) {
	t.Helper()
	for _, tt := range list {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "countersign.db")
			copyFiles(t, file, base, "", ".key", ".head")
			p := pastOf(t, file)
			entries := tt.forge(p, who)
			p.add(entries...)
			p.close()
			report := verify(t, file, "")
			number := entries[len(entries)-1].Seq
			switch {
			case tt.want == "":
				wantVerified(t, tt.name, report)
			case len(report.Findings) != 1 || !strings.HasPrefix(report.Findings[0], fmt.Sprintf("log entry %d: ", number)) || !strings.Contains(report.Findings[0], tt.want):
				t.Errorf("findings %q, want one of entry %d: %q", report.Findings, number, tt.want)
			}
		})
	}
}

// approve is the approval of a confirm by the reviewer.
func (p *past) approve(confirm string) *evidence.Entry {
	p.t.Helper()
	return p.about(p.of("confirm.approved", "used"), confirm)
}

// ask is a request like another, under a new id.
func (p *past) ask(like, id string, facts ...any) *evidence.Entry {
	p.t.Helper()
	e := with(p.of("confirm.requested", like), facts...)
	e.ConfirmID = id
	return e
}

// consume is a use of an approval, by the worker.
func (p *past) consume(confirm string, facts ...any) *evidence.Entry {
	p.t.Helper()
	e := p.of("confirm.consumed", "used")
	e.Data = nil
	e = with(p.about(e, confirm), append(facts, "execution_id", "e-2")...)
	for _, logged := range p.log {
		if logged.ConfirmID == confirm && len(logged.Decisions)+len(logged.Cause) > 0 {
			e.EffectiveHash = logged.EffectiveHash
		}
	}
	return e
}

// step is the use of an approval for a step of its plan.
func (p *past) step(confirm, step string) *evidence.Entry {
	return p.consume(confirm, "subject", "step:"+step, "step_id", step)
}

func TestA1_DecisionsThatNobodyMakes(t *testing.T) {
	testForgeries(t, []forgery{
		{"an approval in time", func(p *past, _ cast) []*evidence.Entry { return one(p.approve("open")) }, ""},
		{"an approval after the deadline", func(p *past, _ cast) []*evidence.Entry {
			e := p.approve("open")
			e.At = p.of("confirm.requested", "open").At
			for _, asked := range p.log {
				if asked.ConfirmID == "open" {
					e.At = asked.At.Add(300*time.Second + time.Millisecond)
				}
			}
			return one(e)
		}, "was approved after its deadline"},
		{"a timeout before the deadline", func(p *past, _ cast) []*evidence.Entry {
			e := by(p.approve("open"), domain.System, "system")
			e.Type, e.Cause, e.Decisions[0].Type = "confirm.rejected", "timeout", "reject"
			return one(e)
		}, "timed out before its deadline"},
		{"a role that is not the required one", func(p *past, _ cast) []*evidence.Entry { return one(p.approve("finance")) }, "requires another"},
		{"the required role", func(p *past, who cast) []*evidence.Entry {
			return one(by(p.approve("finance"), who.finance, "finance"))
		}, ""},
		{"an approval after a finding", func(p *past, _ cast) []*evidence.Entry {
			return one(with(p.approve("open"), "findings", []domain.ShownFinding{{Kind: "sum", Level: "look", Pointer: "/eur"}}))
		}, ""},
		{"findings of a level that no page has", func(p *past, _ cast) []*evidence.Entry {
			return one(with(p.approve("open"), "findings", []domain.ShownFinding{{Kind: "sum", Level: "safe"}}))
		}, "findings that no page shows"},
		{"findings about an action that the request does not have", func(p *past, _ cast) []*evidence.Entry {
			return one(with(p.approve("open"), "findings", []domain.ShownFinding{{Kind: "sum", Level: "look", Action: 1}}))
		}, "findings that no page shows"},
		{"findings that a key was shown", func(p *past, who cast) []*evidence.Entry {
			e := by(p.approve("open"), who.decider, "reviewer")
			e.Cause = "agent"
			return one(with(e, "findings", []domain.ShownFinding{{Kind: "sum", Level: "look"}}))
		}, "shown to nobody"},
		{"a role that is not held", func(p *past, who cast) []*evidence.Entry { return one(by(p.approve("open"), who.reviewer, "finance")) }, "did not hold"},
		{"a role that does not allow it", func(p *past, who cast) []*evidence.Entry { return one(by(p.approve("open"), who.viewer, "executor")) }, "did not hold confirm.approve"},
		{"one's own key's request", func(p *past, _ cast) []*evidence.Entry { return one(p.approve("own")) }, "by who had requested it"},
		{"one's own key's request, where that is allowed", func(p *past, _ cast) []*evidence.Entry {
			return one(with(p.approve("own"), "self_approval", true))
		}, ""},
		{"a request of a key that the reviewer has made", func(p *past, who cast) []*evidence.Entry {
			made := with(p.of("key.created", who.worker.ID), "made_by", who.reviewer.String())
			made.ObjectID = "made"
			ask := by(p.ask("open", "new"), domain.Ref{Kind: domain.KindAgent, ID: "made"}, "executor")
			yes := p.approve("open")
			yes.ConfirmID = "new"
			return []*evidence.Entry{made, ask, yes}
		}, "by who had requested it"},
		{"a key that may decide", func(p *past, who cast) []*evidence.Entry {
			e := by(p.approve("open"), who.decider, "reviewer")
			e.Cause = "agent"
			return one(e)
		}, ""},
		{"a key that may not decide", func(p *past, who cast) []*evidence.Entry {
			e := by(p.approve("open"), who.quiet, "reviewer")
			e.Cause = "agent"
			return one(e)
		}, "may not decide"},
		{"a cause that is not the decider's", func(p *past, _ cast) []*evidence.Entry {
			e := p.approve("open")
			e.Cause = "agent"
			return one(e)
		}, "which nobody does"},
		{"an import", func(p *past, _ cast) []*evidence.Entry {
			e := p.approve("used")
			e.ConfirmID = "import"
			return one(e)
		}, "which is an import"},
		{"a confirm that nobody requested", func(p *past, _ cast) []*evidence.Entry {
			e := p.approve("open")
			e.ConfirmID = "nobody's"
			return one(e)
		}, "which was never requested"},
		{"another content", func(p *past, _ cast) []*evidence.Entry {
			e := p.approve("open")
			e.ContentHash = p.of("confirm.requested", "own").ContentHash
			return one(e)
		}, "with another content"},
		{"another plan", func(p *past, _ cast) []*evidence.Entry {
			e := p.approve("open")
			e.PlanID = "run"
			return one(e)
		}, "for another plan"},
	})
}

func TestA1_ConsumptionsThatNobodyMakes(t *testing.T) {
	testForgeries(t, []forgery{
		{"a first use", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("unused", "subject", "confirm")) }, ""},
		{"a second use", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("used", "subject", "action:0")) }, "a second use"},
		{"a second use of all of it", func(p *past, _ cast) []*evidence.Entry {
			return []*evidence.Entry{p.consume("unused", "subject", "confirm"), p.consume("unused", "subject", "confirm")}
		}, "a second use"},
		{"of what is pending", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("open", "subject", "action:0")) }, "was not approved"},
		{"of what was rejected", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("no", "subject", "action:0")) }, "was not approved"},
		{"of an action that was rejected", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("mixed", "subject", "action:1")) }, "was not approved"},
		{"of an action that there is not", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("agent", "subject", "action:1")) }, "no such part"},
		{"of all actions at once", func(p *past, _ cast) []*evidence.Entry { return one(p.consume("agent", "subject", "confirm")) }, "no such part"},
		{"of an import", func(p *past, _ cast) []*evidence.Entry {
			e := p.consume("unused", "subject", "confirm")
			e.ConfirmID = "import"
			return one(e)
		}, "which is an import"},
		{"of another content", func(p *past, _ cast) []*evidence.Entry {
			e := p.consume("unused", "subject", "confirm")
			e.EffectiveHash = p.of("confirm.requested", "own").ContentHash
			return one(e)
		}, "with another content"},
	})
}

func TestN1_TheGateAsTheLogHasIt(t *testing.T) {
	running := func(p *past, more ...*evidence.Entry) []*evidence.Entry { return append(more, p.step("s2", "s2")) }
	testForgeries(t, []forgery{
		{"the step's own approval", func(p *past, _ cast) []*evidence.Entry { return running(p) }, ""},
		{"the whole plan's", func(p *past, _ cast) []*evidence.Entry { return one(p.step(p.ofPlan("run"), "s4")) }, ""},
		{"the whole plan's after the step's own was rejected", func(p *past, _ cast) []*evidence.Entry { return one(p.step(p.ofPlan("run"), "s3")) }, "another request spoke for it"},
		{"the whole plan's where the step has its own", func(p *past, _ cast) []*evidence.Entry { return one(p.step(p.ofPlan("run"), "s2")) }, "another request spoke for it"},
		{"of another step", func(p *past, _ cast) []*evidence.Entry { return one(p.step("s2", "s4")) }, "for which it does not speak"},
		{"a rejection of the whole plan came later, which is not the step's", func(p *past, _ cast) []*evidence.Entry {
			no := p.about(p.of("confirm.rejected", "s3"), "s2")
			no.ConfirmID, no.EffectiveHash = "later", p.ask("s2", "later").ContentHash
			ask := p.ask("s2", "later", "on_reject", "recover")
			without(ask, "step_id")
			return running(p, ask, no)
		}, ""},
		{"a later rejection of the step", func(p *past, _ cast) []*evidence.Entry {
			no := p.about(p.of("confirm.rejected", "s3"), "s2")
			no.ConfirmID = "later"
			return running(p, p.ask("s2", "later"), no)
		}, "another request spoke for it"},
		{"the step waits for a decision", func(p *past, _ cast) []*evidence.Entry { return running(p, p.ask("s2", "later")) }, "was pending"},
		{"the plan waits for a decision", func(p *past, _ cast) []*evidence.Entry {
			ask := p.ask("s2", "later")
			without(ask, "step_id")
			return running(p, ask)
		}, "was pending"},
		{"another step waits for a decision", func(p *past, _ cast) []*evidence.Entry { return running(p, p.ask("s2", "later", "step_id", "s4")) }, ""},
		{"a rejection that names no step", func(p *past, _ cast) []*evidence.Entry {
			no := p.about(p.of("confirm.rejected", "s3"), "s2")
			no.ConfirmID = "later"
			ask := p.ask("s2", "later", "unbound", true)
			without(ask, "step_id")
			return running(p, ask, no)
		}, "that names no step of the plan was rejected"},
		{"a request of somebody else, who did not see the plan", func(p *past, who cast) []*evidence.Entry {
			ask := by(p.ask("s2", "later", "unknown", true), who.owned, "executor")
			without(ask, "step_id")
			return running(p, ask)
		}, ""},
		{"a request from before the plan", func(p *past, who cast) []*evidence.Entry {
			ask, made := p.ask("s2", "early", "unknown", true), p.of("plan.created", "run")
			without(ask, "step_id")
			ask.PlanID, made.PlanID = "late", "late"
			yes := p.approve(p.ofPlan("run"))
			yes.ConfirmID, yes.PlanID, yes.Decisions = "later", "late", nil
			proposed, asked, approved := p.of("plan.proposed", "run"), p.ask(p.ofPlan("run"), "later"), with(p.of("plan.approved", "run"), "confirm_id", "later")
			use := p.step(p.ofPlan("run"), "s4")
			use.ConfirmID = "later"
			for _, e := range []*evidence.Entry{proposed, asked, approved, use} {
				e.PlanID = "late"
			}
			return []*evidence.Entry{ask, made, proposed, asked, yes, approved, use}
		}, "was pending"},
		{"an approval that names no step", func(p *past, _ cast) []*evidence.Entry { return one(p.step("elsewhere", "s4")) }, "lets no step of a plan run"},
		{"a plan that has ended", func(p *past, _ cast) []*evidence.Entry { return one(p.step(p.ofPlan("ended"), "s1")) }, "the plan was cancelled"},
		{"a plan that is locked", func(p *past, _ cast) []*evidence.Entry {
			e := with(p.of("plan.started", "run"), "locked", true)
			e.Type = "plan.revised"
			return running(p, e)
		}, "the plan was locked"},
		{"a plan that there is not", func(p *past, _ cast) []*evidence.Entry {
			ask, yes, use := p.ask("s2", "later"), p.approve("s2"), p.step("s2", "s2")
			yes.Role, yes.Decisions = "reviewer", nil
			for _, e := range []*evidence.Entry{ask, yes, use} {
				e.ConfirmID, e.PlanID = "later", "nowhere"
			}
			return []*evidence.Entry{ask, yes, use}
		}, "there was no such plan"},
	})
}
