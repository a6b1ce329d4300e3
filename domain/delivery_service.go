package domain

import (
	"context"
	"time"

	"countersign/domain/evidence"
)

// DeliveryRow is a delivery as pages show it.
type DeliveryRow struct {
	Delivery
	Destination string // the name
}

// DeliveryRows lists deliveries, the newest entries first. Needs destination.read.
func (s *Service) DeliveryRows(ctx context.Context, ref Ref, f DeliveryFilter, page Page) (list []*DeliveryRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(DestinationRead, DestinationModify); err != nil {
			return err
		}
		found, after, err := r.Deliveries(f, page)
		if err != nil {
			return err
		}
		next = after
		list, err = deliveryRows(r, found)
		return err
	})
	return list, next, err
}

func deliveryRows(r Reader, found []*Delivery) (list []*DeliveryRow, err error) {
	all, err := r.Destinations()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, d := range all {
		names[d.ID] = d.Name
	}
	for _, d := range found {
		list = append(list, &DeliveryRow{*d, names[d.DestinationID]})
	}
	return list, nil
}

// RetryDelivery sends a delivery again that is dead or was sent: the receiver knows it by
// its id. Needs destination.modify.
func (s *Service) RetryDelivery(ctx context.Context, ref Ref, id string) error {
	err := s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(DestinationModify); err != nil {
			return err
		}
		d, err := tx.Delivery(id)
		if err != nil {
			return notFoundOr(err, "delivery")
		}
		to, err := tx.Destination(d.DestinationID)
		switch {
		case err != nil:
			return notFoundOr(err, "destination")
		case to.Status != DestinationEnabled:
			return refuse(CodeInvalidTransition, "The destination %s is disabled. Enable it first.", to.Name)
		case d.Type == MessageTest:
			return refuse(CodeInvalidTransition, "This was a test. Send another one from the page of the destination.")
		}
		health, err := tx.DestinationHealth(to.ID)
		if err == nil {
			health.TriedAt = time.Time{} // who asks for it does not wait
			err = tx.SetDestinationHealth(health)
		}
		if err != nil {
			return err
		}
		d.State, d.DueAt, d.Attempts, d.EndedAt = DeliveryWaiting, s.clock(), 0, time.Time{}
		return tx.UpdateDelivery(d)
	})
	if err == nil {
		s.wakeDeliveries()
	}
	return err
}

// SendTest sends a test message to a destination at once, also to a disabled one, and
// returns what became of it. Needs destination.modify.
func (s *Service) SendTest(ctx context.Context, ref Ref, id string, send Send) (*Delivery, error) {
	test, err := s.addTest(ctx, ref, id, claimTime)
	if err != nil {
		return nil, err
	}
	list, err := s.dispatches(ctx, test.DestinationID, []*Delivery{test})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, refuse(CodeInvalidTransition, "The address cannot be read any more. Enter it again first.")
	}
	result := send(ctx, list[0])
	result.ID = test.ID
	if err := s.RecordDeliveries(context.WithoutCancel(ctx), test.DestinationID, []DeliveryResult{result}); err != nil {
		return nil, err
	}
	return s.Delivery(ctx, ref, test.ID)
}

// QueueTest has the running server send a test message. Needs destination.modify.
func (s *Service) QueueTest(ctx context.Context, ref Ref, id string) (*Delivery, error) {
	return s.addTest(ctx, ref, id, 0)
}

// addTest adds a test that is due in some time. Its entry wakes the server.
func (s *Service) addTest(ctx context.Context, ref Ref, id string, pause time.Duration) (test *Delivery, err error) {
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(DestinationModify); err != nil {
			return err
		}
		to, err := findDestination(tx, id)
		if err != nil {
			return err
		}
		now := s.clock()
		test = &Delivery{DestinationID: to.ID, Type: MessageTest, State: DeliveryWaiting, DueAt: now.Add(pause), CreatedAt: now}
		if test.Seq, err = tx.NextSeq(); err == nil {
			test.ID, err = s.newID()
		}
		if err == nil {
			err = tx.InsertDeliveries([]*Delivery{test})
		}
		if err != nil {
			return err
		}
		return s.log(tx, p, evidence.Entry{Type: "destination.tested", ObjectID: to.ID, Data: data("name", to.Name)})
	})
	return test, err
}

// Delivery returns a delivery. Needs destination.read.
func (s *Service) Delivery(ctx context.Context, ref Ref, id string) (d *Delivery, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(DestinationRead, DestinationModify); err != nil {
			return err
		}
		d, err = r.Delivery(id)
		return notFoundOr(err, "delivery")
	})
	return d, err
}

// Told is which destinations were told that a request waits. Callbacks of agents do not
// count: no person hears of it by them.
type Told struct {
	Sent, Waiting, Dead []string // names of destinations
}

// told returns who was told of a request that waits, nil if there is nobody to tell.
func told(r Reader, c *Confirm) (*Told, error) {
	if c.IsFinal() || c.Imported {
		return nil, nil
	}
	all, err := r.Destinations()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, d := range all {
		if d.KeyID == "" && d.Status == DestinationEnabled && d.listens(evidence.EntryRequested) {
			names[d.ID] = d.Name
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	found, err := r.DeliveriesOf(c.ID)
	t := new(Told)
	for _, d := range found {
		name := names[d.DestinationID]
		switch {
		case name == "" || d.Seq != c.RequestedSeq:
		case d.State == DeliverySent:
			t.Sent = append(t.Sent, name)
		case d.State == DeliveryDead:
			t.Dead = append(t.Dead, name)
		default:
			t.Waiting = append(t.Waiting, name)
		}
	}
	return t, err
}
