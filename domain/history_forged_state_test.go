package domain_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/store"
)

// without takes a fact out of an entry.
func without(e *evidence.Entry, fact string) {
	var all map[string]any
	_ = json.Unmarshal(e.Data, &all) // our own
	delete(all, fact)
	e.Data, _ = json.Marshal(all)
}

func TestN3_WhatWasTrueOnce(t *testing.T) {
	moved := func(p *past, kind, plan, from, to string, facts ...any) []*evidence.Entry {
		e := with(p.of("plan.created", plan), append(facts, "from", from, "status", to)...)
		e.Type = kind
		return one(e)
	}
	stepped := func(p *past, kind, plan, step, from, to string, facts ...any) []*evidence.Entry {
		e := with(p.of("step.started", "run"), append(facts, "step_id", step, "from", from, "status", to)...)
		e.Type, e.PlanID = kind, plan
		return one(e)
	}
	testForgeries(t, []forgery{
		{"a second decision", func(p *past, _ cast) []*evidence.Entry { return one(p.approve("no")) }, "a second decision of request no, which entry "},
		{"a second cancellation", func(p *past, _ cast) []*evidence.Entry {
			e := by(p.approve("used"), domain.System, "system")
			e.Type, e.Cause = "confirm.cancelled", "cancelled"
			return one(e)
		}, "a second decision"},
		{"a second request", func(p *past, _ cast) []*evidence.Entry { return one(p.of("confirm.requested", "used")) }, "requested a second time"},
		{"a revoked key", func(p *past, who cast) []*evidence.Entry {
			return one(by(p.ask("open", "new"), who.revoked, "executor"))
		}, "which was revoked"},
		{"a key after its time", func(p *past, who cast) []*evidence.Entry {
			p.pass(2 * time.Hour)
			return one(by(p.ask("open", "new"), who.decider, "executor"))
		}, "which had expired"},
		{"a disabled user", func(p *past, who cast) []*evidence.Entry { return one(by(p.approve("open"), who.disabled, "reviewer")) }, "who was disabled"},
		{"a disabled owner's key", func(p *past, who cast) []*evidence.Entry {
			off := p.of("user.disabled", "")
			off.ObjectID = who.reviewer.ID
			return []*evidence.Entry{off, by(p.ask("open", "new"), who.owned, "executor")}
		}, "whose owner was disabled"},
		{"an unknown user", func(p *past, _ cast) []*evidence.Entry {
			e := p.of("user.disabled", "")
			e.Principal, e.Kind, e.Type = "user:nobody", "user", "context.modified"
			return one(e)
		}, "whom the log has not created"},
		{"a role taken away", func(p *past, who cast) []*evidence.Entry {
			taken := with(p.of("user.disabled", ""), "roles", []string{"executor"})
			taken.Type, taken.ObjectID = "user.roles_assigned", who.finance.ID
			return []*evidence.Entry{taken, by(p.approve("finance"), who.finance, "finance")}
		}, "did not hold"},
		{"a capability taken away", func(p *past, _ cast) []*evidence.Entry {
			taken := with(p.of("user.disabled", ""), "name", "reviewer", "granted", []string{}, "revoked", []string{"confirm.approve"})
			taken.Type, taken.ObjectID = "role.modified", "reviewer"
			return []*evidence.Entry{taken, p.approve("open")}
		}, "did not hold confirm.approve"},
		{"a key revoked twice", func(p *past, _ cast) []*evidence.Entry { return one(p.of("key.revoked", "")) }, "revoked a second time"},
		{"a user disabled twice", func(p *past, _ cast) []*evidence.Entry { return one(p.of("user.disabled", "")) }, "disabled a second time"},
		{"a user created twice", func(p *past, who cast) []*evidence.Entry { return one(p.of("user.created", who.reviewer.ID)) }, "created a second time"},

		{"a plan proposed", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.proposed", "draft", "draft", "proposed")
		}, ""},
		{"a plan created twice", func(p *past, _ cast) []*evidence.Entry { return one(p.of("plan.created", "draft")) }, "created a second time"},
		{"a plan that has ended, started", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.started", "ended", "approved", "in_progress")
		}, "from approved, and it was cancelled"},
		{"a plan without a way", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.started", "ended", "cancelled", "in_progress")
		}, "does not go from cancelled to in_progress"},
		{"a plan under another name", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.started", "draft", "draft", "proposed")
		}, "does not go from draft to proposed"},
		{"a plan with another content", func(p *past, _ cast) []*evidence.Entry {
			list := moved(p, "plan.proposed", "draft", "draft", "proposed")
			list[0].ContentHash = p.of("plan.created", "run").ContentHash
			return list
		}, "with another content"},
		{"a plan approved by nobody", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.approved", "proposed", "proposed", "approved", "confirm_id", p.ofPlan("proposed"))
		}, "no decision was made about it"},
		{"a plan approved", func(p *past, _ cast) []*evidence.Entry {
			yes := p.approve(p.ofPlan("proposed"))
			yes.Decisions = nil
			return append(one(yes), moved(p, "plan.approved", "proposed", "proposed", "approved", "confirm_id", yes.ConfirmID)...)
		}, ""},
		{"a plan approved for another", func(p *past, _ cast) []*evidence.Entry {
			return append(one(p.approve("open")), moved(p, "plan.approved", "proposed", "proposed", "approved", "confirm_id", "open")...)
		}, "no decision was made about it"},
		{"a plan revised while it runs", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.revised", "run", "", "draft")
		}, "was no draft"},
		{"a plan completed too early", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.completed", "run", "in_progress", "completed")
		}, "1 of its 5 steps are"},
		{"a plan failed without a reason", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.failed", "run", "in_progress", "failed")
		}, "none of its steps is"},
		{"a plan cancelled", func(p *past, _ cast) []*evidence.Entry {
			return moved(p, "plan.cancelled", "run", "in_progress", "cancelled")
		}, ""},
		{"an unknown plan", func(p *past, _ cast) []*evidence.Entry {
			list := moved(p, "plan.started", "run", "approved", "in_progress")
			list[0].PlanID = "nowhere"
			return list
		}, "was never created"},

		{"a step begun", func(p *past, _ cast) []*evidence.Entry {
			return stepped(p, "step.started", "run", "s2", "pending", "in_progress")
		}, ""},
		{"a step begun again", func(p *past, _ cast) []*evidence.Entry {
			return stepped(p, "step.started", "run", "s1", "pending", "in_progress")
		}, "and it was completed"},
		{"a step without a way", func(p *past, _ cast) []*evidence.Entry {
			return stepped(p, "step.started", "run", "s1", "completed", "in_progress")
		}, "does not go from completed to in_progress"},
		{"a step under another name", func(p *past, _ cast) []*evidence.Entry {
			return stepped(p, "step.completed", "run", "s2", "pending", "in_progress")
		}, "does not go"},
		{"a step of a plan that does not run", func(p *past, _ cast) []*evidence.Entry {
			return stepped(p, "step.started", "ended", "s1", "pending", "in_progress")
		}, "the plan was not running"},
		{"a step that another cannot free", func(p *past, _ cast) []*evidence.Entry {
			return stepped(p, "step.started", "run", "s2", "pending", "in_progress", "unblocked", []string{"s4"})
		}, "step s4 of plan run is pending because of step s2, and it was pending"},
	})
}

