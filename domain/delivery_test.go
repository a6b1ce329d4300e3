package domain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

func TestDelivery_FiltersChooseWhoIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, other, reviewer := w.worker(), w.key("other", "executor", "architect"), w.user("reviewer", "reviewer")
	before := w.post(agent, toolCall)
	all := w.destination("all")
	role := w.destination("role", func(in *domain.DestinationInput) { in.Roles = []string{"reviewer"} })
	target := w.destination("target", func(in *domain.DestinationInput) { in.TargetTypes = []domain.TargetType{domain.TargetExtension} })
	bound := w.destination("bound", func(in *domain.DestinationInput) { in.Key = agent.ID })
	final := w.destination("final", func(in *domain.DestinationInput) { in.Types = []string{"confirm.approved"} })
	roles := w.destination("roles", func(in *domain.DestinationInput) { in.Types = []string{"role.*"} })

	one := w.post(agent, toolCall)
	two := w.post(other, `{"target_type":"extension","target_id":"x","required_role":"reviewer","actions":[{"name":"install","args":{}}]}`)
	w.mustDecide(reviewer, two, domain.Approved)
	w.role("night")
	w.mustDecide(reviewer, before, domain.Rejected)

	asked, ask2, approved, rejected := "confirm.requested "+one.ID, "confirm.requested "+two.ID, "confirm.approved "+two.ID, "confirm.rejected "+before.ID
	for _, tt := range []struct {
		d    *domain.Destination
		want []string
	}{
		{all, []string{asked, ask2, approved, rejected}},
		{role, []string{ask2, approved}},
		{target, []string{ask2, approved}},
		{bound, []string{asked, rejected}},
		{final, []string{approved}},
		{roles, []string{"role.created"}},
	} {
		t.Log(tt.d.Name)
		wantTold(t, w.deliver(tt.d), tt.want...)
	}
	for _, d := range []*domain.Destination{all, roles} {
		wantTold(t, w.deliver(d)) // once
	}
}

// What happens while a destination is disabled is not told later.
func TestDelivery_NothingOfTheTimeWhileDisabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	w.post(agent, toolCall)
	w.queue()
	if err := w.DisableDestination(w.ctx, domain.System, d.ID); err != nil {
		t.Fatal(err)
	}
	w.post(agent, toolCall)
	wantTold(t, w.deliver(d))
	if err := w.EnableDestination(w.ctx, domain.System, d.ID); err != nil {
		t.Fatal(err)
	}
	c := w.post(agent, toolCall)
	wantTold(t, w.deliver(d), "confirm.requested "+c.ID)
	rows, _, err := w.DeliveryRows(w.ctx, domain.System, domain.DeliveryFilter{State: domain.DeliveryDead}, domain.Page{})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d are dead, %v", len(rows), err)
	}
	if err := w.RetryDelivery(w.ctx, domain.System, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	wantTold(t, w.deliver(d), "confirm.requested "+rows[0].ConfirmID)
}

// T54, T56: a message has a plain name of a tool and who asks, or less; never arguments
// and reasons, unless an administrator wanted them.
func TestT54_DetailsOfMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	destinations := map[domain.Details]*domain.Destination{}
	for _, details := range []domain.Details{domain.DetailsNone, domain.DetailsNames, domain.DetailsFull} {
		destinations[details] = w.destination(string(details), func(in *domain.DestinationInput) { in.Details, in.Key = details, agent.ID })
	}
	c := w.post(agent, toolCall)
	hostile := w.post(agent, `{"target_type":"other","actions":[{"name":"<!channel> pay","args":{}},{"name":"pay","args":{}}]}`)
	w.mustDecide(reviewer, c, domain.Approved)
	w.queue()
	for details, d := range destinations {
		list := w.claim(d)
		if len(list) != 3 {
			t.Fatalf("%s: %d messages", details, len(list))
		}
		asked, odd, approved := list[0].Message.Confirm, list[1].Message.Confirm, list[2].Message.Confirm
		if asked.ID != c.ID || asked.Status != domain.Pending || asked.ContentHash != c.ContentHash || asked.Outcome != nil || odd.ID != hostile.ID || odd.Tool != "" {
			t.Errorf("%s: %+v %+v", details, asked, odd)
		}
		if approved.Status != domain.Approved || approved.Cause != domain.CauseHuman || approved.EffectiveHash == "" {
			t.Errorf("%s: %+v", details, approved)
		}
		if names := asked.Tool == "execute_trade" && asked.Requester == "worker" && asked.Actions == 1; names != (details != domain.DetailsNone) {
			t.Errorf("%s: %+v", details, asked)
		}
		if full := asked.Content != nil && asked.Content.Reason == "Buy low" && approved.Outcome != nil; full != (details == domain.DetailsFull) {
			t.Errorf("%s: content %v, outcome %v", details, asked.Content, approved.Outcome)
		}
		if m := list[0].Message; m.Path != "/confirms/"+c.ID || !strings.Contains(m.Checkpoint, "\n") || m.LogIndex != c.RequestedSeq {
			t.Errorf("%s: %+v", details, m)
		}
	}
}

