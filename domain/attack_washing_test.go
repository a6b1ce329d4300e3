package domain_test

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// wantUnproven asserts that a use case was refused because the database was changed.
func (w *world) wantUnproven(what string, err error) {
	w.t.Helper()
	if domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
		w.t.Errorf("%s: %v, want it refused because the log does not prove it", what, err)
	}
}

// wantNothingDone asserts that nothing is left of a change that was put back: what was
// refused has written nothing.
func (w *world) wantNothingDone(what string) {
	w.t.Helper()
	if report := verify(w.t, w.file, ""); !report.IsVerified() {
		w.t.Errorf("%s: put back: %q", what, report.Findings)
	}
}

// wantFound asserts that a verification finds what was done, although all is put back.
func (w *world) wantFound(what string) {
	w.t.Helper()
	if report := verify(w.t, w.file, ""); !report.IsTampered() {
		w.t.Errorf("%s: a verification finds nothing", what)
	}
}

// A row of a pending request that somebody has changed decides nothing, and the
// program does not write over it: else its digest would be that of the changed row.
func TestA1_ChangedRequestIsNotDecided(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"confirm_id", "canonical_id", "target_type", "target_id", "target_hash", "plan_id", "step_id", "binding", "cause",
		"requested_by", "requested_group", "requested_by_name", "requested_by_role", "role_registered", "required_role", "on_reject",
		"supersedes", "session_id", "message_id", "approval_key", "frame_index", "trace_id", "span_id", "actions", "imported", "locked",
		"received_at", "expires_at", "content_hash", "effective_hash", "body_digest", "decided_at", "decided_seq", "entry_seq"} {
		t.Run(column, func(t *testing.T) {
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			w.role("finance", "confirm.*")
			c := w.post(agent, `{"confirm_id":"c","target_type":"other","required_role":"finance","timeout":300,"reason":"Buy","actions":[{"name":"a","args":{}}]}`)
			value := "x'07'"
			switch column {
			case "required_role":
				value = "NULL"
			case "expires_at":
				value = "expires_at + 86400000000"
				w.pass(time.Hour)
			case "requested_group":
				value = "'user:x'"
			case "role_registered", "imported", "locked":
				value = "1 - " + column
			case "frame_index", "actions", "received_at", "decided_seq", "entry_seq", "decided_at":
				value = "COALESCE(" + column + ", 0) + 1"
			case "body_digest":
			default:
				value = "'x'"
			}
			i := openIntruder(t, w.file)
			i.while(func() {
				_, err := w.decide(reviewer, c, domain.Approved)
				if code := domain.ErrorCode(err); code != domain.CodeEvidenceUnavailable && code != domain.CodeNotFound {
					t.Errorf("approve: %v", err)
				}
				_, err = w.CancelConfirm(w.ctx, agent, "c", "")
				if code := domain.ErrorCode(err); code != domain.CodeEvidenceUnavailable && code != domain.CodeNotFound {
					t.Errorf("cancel: %v", err)
				}
				if _, err := w.ExpireDue(w.ctx, -1); err != nil {
					t.Errorf("the clock stops: %v", err)
				}
			}, "UPDATE confirms SET "+column+" = "+value+" WHERE confirm_id = 'c'")
			w.wantNothingDone(column)
		})
	}
}

// The password that somebody else has put into a row signs nobody in, and no change of
// the user writes over it.
func TestA1_ChangedPasswordIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("attacker", "reviewer")
	owner := w.user("owner", "reviewer")
	i := openIntruder(t, w.file)
	i.while(func() {
		_, _, err := w.SignIn(w.ctx, "owner", password, domain.Client{})
		w.wantUnproven("sign in", err)
		w.wantUnproven("disable", w.DisableUser(w.ctx, domain.System, owner.ID))
		w.wantUnproven("assign", w.AssignRoles(w.ctx, domain.System, owner.ID, []string{"executor"}))
		_, err = w.ResetUser(w.ctx, domain.System, owner.ID)
		w.wantUnproven("reset", err)
	}, "UPDATE users SET password = (SELECT password FROM users WHERE name = 'attacker') WHERE name = 'owner'")
	w.wantNothingDone("password")
}

// An approval whose use was taken out of the table and is used again is found for ever.
func TestA1_TwoUsesOfAnApprovalAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	c := w.post(agent, `{"confirm_id":"c","target_type":"other","actions":[{"name":"pay","args":{}}]}`)
	w.mustDecide(reviewer, c, domain.Approved)
	use := func(execution string) error {
		_, err := w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: "c", ExecutionID: execution, Action: new(int64(0)), ArgsHash: evidence.ArgsHash([]byte("{}"))})
		return err
	}
	if err := use("e-1"); err != nil {
		t.Fatal(err)
	}
	w.wantNothingDone("before")
	i := openIntruder(t, w.file)
	var second error
	i.while(func() { second = use("e-2") }, "DELETE FROM consumptions")
	if second == nil {
		w.wantFound("used twice")
	} else {
		w.wantNothingDone("refused")
	}
}