func TestN4_AFirstAdministratorIsSetUpOnce(t *testing.T) {
	again := func(p *past, who cast) *evidence.Entry {
		e := p.of("user.created", who.admin.ID)
		e.ObjectID = "another"
		return e
	}
	testForgeries(t, []forgery{
		{"the set-up again", func(p *past, who cast) []*evidence.Entry { return one(again(p, who)) }, "there had been a user"},
		{"a user added by the command line", func(p *past, who cast) []*evidence.Entry {
			e := again(p, who)
			without(e, "setup")
			return one(e)
		}, ""},
	})
}

func TestN5_WhatIsForgottenHasEnded(t *testing.T) {
	forget := func(p *past, id string, facts ...any) *evidence.Entry {
		asked := p.of("confirm.requested", id)
		e := by(p.of("confirm.requested", id), domain.System, "")
		e.Type, e.EffectiveHash, e.Data = "content.pruned", asked.ContentHash, nil
		return with(e, facts...)
	}
	testForgeries(t, []forgery{
		{"old enough", func(p *past, _ cast) []*evidence.Entry {
			p.pass(48 * time.Hour)
			return one(forget(p, "forgotten", "older_than_seconds", 86_400, "decided_seq", p.of("confirm.approved", "forgotten").Seq))
		}, ""},
		{"too young", func(p *past, _ cast) []*evidence.Entry {
			return one(forget(p, "forgotten", "older_than_seconds", 86_400))
		}, "had ended less than 86400 s before"},
		{"pending", func(p *past, _ cast) []*evidence.Entry { return one(forget(p, "open")) }, "was pending"},
		{"as decided by another entry", func(p *past, _ cast) []*evidence.Entry { return one(forget(p, "forgotten", "decided_seq", 5)) }, "as decided by entry 5"},
		{"twice", func(p *past, _ cast) []*evidence.Entry {
			return []*evidence.Entry{forget(p, "forgotten"), forget(p, "forgotten")}
		}, "a second time"},
		{"while its plan runs", func(p *past, _ cast) []*evidence.Entry { return one(forget(p, "s2")) }, "whose plan run was in_progress"},
	})
}

