package domain_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/mplp"
)

// counted counts the looks at the database.
type counted struct {
	domain.Store
	views atomic.Int64
}

func (c *counted) View(ctx context.Context, fn func(domain.Reader) error) error {
	c.views.Add(1)
	return c.Store.View(ctx, fn)
}

// waiting is a service over the same database and feed, whose looks are counted.
func (w *world) waiting() (*domain.Service, *counted) {
	store := &counted{Store: w.db}
	return domain.NewService(store, domain.Config{Feed: w.feed, Now: w.now}), store
}

// TestOutcome_WhoWaitsIsTold what a look would have found, without looking again.
func TestOutcome_WhoWaitsIsTold(t *testing.T) {
	t.Parallel()
	edits := []mplp.ActionDecision{{Type: domain.ActionEdit, Name: "delete_table", Args: []byte(`{"table":"<u>&\u0041","n":1e400}`), Message: "not that one"}, {Type: domain.ActionApprove}}
	for _, tt := range []struct {
		name, body string
		end        func(w *world, by, reviewer domain.Ref, c *domain.Confirm) error
	}{
		{"approved", twoCalls, func(w *world, _, reviewer domain.Ref, c *domain.Confirm) error {
			_, err := w.decide(reviewer, c, domain.Approved)
			return err
		}},
		{"without actions", `{"target_type":"plan","target_id":"p-1","timeout":300}`, func(w *world, _, reviewer domain.Ref, c *domain.Confirm) error {
			_, err := w.decide(reviewer, c, domain.Rejected)
			return err
		}},
		{"edited", twoCalls, func(w *world, _, reviewer domain.Ref, c *domain.Confirm) error {
			_, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{ContentHash: c.ContentHash, Actions: edits, UserEditContent: "<so>"})
			return err
		}},
		{"changes requested", toolCall, func(w *world, _, reviewer domain.Ref, c *domain.Confirm) error {
			_, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{
				ContentHash: c.ContentHash, Status: domain.Rejected, Intent: domain.IntentRequestChanges, Reason: "half of it", DecisionID: "d-1"})
			return err
		}},
		{"filled", `{"target_type":"other","approval_key":"s_1","actions":[{"name":"a","args":{}},{"name":"b","args":{}}]}`,
			func(w *world, _, reviewer domain.Ref, c *domain.Confirm) error {
				_, err := w.DecideApproval(w.ctx, reviewer, c.ID, &mplp.ApprovalCommand{Decisions: []mplp.ActionDecision{{Type: domain.ActionReject, Message: "no"}}})
				return err
			}},
		{"withdrawn", twoCalls, func(w *world, by, _ domain.Ref, c *domain.Confirm) error {
			_, err := w.CancelConfirm(w.ctx, by, c.ID, "changed my mind")
			return err
		}},
		{"over with its plan", `{"target_type":"plan","target_id":"plan-1","step_id":"s1","timeout":300}`, func(w *world, by, _ domain.Ref, _ *domain.Confirm) error {
			_, err := w.CancelPlan(w.ctx, by, "plan-1", "no need")
			return err
		}},
		{"timed out", twoCalls, func(w *world, by, _ domain.Ref, c *domain.Confirm) error {
			w.pass(300 * time.Second)
			_, err := w.Outcome(w.ctx, by, c.ID, 0)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				agent, reviewer := w.key("bot", "executor", "planner"), w.user("reviewer", "reviewer")
				w.plan(agent, "plan-1")
				c := w.post(agent, tt.body)
				service, looks := w.waiting()
				told := make(chan *domain.Outcome, 1)
				go func() {
					o, err := service.Outcome(w.ctx, agent, c.ID, domain.MaxWait)
					if err != nil {
						t.Error(err)
					}
					told <- o
				}()
				synctest.Wait()
				before := looks.views.Load()
				if err := tt.end(w, agent, reviewer, c); err != nil {
					t.Fatal(err)
				}
				o := <-told
				if !o.IsFinal() {
					t.Error("it waits no more, and is pending")
				}
				if diff := cmp.Diff(w.outcome(c.ID), o); diff != "" {
					t.Errorf("what was told is not what is stored (-stored +told):\n%s", diff)
				}
				if n := looks.views.Load() - before; n > 0 {
					t.Errorf("%d looks", n)
				}
			})
		})
	}
}
