package storetest

import (
	"testing"
	"time"

	"countersign/domain"
)

func testDestinations(t *testing.T, s Store) {
	want := &domain.Destination{ID: "d1", Name: "Pager", Format: domain.FormatStandard, Types: []string{"role.*", "confirm.requested"}, Roles: []string{"r2", "r1"},
		TargetTypes: []domain.TargetType{domain.TargetPlan}, Details: domain.DetailsFull, KeyID: "k1", Sealed: []byte{0, 1, 255}, Status: domain.DestinationEnabled,
		SinceSeq: 1 << 40, CreatedAt: at(1), UpdatedAt: at(2)}
	bare := &domain.Destination{ID: "d2", Name: "alerts", Format: domain.FormatSlack, Types: []string{"log.*"}, Details: domain.DetailsNone, Sealed: []byte{2}, Status: domain.DestinationGone}
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertKey(key("k1", "agent")), tx.InsertDestination(want), tx.InsertDestination(bare))
	})
	same(t, "Destination", want, read(t, s, func(r domain.Reader) (*domain.Destination, error) { return r.Destination("d1") }))
	same(t, "Destinations by name", []*domain.Destination{bare, want}, read(t, s, domain.Reader.Destinations))
	err := tryWrite(s, func(tx domain.Tx) error {
		return tx.InsertDestination(&domain.Destination{ID: "d3", Name: "ALERTS", Format: domain.FormatSlack, Types: []string{"log.*"}, Details: domain.DetailsNone, Sealed: []byte{2}, Status: domain.DestinationEnabled})
	})
	wantError(t, "a name that differs in case only", domain.ErrConflict, err)
	want.Name, want.Roles, want.KeyID, want.Status, want.UpdatedAt = "Siren", nil, "", domain.DestinationLost, at(9)
	write(t, s, func(tx domain.Tx) error { return tx.UpdateDestination(want) })
	same(t, "after update", want, read(t, s, func(r domain.Reader) (*domain.Destination, error) { return r.Destination("d1") }))
	write(t, s, func(tx domain.Tx) error { return tx.DeleteDestination("d2") })
	same(t, "after delete", []*domain.Destination{want}, read(t, s, domain.Reader.Destinations))
}

func testDeliveries(t *testing.T, s Store) {
	delivery := func(id, to string, seq int64, due int, confirm string) *domain.Delivery {
		return &domain.Delivery{ID: id, DestinationID: to, Seq: seq, Type: "confirm.requested", ConfirmID: confirm, State: domain.DeliveryWaiting, DueAt: at(due), CreatedAt: at(1), IsMissed: seq == 7}
	}
	one, two, three, other := delivery("1", "d1", 7, 30, "c1"), delivery("2", "d1", 8, 10, "c1"), delivery("3", "d1", 9, 20, ""), delivery("4", "d2", 9, 5, "c2")
	alone(t, s, func(tx domain.Tx) error {
		return tx.InsertDeliveries([]*domain.Delivery{one, two, three, other})
	})
	due := func(to string, now, limit int) []*domain.Delivery {
		return read(t, s, func(r domain.Reader) ([]*domain.Delivery, error) { return r.DueDeliveries(to, at(now), limit) })
	}
	same(t, "due", []*domain.Delivery{two, three}, due("d1", 20, 9))
	same(t, "due, one", []*domain.Delivery{two}, due("d1", 20, 1))
	same(t, "none due", 0, len(due("d1", 9, 9)))
	same(t, "next due", at(10), read(t, s, func(r domain.Reader) (time.Time, error) { return r.NextDelivery("d1") }))
	err := s.View(t.Context(), func(r domain.Reader) error { _, err := r.NextDelivery("nobody"); return err })
	wantError(t, "nothing due", domain.ErrNotFound, err)

	two.State, two.Attempts, two.Failure, two.HTTPStatus, two.EndedAt = domain.DeliveryDead, 9, domain.FailureStatus, 503, at(40)
	three.State, three.EndedAt = domain.DeliverySent, at(41)
	alone(t, s, func(tx domain.Tx) error { return all(tx.UpdateDelivery(two), tx.UpdateDelivery(three)) })
	same(t, "after update", two, read(t, s, func(r domain.Reader) (*domain.Delivery, error) { return r.Delivery("2") }))
	same(t, "waiting", 1, read(t, s, func(r domain.Reader) (int, error) { return r.WaitingDeliveries("d1") }))
	same(t, "of a request", []*domain.Delivery{one, two}, read(t, s, func(r domain.Reader) ([]*domain.Delivery, error) { return r.DeliveriesOf("c1") }))

	page := func(f domain.DeliveryFilter, p domain.Page) (list []*domain.Delivery, next string) {
		read(t, s, func(r domain.Reader) (_ []*domain.Delivery, err error) {
			list, next, err = r.Deliveries(f, p)
			return list, err
		})
		return list, next
	}
	first, cursor := page(domain.DeliveryFilter{}, domain.Page{Limit: 3})
	same(t, "first page", []*domain.Delivery{other, three, two}, first)
	last, end := page(domain.DeliveryFilter{}, domain.Page{Limit: 3, Cursor: cursor})
	same(t, "last page", []*domain.Delivery{one}, last)
	same(t, "its next", "", end)
	found, _ := page(domain.DeliveryFilter{DestinationID: "d1", State: domain.DeliveryDead}, domain.Page{})
	same(t, "dead ones of a destination", []*domain.Delivery{two}, found)

	alone(t, s, func(tx domain.Tx) error { return tx.EndDeliveriesTo("d2", at(50)) })
	other.State, other.EndedAt = domain.DeliveryDead, at(50)
	same(t, "ended", other, read(t, s, func(r domain.Reader) (*domain.Delivery, error) { return r.Delivery("4") }))
	alone(t, s, func(tx domain.Tx) error { return tx.PruneDeliveries(at(42), at(45)) })
	found, _ = page(domain.DeliveryFilter{}, domain.Page{})
	same(t, "after pruning", []*domain.Delivery{other, one}, found)

	health := &domain.DestinationHealth{DestinationID: "d1", Failures: 3, FailingSince: at(1), TriedAt: at(2), SentAt: at(3), IsMissed: true}
	alone(t, s, func(tx domain.Tx) error { return all(tx.SetDestinationHealth(health), tx.SetDeliveryCursor(77)) })
	of := func(id string) *domain.DestinationHealth {
		return read(t, s, func(r domain.Reader) (*domain.DestinationHealth, error) { return r.DestinationHealth(id) })
	}
	same(t, "health", health, of("d1"))
	same(t, "cursor", int64(77), read(t, s, domain.Reader.DeliveryCursor))
	alone(t, s, func(tx domain.Tx) error { return tx.DeleteDeliveriesTo("d1") })
	found, _ = page(domain.DeliveryFilter{}, domain.Page{})
	same(t, "of the others", []*domain.Delivery{other}, found)
	same(t, "no health", &domain.DestinationHealth{DestinationID: "d1"}, of("d1"))
	alone(t, s, func(tx domain.Tx) error { return tx.DeleteDeliveries() })
	found, _ = page(domain.DeliveryFilter{}, domain.Page{})
	same(t, "none", 0, len(found))
}
