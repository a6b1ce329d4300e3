package domain

import "time"

// Delivery is one entry that one destination is told of, at least once. Its message is
// made from the log when it is sent, and the receiver knows it again by ID.
type Delivery struct {
	ID            string
	DestinationID string
	Seq           int64  // of the entry; of the newest one for a test
	Type          string // of the entry, or MessageTest
	ConfirmID     string // the request that the entry is about; empty: none
	State         DeliveryState
	DueAt         time.Time // of the next attempt; while one is made, when it counts as lost
	Attempts      int       // that failed, since it was last sent again
	Failure       DeliveryFailure
	HTTPStatus    int  // answered to the last attempt, 0 for none
	IsMissed      bool // entries before it were left out
	CreatedAt     time.Time
	EndedAt       time.Time // zero while it waits
}

// DeliveryState says what became of a delivery.
type DeliveryState string

// The states of deliveries.
const (
	DeliveryWaiting DeliveryState = "waiting"
	DeliverySent    DeliveryState = "sent"
	DeliveryDead    DeliveryState = "dead" // it failed too often, or the destination was disabled
)

// DestinationHealth is how a destination has answered lately. It is not logged.
type DestinationHealth struct {
	DestinationID string
	Failures      int       // in a row
	FailingSince  time.Time // the first of those; zero: none
	TriedAt       time.Time
	SentAt        time.Time // zero: never
	IsMissed      bool      // entries were left out since the last delivery was queued
}

// DeliveryReader reads deliveries.
type DeliveryReader interface {
	Delivery(id string) (*Delivery, error)
	// Deliveries lists deliveries, the newest entries first.
	Deliveries(f DeliveryFilter, p Page) (list []*Delivery, next string, err error)
	DeliveriesOf(confirmID string) ([]*Delivery, error)
	// DueDeliveries returns up to limit deliveries of a destination that wait and are due,
	// the longest due first.
	DueDeliveries(destinationID string, now time.Time, limit int) ([]*Delivery, error)
	// NextDelivery returns when the first delivery of a destination is due; ErrNotFound if
	// none waits.
	NextDelivery(destinationID string) (time.Time, error)
	WaitingDeliveries(destinationID string) (int, error)
	// DestinationHealth is never nil.
	DestinationHealth(destinationID string) (*DestinationHealth, error)
	// DeliveryCursor returns the last entry whose deliveries are written, -1 for none.
	DeliveryCursor() (int64, error)
}

// DeliveryWriter writes deliveries. They are not logged.
type DeliveryWriter interface {
	InsertDeliveries([]*Delivery) error
	UpdateDelivery(*Delivery) error
	// PruneDeliveries deletes what was sent, or died, before these times.
	PruneDeliveries(sentBefore, deadBefore time.Time) error
	// EndDeliveriesTo ends what waits for one destination: it is dead.
	EndDeliveriesTo(destinationID string, now time.Time) error
	// DeleteDeliveries deletes all deliveries.
	DeleteDeliveries() error
	// DeleteDeliveriesTo deletes those to one destination, with its health.
	DeleteDeliveriesTo(destinationID string) error
	SetDestinationHealth(*DestinationHealth) error
	SetDeliveryCursor(seq int64) error
}

// DeliveryFilter narrows a list of deliveries. Zero fields do not narrow.
type DeliveryFilter struct {
	DestinationID string
	State         DeliveryState
}

// What bounds deliveries.
const (
	MaxWaitingDeliveries = 10_000         // of a destination; further entries are left out
	MaxFailingTime       = 72 * time.Hour // then a destination is disabled
	claimTime            = time.Minute    // after which an attempt counts as lost
	maxClaimed           = 32             // that one sender takes at once
	breakerFailures      = 5              // in a row; then a destination is tried once in breakerPause
	breakerPause         = time.Minute
	sentRetention        = 7 * 24 * time.Hour
	deadRetention        = 30 * 24 * time.Hour
	maxRetryAfter        = time.Hour
)

// retryPauses are the pauses after failed attempts, each ± 20 %. After the last one a
// delivery is dead.
var retryPauses = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// fail takes a failed attempt. spread, from 0 to 1, places the next one within ± 20 %.
func (d *Delivery) fail(r DeliveryResult, now time.Time, spread float64) {
	d.Failure, d.HTTPStatus = r.Failure, r.HTTPStatus
	if d.Attempts >= len(retryPauses) || d.Type == MessageTest {
		d.State, d.EndedAt = DeliveryDead, now
		return
	}
	pause := time.Duration(float64(retryPauses[d.Attempts]) * (0.8 + 0.4*spread))
	d.Attempts++
	d.DueAt = now.Add(max(pause, min(r.RetryAfter, maxRetryAfter)))
}

// canTry reports whether the destination may be tried: one that keeps failing is left
// alone for breakerPause.
func (h *DestinationHealth) canTry(now time.Time) bool {
	return h.Failures < breakerFailures || !now.Before(h.TriedAt.Add(breakerPause))
}
