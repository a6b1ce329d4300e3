package domain

import (
	"errors"
	"time"
)

// DeliveryBacklog is what destinations are still to be told.
type DeliveryBacklog struct {
	Waiting  map[Format]int // deliveries; each format is there
	Due      time.Time      // when the first of them is due, or was; zero: none waits
	Unqueued int64          // entries of the log whose deliveries are not written; 0 without destinations
}

// LoadDeliveryBacklog reads what destinations are still to be told. MaxDestinations and
// MaxWaitingDeliveries bound what it costs, however long the log is.
func LoadDeliveryBacklog(r Reader) (*DeliveryBacklog, error) {
	b := &DeliveryBacklog{Waiting: map[Format]int{FormatStandard: 0, FormatSlack: 0, FormatTeams: 0}}
	all, err := r.Destinations()
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		n, err := r.WaitingDeliveries(d.ID)
		if err != nil {
			return nil, err
		}
		b.Waiting[d.Format] += n
		due, err := r.NextDelivery(d.ID)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, err
		case b.Due.IsZero() || due.Before(b.Due):
			b.Due = due
		}
	}
	if first := firstTold(all); first >= 0 {
		next, err := r.NextSeq()
		if err != nil {
			return nil, err
		}
		cursor, err := r.DeliveryCursor()
		if err != nil {
			return nil, err
		}
		b.Unqueued = max(0, next-1-max(cursor, first-1))
	}
	return b, nil
}

// firstTold returns the first entry that a destination may be told of, -1 if none is
// enabled.
func firstTold(all []*Destination) int64 {
	first := int64(-1)
	for _, d := range all {
		if d.Status == DestinationEnabled && (first < 0 || d.SinceSeq < first) {
			first = d.SinceSeq
		}
	}
	return first
}