func TestN9_AStepIsConsumedOnce(t *testing.T) {
	testForgeries(t, []forgery{
		{"by its own approval after the plan's", func(p *past, _ cast) []*evidence.Entry {
			ask, yes, use := p.ask("s2", "again", "step_id", "s1"), p.approve("s2"), p.step("s2", "s1")
			yes.ConfirmID, yes.Decisions, use.ConfirmID = "again", nil, "again"
			return []*evidence.Entry{ask, yes, use}
		}, "a second use of a step of plan run"},
		{"by the same approval", func(p *past, _ cast) []*evidence.Entry {
			return []*evidence.Entry{p.step("s2", "s2"), p.step("s2", "s2")}
		}, "a second use"},
	})
}

// A bundle has some of a log's entries: they are held to each other.
func TestN3_ABundleHasWhatNobodyWrites(t *testing.T) {
	t.Parallel()
	file, _ := honest(t)
	p := pastOf(t, file)
	vkey, err := store.VKey(file + ".key")
	if err != nil {
		t.Fatal(err)
	}
	report := func(id string) *evidence.Report {
		t.Helper()
		bundle, err := p.ConfirmBundle(p.ctx, domain.System, id)
		if err != nil {
			t.Fatal(err)
		}
		r, err := evidence.VerifyBundle(bundle, vkey, "", domain.NewPartialHistory().Check)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, id := range []string{"open", "used", "no", "mixed", "import", "s2", "elsewhere", p.ofPlan("run")} {
		wantVerified(t, id, report(id))
	}
	p.add(p.approve("no"), p.consume("used", "subject", "action:0"))
	for id, want := range map[string]string{"no": "a second decision", "used": "a second use"} {
		if r := report(id); len(r.Findings) != 1 || !strings.Contains(r.Findings[0], want) {
			t.Errorf("the bundle of %s: %q", id, r.Findings)
		}
	}
}

func TestN6_AnApprovalFromBeforeARestoreIsNotUsed(t *testing.T) {
	t.Parallel()
	file, _ := honest(t)
	p := pastOf(t, file)
	next := int64(len(p.log))
	use := p.consume("unused", "subject", "confirm")
	for _, restored := range []bool{false, true} {
		h := domain.NewHistory()
		log := p.log
		if restored {
			log = append(log[:next:next], &evidence.Entry{Seq: next, Type: evidence.EntryRestored, Principal: "system"})
		}
		for _, e := range log {
			if wrong := h.Check(e); wrong != nil {
				t.Fatal(wrong)
			}
		}
		use.Seq = next + 1
		if wrong := strings.Join(h.Check(use), "; "); (wrong != "") != restored || restored && !strings.Contains(wrong, "before the restore") {
			t.Errorf("restored: %v: %q", restored, wrong)
		}
	}
}

// An entry lists some of many steps that follow another: the rest may have moved too.
func TestHistory_StepsThatNoEntryLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.context(agent, "ctx-1", "active")
	steps := []string{`{"step_id":"first","description":"d"}`}
	for i := range 40 {
		steps = append(steps, fmt.Sprintf(`{"step_id":"s%d","description":"d","dependencies":["first"]}`, i))
	}
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"p","context_id":"ctx-1","title":"T","objective":"O","steps":[`+strings.Join(steps, ",")+`]}`), w.Limits().MPLP())
	if err == nil {
		_, err = w.PostPlan(w.ctx, agent, in)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.mustDecide(reviewer, w.propose(agent, "p"), domain.Approved)
	if _, err := w.StartPlan(w.ctx, agent, "p"); err != nil {
		t.Fatal(err)
	}
	w.mustStep(agent, "p", "first", domain.StepInProgress, domain.StepFailed, domain.StepPending, domain.StepInProgress, domain.StepCompleted)
	for i := range 40 {
		w.mustStep(agent, "p", fmt.Sprint("s", i), domain.StepInProgress, domain.StepCompleted)
	}
	if status := w.planStatus("p"); status != domain.PlanCompleted {
		t.Errorf("the plan is %s", status)
	}
	wantVerified(t, "many steps", verify(t, w.file, ""))
}
