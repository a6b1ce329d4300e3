package store

import (
	"fmt"

	"countersign/domain"
)

var destinations = newTable("destinations", 1, func(d *domain.Destination) []column {
	return []column{
		{"destination_id", text(&d.ID)},
		{"name", text(&d.Name)},
		{"name_folded", folded(&d.Name)},
		{"format", text(&d.Format)},
		{"types", list(&d.Types)},
		{"roles", list(&d.Roles)},
		{"target_types", list(&d.TargetTypes)},
		{"details", text(&d.Details)},
		{"key_id", text(&d.KeyID)},
		{"sealed", blob(&d.Sealed)},
		{"status", text(&d.Status)},
		{"since_seq", number(&d.SinceSeq)},
		{"created_at", moment(&d.CreatedAt)},
		{"updated_at", moment(&d.UpdatedAt)},
	}
})

var updateDestination = destinations.change("", 0)

func (r *reader) Destination(id string) (*domain.Destination, error) {
	return destinations.latest(r, "object_id", id, "WHERE destination_id = $1", id)
}

func (r *reader) Destinations() ([]*domain.Destination, error) {
	list, err := destinations.all(r, fmt.Sprintf("ORDER BY name_folded LIMIT %d", domain.MaxDestinations))
	if err != nil {
		return nil, err
	}
	return each(list, func(d *domain.Destination) (*domain.Destination, error) { return r.Destination(d.ID) })
}

func (x *tx) InsertDestination(d *domain.Destination) error { return destinations.insert(x, d) }

func (x *tx) UpdateDestination(d *domain.Destination) error {
	return updateDestination.update(x, d, errGone)
}

func (x *tx) DeleteDestination(id string) error {
	return destinations.remove(x, "destination_id = $1", id)
}

var destinationHealth = newTable("volatile_destination_health", 1, func(h *domain.DestinationHealth) []column {
	return []column{
		{"destination_id", text(&h.DestinationID)},
		{"failures", number(&h.Failures)},
		{"failing_since", moment(&h.FailingSince)},
		{"tried_at", moment(&h.TriedAt)},
		{"sent_at", moment(&h.SentAt)},
		{"missed", flag(&h.IsMissed)},
	}
})

func (r *reader) DestinationHealth(id string) (*domain.DestinationHealth, error) {
	health, err := destinationHealth.get(r, "WHERE destination_id = $1", id)
	if err == domain.ErrNotFound {
		return &domain.DestinationHealth{DestinationID: id}, nil
	}
	return health, err
}

func (x *tx) SetDestinationHealth(h *domain.DestinationHealth) error {
	return destinationHealth.upsert(x, h)
}
