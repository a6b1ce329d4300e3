package domain_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
)

// TestRights_EndOpenWaits: whoever loses the right to hear an answer stops
// waiting for it at once, not when the wait is over.
func TestRights_EndOpenWaits(t *testing.T) {
	t.Parallel()
	waits := map[string]func(w *world, ref domain.Ref, c *domain.Confirm) error{
		"outcome": func(w *world, ref domain.Ref, c *domain.Confirm) error {
			_, err := w.Outcome(w.ctx, ref, c.ID, domain.MaxWait)
			return err
		},
		"gate": func(w *world, ref domain.Ref, _ *domain.Confirm) error {
			_, err := w.Gate(w.ctx, ref, domain.GateQuery{PlanID: "plan-1", StepID: "s1", Wait: domain.MaxWait})
			return err
		},
		"session": func(w *world, ref domain.Ref, _ *domain.Confirm) error {
			return w.followSession(w.ctx, ref, "session", nil, listening(w.ctx, func(domain.Frame) error { return nil }))
		},
		"events": func(w *world, ref domain.Ref, _ *domain.Confirm) error {
			return w.FollowEvents(w.ctx, ref, domain.EventFilter{}, listening(w.ctx, func(domain.Event) error { return nil }))
		},
	}
	for _, tt := range []struct {
		name string
		end  func(w *world) error
		want domain.Code
		of   []string // waits that end
	}{
		{"the key is revoked", func(w *world) error { return w.RevokeKey(w.ctx, domain.System, "asker") },
			domain.CodeUnauthenticated, []string{"outcome", "gate", "session", "events"}},
		{"its owner is disabled", func(w *world) error { return w.DisableUser(w.ctx, domain.System, "owner") },
			domain.CodeUnauthenticated, []string{"outcome", "gate", "session", "events"}},
		{"its role loses the capability", func(w *world) error {
			_, err := w.UpdateRole(w.ctx, domain.System, "asking", domain.RoleInput{Name: "asking", Capabilities: []string{"plan.propose"}})
			return err
		}, domain.CodeMissingCapability, []string{"gate", "events"}},
	} {
		for _, name := range tt.of {
			t.Run(tt.name+": "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, func(c *domain.Config) { c.Now = time.Now })
					w.user("owner", "reviewer")
					w.role("asking", "plan.*", "trace.read")
					ref := w.keyFor(domain.KeyInput{Name: "asker", Roles: []string{"asking"}, Owner: "owner"})
					w.plan(ref, "plan-1")
					c := w.post(ref, `{"target_type":"plan","target_id":"plan-1","step_id":"s1","session_id":"session"}`)
					began, ended := time.Now(), make(chan error, 1)
					go func() { ended <- waits[name](w, ref, c) }()
					synctest.Wait()
					select {
					case err := <-ended:
						t.Fatalf("it did not wait: %v", err)
					default:
					}
					if err := tt.end(w); err != nil {
						t.Fatal(err)
					}
					w.wantCode(<-ended, tt.want)
					if took := time.Since(began); took > 0 {
						t.Errorf("it ended after %v", took)
					}
				})
			})
		}
	}
}

// TestRights_OthersGoOnWaiting: the end of one key wakes nobody else up for good.
func TestRights_OthersGoOnWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(c *domain.Config) { c.Now = time.Now })
		one, other := w.key("one", "executor", "planner"), w.key("other", "executor")
		reviewer := w.user("reviewer", "reviewer")
		c := w.post(one, toolCall)
		ended := make(chan *domain.Outcome, 1)
		go func() {
			o, err := w.Outcome(context.WithoutCancel(w.ctx), one, c.ID, domain.MaxWait)
			if err != nil {
				t.Error(err)
			}
			ended <- o
		}()
		synctest.Wait()
		if err := w.RevokeKey(w.ctx, domain.System, other.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case o := <-ended:
			t.Fatalf("it ended: %+v", o)
		default:
		}
		w.mustDecide(reviewer, c, domain.Approved)
		if o := <-ended; o.Confirm.Status != domain.Approved {
			t.Errorf("status %s", o.Confirm.Status)
		}
	})
}

// TestRights_WhateverChangesThemIsHeard by those who wait, who do not look again
// when they are told an outcome.
func TestRights_WhateverChangesThemIsHeard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(w *world, key, owner domain.Ref) error
	}{
		{"the key is revoked", func(w *world, key, _ domain.Ref) error { return w.RevokeKey(w.ctx, domain.System, key.ID) }},
		{"its owner is disabled", func(w *world, _, owner domain.Ref) error { return w.DisableUser(w.ctx, domain.System, owner.ID) }},
		{"its owner gets other roles", func(w *world, _, owner domain.Ref) error {
			return w.AssignRoles(w.ctx, domain.System, owner.ID, []string{"executor"})
		}},
		{"its owner is reset", func(w *world, _, owner domain.Ref) error {
			_, err := w.ResetUser(w.ctx, domain.System, owner.ID)
			return err
		}},
		{"its role is modified", func(w *world, _, _ domain.Ref) error {
			_, err := w.UpdateRole(w.ctx, domain.System, "asking", domain.RoleInput{Name: "asking", Capabilities: []string{"plan.propose"}})
			return err
		}},
		{"a role is deleted", func(w *world, _, _ domain.Ref) error { return w.DeleteRole(w.ctx, domain.System, "tester") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				owner := w.user("owner", "reviewer")
				w.role("asking", "plan.execute")
				key := w.keyFor(domain.KeyInput{Name: "asker", Roles: []string{"asking"}, Owner: "owner"})
				heard := false
				stop, err := w.Listen(w.ctx, key, w.post(key, toolCall).ID, func() { heard = true })
				if err != nil {
					t.Fatal(err)
				}
				if err := tt.change(w, key, owner); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				stop()
				if !heard {
					t.Error("nobody was woken")
				}
			})
		})
	}
}