func TestDelivery_RetriesUntilItIsDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	c := w.post(agent, toolCall)
	w.queue()
	began, tries := w.now(), 0
	failed := domain.DeliveryResult{Failure: domain.FailureStatus, HTTPStatus: 503}
	for tries < 20 {
		list := w.claim(d)
		if len(list) == 0 {
			told, _, err := w.DeliveryRows(w.ctx, domain.System, domain.DeliveryFilter{}, domain.Page{})
			if err != nil || len(told) != 1 {
				t.Fatalf("%d deliveries, %v", len(told), err)
			}
			if told[0].State == domain.DeliveryDead {
				break
			}
			w.pass(max(told[0].DueAt.Sub(w.now()), time.Second))
			continue
		}
		tries++
		w.record(d, list, failed)
	}
	if took := w.now().Sub(began); tries != 10 || took < 18*time.Hour || took > 28*time.Hour {
		t.Errorf("%d tries in %s", tries, took)
	}
	rows, _, err := w.DeliveryRows(w.ctx, domain.System, domain.DeliveryFilter{DestinationID: d.ID, State: domain.DeliveryDead}, domain.Page{})
	if err != nil || len(rows) != 1 || rows[0].HTTPStatus != 503 || rows[0].Failure != domain.FailureStatus || rows[0].ConfirmID != c.ID {
		t.Errorf("dead: %+v, %v", rows, err)
	}
	if err := w.RetryDelivery(w.ctx, domain.System, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	wantTold(t, w.deliver(d), "confirm.requested "+c.ID)
}

// A receiver that asks for time gets it, but no more than an hour.
func TestDelivery_RetryAfter(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{0: 4 * time.Second, 10 * time.Minute: 10 * time.Minute, 100 * time.Hour: time.Hour} {
		w := newWorld(t)
		agent, d := w.worker(), w.destination("one")
		w.post(agent, toolCall)
		w.queue()
		w.record(d, w.claim(d), domain.DeliveryResult{Failure: domain.FailureStatus, HTTPStatus: 429, RetryAfter: asked})
		rows, _, err := w.DeliveryRows(w.ctx, domain.System, domain.DeliveryFilter{}, domain.Page{})
		if err != nil || len(rows) != 1 {
			t.Fatal(rows, err)
		}
		if pause := rows[0].DueAt.Sub(w.now()); pause < want || pause > want+2*time.Second {
			t.Errorf("asked for %s: tried again after %s", asked, pause)
		}
	}
}

// T59: one that keeps failing is left alone, and after three days disabled.
func TestT59_ADestinationThatKeepsFailing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	failed := domain.DeliveryResult{Failure: domain.FailureTimeout}
	for range 5 {
		w.post(agent, toolCall)
	}
	w.queue()
	w.record(d, w.claim(d), failed)
	w.pass(10 * time.Second)
	if list := w.claim(d); len(list) != 0 {
		t.Errorf("after 5 failures %d more are tried", len(list))
	}
	w.pass(time.Minute)
	if list := w.claim(d); len(list) != 1 {
		t.Errorf("a minute later %d are tried, want 1", len(list))
	}
	tries := 0
	for began := w.now(); w.destinationRow(d.ID).Status == domain.DestinationEnabled; w.pass(10 * time.Minute) {
		if w.now().Sub(began) > 73*time.Hour {
			t.Fatal("it is told for ever")
		}
		if tries%6 == 0 {
			w.post(agent, toolCall)
			w.queue()
		}
		tries++
		w.record(d, w.claim(d), failed)
	}
	row := w.destinationRow(d.ID)
	if row.Status != domain.DestinationFailing || row.Waiting != 0 {
		t.Errorf("%s, %d wait", row.Status, row.Waiting)
	}
	types := w.entryTypes()
	if last := types[len(types)-1]; last != "destination.disabled" {
		t.Errorf("the log ends with %s", last)
	}
	wantVerified(t, "the log", verify(t, w.file, ""))
}

