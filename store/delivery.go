package store

import (
	"fmt"
	"time"

	"countersign/domain"
)

// cursor is how far the log was read for a purpose.
type cursor struct {
	name string
	seq  int64
}

var cursors = newTable("volatile_cursors", 1, func(c *cursor) []column {
	return []column{{"name", text(&c.name)}, {"seq", number(&c.seq)}}
})

const deliveryCursor = "deliveries"

func (r *reader) DeliveryCursor() (int64, error) {
	c, err := cursors.get(r, "WHERE name = $1", deliveryCursor)
	if err == domain.ErrNotFound {
		return -1, nil
	} else if err != nil {
		return 0, err
	}
	return c.seq, nil
}

func (x *tx) SetDeliveryCursor(seq int64) error {
	return cursors.upsert(x, &cursor{deliveryCursor, seq})
}

var deliveries = newTable("volatile_deliveries", 1, func(d *domain.Delivery) []column {
	return []column{
		{"delivery_id", text(&d.ID)},
		{"destination_id", text(&d.DestinationID)},
		{"seq", number(&d.Seq)},
		{"type", text(&d.Type)},
		{"confirm_id", text(&d.ConfirmID)},
		{"state", text(&d.State)},
		{"due_at", moment(&d.DueAt)},
		{"attempts", number(&d.Attempts)},
		{"failure", text(&d.Failure)},
		{"http_status", number(&d.HTTPStatus)},
		{"missed", flag(&d.IsMissed)},
		{"created_at", moment(&d.CreatedAt)},
		{"ended_at", moment(&d.EndedAt)},
	}
})

var updateDelivery = deliveries.change("", 0, "state", "due_at", "attempts", "failure", "http_status", "ended_at")

func (r *reader) Delivery(id string) (*domain.Delivery, error) {
	return deliveries.get(r, "WHERE delivery_id = $1", id)
}

// deliveryPages makes the cursors of Deliveries.
var deliveryPages = keyset{list: "d", table: "volatile_deliveries", order: "seq", tie: "delivery_id", descending: true}

func (r *reader) Deliveries(f domain.DeliveryFilter, p domain.Page) (page []*domain.Delivery, next string, err error) {
	var filter []condition
	if f.DestinationID != "" {
		filter = append(filter, condition{"destination_id = ?", []any{f.DestinationID}})
	}
	if f.State != "" {
		filter = append(filter, condition{"state = ?", []any{string(f.State)}})
	}
	if p.Cursor != "" {
		after, err := deliveryPages.parse(p.Cursor)
		if err != nil {
			return nil, "", err
		}
		filter = append(filter, condition{"(seq, delivery_id) < (?, ?)", []any{after.order, after.tie}})
	}
	limit, rest := pageLimit(p), new(statement)
	rest.where(filter)
	rest.add(fmt.Sprintf("%s LIMIT %d", deliveryPages.sorted(""), limit+1))
	page, err = deliveries.all(r, rest.String(), rest.args...)
	if len(page) > limit {
		page = page[:limit]
		last := page[limit-1]
		next = deliveryPages.cursor(position{last.Seq, last.ID})
	}
	return page, next, err
}

func (r *reader) DeliveriesOf(confirmID string) ([]*domain.Delivery, error) {
	return deliveries.all(r, "WHERE confirm_id = $1 ORDER BY seq, destination_id", confirmID)
}

const waitingTo = "WHERE destination_id = $1 AND state = 'waiting'"

func (r *reader) DueDeliveries(destinationID string, now time.Time, limit int) ([]*domain.Delivery, error) {
	return deliveries.all(r, fmt.Sprintf("%s AND due_at <= $2 ORDER BY due_at, seq LIMIT %d", waitingTo, limit), destinationID, micros(now))
}

func (r *reader) NextDelivery(destinationID string) (time.Time, error) {
	var due int64
	err := r.Row("SELECT due_at FROM volatile_deliveries "+waitingTo+" ORDER BY due_at LIMIT 1", []any{destinationID}, &due)
	return time.UnixMicro(due).UTC(), err
}

func (r *reader) WaitingDeliveries(destinationID string) (n int, err error) {
	err = r.Row("SELECT COUNT(*) FROM volatile_deliveries "+waitingTo, []any{destinationID}, &n)
	return n, err
}

// InsertDeliveries writes many deliveries with few statements.
func (x *tx) InsertDeliveries(list []*domain.Delivery) error {
	values := make([]any, 0, len(list)*len(deliveries.columns))
	for _, d := range list {
		values = append(values, deliveries.values(d, 0)...)
	}
	return x.Conn.InsertRows(deliveries.name+" ("+deliveries.columnList("")+")", len(deliveries.columns), values, "")
}

// UpdateDelivery waits for nothing: the row was read just now.
func (x *tx) UpdateDelivery(d *domain.Delivery) error {
	return x.Conn.Queue(updateDelivery.text, updateDelivery.args(deliveries.values(d, 0), nil)...)
}

func (x *tx) PruneDeliveries(sentBefore, deadBefore time.Time) error {
	_, err := x.Conn.Exec("DELETE FROM volatile_deliveries WHERE state = 'sent' AND ended_at < $1 OR state = 'dead' AND ended_at < $2", micros(sentBefore), micros(deadBefore))
	return err
}

func (x *tx) EndDeliveriesTo(destinationID string, now time.Time) error {
	_, err := x.Conn.Exec("UPDATE volatile_deliveries SET state = 'dead', ended_at = $2 "+waitingTo, destinationID, micros(now))
	return err
}

func (x *tx) DeleteDeliveries() error {
	_, err := x.Conn.Exec("DELETE FROM volatile_deliveries")
	return err
}

func (x *tx) DeleteDeliveriesTo(destinationID string) error {
	for _, table := range []string{"volatile_deliveries", "volatile_destination_health"} {
		if _, err := x.Conn.Exec("DELETE FROM "+table+" WHERE destination_id = $1", destinationID); err != nil {
			return err
		}
	}
	return nil
}
