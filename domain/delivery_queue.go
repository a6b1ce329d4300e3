package domain

import (
	"context"
	"encoding/json"
	"errors"

	"countersign/domain/evidence"
)

// Limits of one transaction that queues deliveries, so that those who decide get a turn.
const (
	queueEntries    = 512
	queueChunk      = 64 // that are read together
	queueDeliveries = 256
)

// QueueDeliveries writes the deliveries of the next entries of the log, and reports
// whether there may be more. The log is the outbox: the cursor moves in the transaction
// that writes the deliveries, so that each entry is queued once, whatever stops this
// process. It reads outside of that transaction, and nobody waits for it. The
// transaction keeps nothing if another node was first.
func (s *Service) QueueDeliveries(ctx context.Context) (more bool, err error) {
	q := &deliveryQueue{s: s}
	err = s.store.View(ctx, q.read)
	if err != nil || q.last == q.cursor {
		return false, err
	}
	err = s.store.Tx(ctx, func(tx Tx) error {
		switch cursor, err := tx.DeliveryCursor(); {
		case err != nil:
			return err
		case cursor != q.stored:
			return errCursorMoved
		}
		if err := tx.InsertDeliveries(q.deliveries); err != nil {
			return err
		}
		for _, d := range q.told {
			if err := d.noteMissed(tx); err != nil {
				return err
			}
		}
		return tx.SetDeliveryCursor(q.last)
	})
	if errors.Is(err, errCursorMoved) {
		return true, nil
	}
	return q.more, err
}

// errCursorMoved says that another node has queued the same entries.
var errCursorMoved = errors.New("the cursor of deliveries is not where it was read")

// deliveryQueue is what the next entries lead to.
type deliveryQueue struct {
	s          *Service
	stored     int64 // where the cursor was
	cursor     int64 // where reading begins: nobody is told of entries up to here
	last       int64 // the last entry read
	told       []*destinationQueue
	deliveries []*Delivery
	more       bool
}

func (q *deliveryQueue) read(r Reader) error {
	all, err := r.Destinations()
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.Status == DestinationEnabled {
			q.told = append(q.told, &destinationQueue{Destination: d})
		}
	}
	if len(q.told) == 0 {
		return nil // a destination that comes later is told of nothing that is there now
	}
	if q.stored, err = r.DeliveryCursor(); err != nil {
		return err
	}
	q.cursor = max(q.stored, firstTold(all)-1)
	q.last = q.cursor
	for range queueEntries / queueChunk {
		after := q.last
		entries, err := r.Entries(EntryFilter{After: &after, Limit: queueChunk})
		if err != nil {
			return err
		}
		for _, e := range entries {
			if q.more = len(q.deliveries) >= queueDeliveries; q.more {
				return nil
			}
			if err := q.add(r, e); err != nil {
				return err
			}
			q.last = e.Seq
		}
		if q.more = len(entries) == queueChunk; !q.more {
			return nil
		}
	}
	return nil
}

// destinationQueue is a destination with how many deliveries wait for it.
type destinationQueue struct {
	*Destination
	isLoaded  bool
	waiting   int
	group     Group // of its key
	wasMissed bool
	isMissed  bool // entries were left out since the last delivery was queued
}

// add queues an entry for the destinations that are told of it.
func (q *deliveryQueue) add(r Reader, e *evidence.Entry) (err error) {
	var c *Confirm
	var roles []string
	for _, d := range q.told {
		if !d.listens(e.Type) {
			continue
		}
		if e.ConfirmID != "" && c == nil && d.isNarrowed() {
			if c, err = provenConfirm(r, e.ConfirmID); err != nil {
				return err
			}
			if roles, err = decidingRoles(r, c, e); err != nil {
				return err
			}
		}
		if err := d.load(r); err != nil {
			return err
		}
		switch {
		case !d.isTold(e, c, roles, d.group):
		case d.waiting >= MaxWaitingDeliveries:
			d.isMissed = true
		default:
			id, err := q.s.newID()
			if err != nil {
				return err
			}
			now := q.s.clock()
			q.deliveries = append(q.deliveries, &Delivery{ID: id, DestinationID: d.ID, Seq: e.Seq, Type: e.Type, ConfirmID: e.ConfirmID,
				State: DeliveryWaiting, DueAt: now, CreatedAt: now, IsMissed: d.isMissed})
			d.waiting, d.isMissed = d.waiting+1, false
		}
	}
	return nil
}

// load reads what is known of the destination, once.
func (d *destinationQueue) load(r Reader) (err error) {
	if d.isLoaded {
		return nil
	}
	d.isLoaded = true
	health, err := r.DestinationHealth(d.ID)
	if err != nil {
		return err
	}
	d.wasMissed, d.isMissed = health.IsMissed, health.IsMissed
	if d.waiting, err = r.WaitingDeliveries(d.ID); err != nil || d.KeyID == "" {
		return err
	}
	key, err := r.Key(d.KeyID)
	if err != nil {
		return notFoundOr(err, "key")
	}
	d.group = key.group()
	return nil
}

// noteMissed writes whether entries were left out.
func (d *destinationQueue) noteMissed(tx Tx) error {
	if d.isMissed == d.wasMissed {
		return nil
	}
	health, err := tx.DestinationHealth(d.ID)
	if err != nil {
		return err
	}
	health.IsMissed = d.isMissed
	return tx.SetDestinationHealth(health)
}

// provenConfirm returns a confirm, or an empty one if the log does not prove what is
// stored: then nothing of it is told but what its entry says.
func provenConfirm(r Reader, id string) (*Confirm, error) {
	c, err := r.Confirm(id)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnproven) {
		return &Confirm{ID: id}, nil
	}
	return c, err
}

// decidingRoles returns the roles that may decide a request at the time of an entry: the
// one that it requires, or those that vote on it. Of an escalation, only those are told
// that may vote from then on.
func decidingRoles(r Reader, c *Confirm, e *evidence.Entry) (roles []string, err error) {
	if c.Quorum == 0 {
		return []string{c.RequiredRole}, nil
	}
	if e.Type == entryEscalated {
		var facts struct {
			Roles []string `json:"roles"`
		}
		err = json.Unmarshal(e.Data, &facts)
		return facts.Roles, err
	}
	found, err := r.EntriesAt([]int64{c.RequestedSeq})
	if err != nil || found[c.RequestedSeq] == nil {
		return nil, err
	}
	voting, err := evidence.NewVoting(found[c.RequestedSeq])
	if err != nil || voting == nil {
		return nil, err
	}
	ballot, err := voting.Ballot(nil)
	if err != nil {
		return nil, err
	}
	for _, may := range ballot.Eligible() {
		if !may.From.After(e.At) {
			roles = append(roles, may.Role)
		}
	}
	return roles, nil
}