func TestDelivery_GoneDisables(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	w.post(agent, toolCall)
	w.queue()
	w.record(d, w.claim(d), domain.DeliveryResult{Failure: domain.FailureGone, HTTPStatus: 410})
	if got := w.destinationRow(d.ID).Status; got != domain.DestinationGone {
		t.Errorf("it is %s", got)
	}
}

// A thousand of everything: what waits is bounded, and the next message says that
// something is missing.
func TestT59_WaitingDeliveriesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	var list []*domain.Delivery
	for i := range domain.MaxWaitingDeliveries - 1 {
		list = append(list, &domain.Delivery{ID: fmt.Sprint("d", i), DestinationID: d.ID, Type: "confirm.requested", State: domain.DeliveryWaiting, DueAt: w.now().Add(time.Hour), CreatedAt: w.now()})
	}
	if err := w.db.Tx(w.ctx, func(tx domain.Tx) error { return tx.InsertDeliveries(list) }); err != nil {
		t.Fatal(err)
	}
	fits := w.post(agent, toolCall)
	w.post(agent, toolCall)
	w.queue()
	w.post(agent, toolCall)
	wantTold(t, w.deliver(d), "confirm.requested "+fits.ID)
	next := w.post(agent, toolCall)
	wantTold(t, w.deliver(d), "confirm.requested "+next.ID+" missed")
	next = w.post(agent, toolCall)
	wantTold(t, w.deliver(d), "confirm.requested "+next.ID)
}

// errCrash ends a transaction as the end of the process does.
var errCrash = errors.New("crash")

// crashingStore fails one transaction, before or after what it writes.
type crashingStore struct {
	domain.Store
	countdown int // transactions until the one that fails; negative: none
}

func (s *crashingStore) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	s.countdown--
	return s.Store.Tx(ctx, func(tx domain.Tx) error {
		err := fn(tx)
		if err == nil && s.countdown == 0 {
			return errCrash
		}
		return err
	})
}

// T61: whatever step is the last one, each entry is told at least once, and at most
// twice: after a crash between sending and recording.
func TestT61_EveryStepMayBeTheLast(t *testing.T) {
	t.Parallel()
	for step := range 9 {
		t.Run(fmt.Sprint("transaction ", step), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, d := w.worker(), w.destination("one")
			for range 40 {
				w.post(agent, toolCall)
			}
			crashing := &crashingStore{w.db, step + 1}
			svc := domain.NewService(crashing, domain.Config{Now: w.now})
			told := map[string]int{}
			run := func(svc *domain.Service) error {
				for more := true; more; {
					var err error
					if more, err = svc.QueueDeliveries(w.ctx); err != nil {
						return err
					}
				}
				for {
					list, err := svc.ClaimDeliveries(w.ctx, d.ID)
					if err != nil || len(list) == 0 {
						return err
					}
					var results []domain.DeliveryResult
					for _, dispatch := range list {
						told[dispatch.Message.Confirm.ID]++
						results = append(results, domain.DeliveryResult{ID: dispatch.Message.ID})
					}
					if err := svc.RecordDeliveries(w.ctx, d.ID, results); err != nil {
						return err
					}
				}
			}
			if err := run(svc); step < 6 != errors.Is(err, errCrash) {
				t.Fatalf("the first run: %v", err)
			}
			w.pass(time.Minute)
			if err := run(w.Service); err != nil {
				t.Fatal(err)
			}
			if len(told) != 40 {
				t.Errorf("%d requests were told, want 40", len(told))
			}
			for id, n := range told {
				if n > 2 {
					t.Errorf("%s was told %d times", id, n)
				}
			}
		})
	}
}

// The transactions that queue are those of one node at a time.
func TestT61_TwoNodesQueueOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, d := w.worker(), w.destination("one")
	for range 600 {
		w.post(agent, toolCall)
	}
	errs := make(chan error)
	for range 4 {
		go func() {
			more, err := true, error(nil)
			for more && err == nil {
				more, err = w.QueueDeliveries(w.ctx)
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	told := map[string]int{}
	for _, text := range w.deliver(d) {
		told[text]++
	}
	if len(told) != 600 {
		t.Errorf("%d were told, want 600", len(told))
	}
	for text, n := range told {
		if n != 1 {
			t.Errorf("%s: %d times", text, n)
		}
	}
}