// A trigger, or whoever comes between, cannot have the program sign what it did not
// mean to write.
func TestA1_TriggersChangeNothingThatIsSigned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		trigger string
		act     func(w *world, owner, agent, reviewer domain.Ref, c *domain.Confirm) error
	}{
		"another password, before the update": {
			"CREATE TRIGGER sneak BEFORE UPDATE ON users WHEN NEW.name = 'owner' BEGIN UPDATE users SET password = 'x' WHERE name = 'owner'; END",
			func(w *world, owner, _, _ domain.Ref, _ *domain.Confirm) error {
				return w.DisableUser(w.ctx, domain.System, owner.ID)
			},
		},
		"another group, before the decision": {
			"CREATE TRIGGER sneak BEFORE UPDATE ON confirms BEGIN UPDATE confirms SET requested_group = 'keys' WHERE confirm_id = NEW.confirm_id; END",
			func(w *world, _, _, reviewer domain.Ref, c *domain.Confirm) error {
				_, err := w.decide(reviewer, c, domain.Rejected)
				return err
			},
		},
		"an approval, after the decision": {
			"CREATE TRIGGER sneak AFTER INSERT ON decisions BEGIN UPDATE confirms SET status = 'approved'; END",
			func(w *world, _, _, reviewer domain.Ref, c *domain.Confirm) error {
				_, err := w.decide(reviewer, c, domain.Rejected)
				return err
			},
		},
		"an approval, with the entry": {
			"CREATE TRIGGER sneak AFTER INSERT ON log BEGIN UPDATE confirms SET status = 'approved'; UPDATE decisions SET status = 'approved'; END",
			func(w *world, _, _, reviewer domain.Ref, c *domain.Confirm) error {
				_, err := w.decide(reviewer, c, domain.Rejected)
				return err
			},
		},
		"the role stays": {
			"CREATE TRIGGER sneak BEFORE DELETE ON roles BEGIN SELECT RAISE(IGNORE); END",
			func(w *world, _, _, _ domain.Ref, _ *domain.Confirm) error {
				return w.DeleteRole(w.ctx, domain.System, "spare")
			},
		},
		"the roles stay": {
			"CREATE TRIGGER sneak BEFORE DELETE ON user_roles BEGIN SELECT RAISE(IGNORE); END",
			func(w *world, owner, _, _ domain.Ref, _ *domain.Confirm) error {
				return w.AssignRoles(w.ctx, domain.System, owner.ID, []string{"executor"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer, owner := w.worker(), w.user("reviewer", "reviewer"), w.user("owner", "reviewer", "executor")
			w.role("spare", "plan.create")
			c := w.post(agent, `{"confirm_id":"c","target_type":"other","actions":[{"name":"pay","args":{}}]}`)
			i := openIntruder(t, w.file)
			i.change(tt.trigger)
			err := tt.act(w, owner, agent, reviewer, c)
			i.change("DROP TRIGGER sneak")
			if err != nil {
				w.wantNothingDone("refused")
				return
			}
			if report := verify(t, w.file, ""); report.IsVerified() { // what was signed is what was meant
				if strings.Contains(tt.trigger, "IGNORE") {
					t.Errorf("it is not done, and nothing is found")
				}
				if o, err := w.Outcome(w.ctx, agent, "c", 0); err == nil && o.Confirm.Status == domain.Approved {
					t.Errorf("%+v", o.Confirm)
				}
			}
		})
	}
}

// Whoever is found by a name has it: a column that only repeats names leads to nobody
// else's row.
func TestA1_NamesLeadToNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.worker()
	w.role("finance", "confirm.*")
	i := openIntruder(t, w.file)
	i.while(func() {
		posted, err := w.tryPost(agent, `{"target_type":"other","required_role":"finance","actions":[{"name":"pay","args":{}}]}`)
		if err == nil {
			t.Errorf("the role %s must decide", posted.Confirm.RequiredRole)
		}
		if u, _, err := w.AddUser(w.ctx, domain.System, "second", []string{"finance"}, password); err == nil {
			t.Errorf("the user was given the roles %v", u.Roles)
		}
	}, "UPDATE roles SET name_folded = 'gone' WHERE name = 'finance'", "UPDATE roles SET name_folded = 'finance' WHERE name = 'executor'")
	w.wantNothingDone("names")
	w.user("root", "admin")
	w.user("guest", "reviewer")
	i.while(func() {
		if _, user, err := w.SignIn(w.ctx, "root", password, domain.Client{}); err == nil {
			t.Errorf("signed in as %s", user.Name)
		}
	}, "UPDATE users SET name_folded = 'gone' WHERE name = 'root'", "UPDATE users SET name_folded = 'root' WHERE name = 'guest'")
	w.wantNothingDone("users")
}
