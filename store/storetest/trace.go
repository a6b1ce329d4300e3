package storetest

import (
	"context"
	"errors"
	"testing"

	"countersign/domain"
)

func testTraces(t *testing.T, s Store) {
	full := &domain.Trace{ID: "t1", ContextID: "x1", PlanID: "p1", Status: "completed", Locked: true, Native: []byte(`{"n":1e400}`),
		RequestedBy: agent, Group: "keys", CreatedAt: at(1)}
	bare := &domain.Trace{ID: "t2", RequestedBy: agent, Group: "user:u1", CreatedAt: at(1)}
	write(t, s, func(tx domain.Tx) error { return all(tx.InsertTrace(full), tx.InsertTrace(bare)) })
	same(t, "Trace", full, read(t, s, func(r domain.Reader) (*domain.Trace, error) { return r.Trace("t1") }))
	for _, tt := range []struct {
		name    string
		visible domain.Visibility
		want    []*domain.Trace
	}{
		{"all, newest first", everything, []*domain.Trace{bare, full}},
		{"own", domain.Visibility{Group: "keys"}, []*domain.Trace{full}},
		{"nobody's", domain.Visibility{}, nil},
	} {
		got := pages(t, s, 1, func(r domain.Reader, p domain.Page) ([]*domain.Trace, string, error) {
			return r.Traces(domain.TraceFilter{Visible: tt.visible}, p)
		})
		same(t, tt.name, tt.want, got)
	}
	wantError(t, "the same id again", domain.ErrConflict, tryWrite(s, func(tx domain.Tx) error { return tx.InsertTrace(full) }))
	wantError(t, "absent", domain.ErrNotFound, s.View(context.Background(), func(r domain.Reader) error {
		_, err := r.Trace("x")
		return err
	}))
}

func testConsumptions(t *testing.T, s Store) {
	c, unused := confirm("c1"), confirm("c2")
	insert(t, s, c, unused)
	want := &domain.Consumption{RequestedSeq: c.RequestedSeq, Subject: "action:0", ExecutionID: "e1", ConsumedBy: agent, ConsumedAt: at(3), Seq: 1}
	other := &domain.Consumption{RequestedSeq: c.RequestedSeq, Subject: "action:1", ExecutionID: "e1", ConsumedBy: agent, ConsumedAt: at(4), Seq: 1}
	write(t, s, func(tx domain.Tx) error { return all(tx.InsertConsumption(want), tx.InsertConsumption(other)) })
	same(t, "Consumption", want,
		read(t, s, func(r domain.Reader) (*domain.Consumption, error) { return r.Consumption(c.RequestedSeq, "action:0") }))
	again := *want
	again.ExecutionID = "e2"
	wantError(t, "a second use", domain.ErrConflict, tryWrite(s, func(tx domain.Tx) error { return tx.InsertConsumption(&again) }))
	step := &domain.Consumption{RequestedSeq: c.RequestedSeq, Subject: "step:s1", PlanID: "p1", StepID: "s1", ExecutionID: "e1", ConsumedBy: agent, ConsumedAt: at(5), Seq: 2}
	action := &domain.Consumption{RequestedSeq: unused.RequestedSeq, Subject: "action:1", PlanID: "p1", StepID: "s1", ExecutionID: "e1", ConsumedBy: agent, ConsumedAt: at(5), Seq: 3}
	write(t, s, func(tx domain.Tx) error { return all(tx.InsertConsumption(step), tx.InsertConsumption(action)) })
	same(t, "ConsumptionOfStep", step,
		read(t, s, func(r domain.Reader) (*domain.Consumption, error) { return r.ConsumptionOfStep("p1", "s1") }))
	another := *step
	another.RequestedSeq = unused.RequestedSeq
	wantError(t, "a second use of a step, by another confirm", domain.ErrConflict, tryWrite(s, func(tx domain.Tx) error { return tx.InsertConsumption(&another) }))
	elsewhere := another
	elsewhere.PlanID = "p2"
	write(t, s, func(tx domain.Tx) error { return tx.InsertConsumption(&elsewhere) })
	wantError(t, "a step that is not used", domain.ErrNotFound, s.View(context.Background(), func(r domain.Reader) error {
		_, err := r.ConsumptionOfStep("p1", "s2")
		return err
	}))
	for _, absent := range []struct {
		seq     int64
		subject string
	}{{c.RequestedSeq, "action:2"}, {unused.RequestedSeq, "action:0"}} {
		err := s.View(context.Background(), func(r domain.Reader) error {
			_, err := r.Consumption(absent.seq, absent.subject)
			return err
		})
		if !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("%v: error %v, want none found", absent, err)
		}
	}
}
