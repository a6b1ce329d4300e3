package domain

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"countersign/domain/evidence"
)

// ClaimDeliveries takes deliveries of a destination that are due, and returns them with
// their messages. Others get them again after claimTime, so that the end of a sender
// loses nothing. A destination that keeps failing gives one at a time.
func (s *Service) ClaimDeliveries(ctx context.Context, destinationID string) ([]*Dispatch, error) {
	var claimed []*Delivery
	err := s.store.Tx(ctx, func(tx Tx) error {
		now := s.clock()
		health, err := tx.DestinationHealth(destinationID)
		if err != nil || !health.canTry(now) {
			return err
		}
		limit := maxClaimed
		if health.Failures >= breakerFailures {
			limit = 1
		}
		if claimed, err = tx.DueDeliveries(destinationID, now, limit); err != nil || len(claimed) == 0 {
			return err
		}
		for _, d := range claimed {
			d.DueAt = now.Add(claimTime)
			if err := tx.UpdateDelivery(d); err != nil {
				return err
			}
		}
		health.TriedAt = now
		return tx.SetDestinationHealth(health)
	})
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	return s.dispatches(ctx, destinationID, claimed)
}

// dispatches makes the messages of deliveries. Without its address a destination is
// disabled: somebody has to enter it again. What the log does not prove is not told.
func (s *Service) dispatches(ctx context.Context, destinationID string, claimed []*Delivery) (list []*Dispatch, err error) {
	var failed []DeliveryResult
	err = s.store.View(ctx, func(r Reader) error {
		to, err := r.Destination(destinationID)
		if err != nil {
			return err
		}
		secret, err := to.open(r)
		if err != nil {
			return err
		}
		if secret == nil {
			for _, d := range claimed {
				failed = append(failed, DeliveryResult{ID: d.ID, Failure: FailureSecret})
			}
			return nil
		}
		checkpoint, _, err := r.Checkpoint()
		if err != nil {
			return err
		}
		seqs := make([]int64, len(claimed))
		for i, d := range claimed {
			seqs[i] = d.Seq
		}
		entries, err := r.EntriesAt(seqs) // together, which proves what their requests say too
		if err != nil {
			return err
		}
		for _, d := range claimed {
			m, err := d.message(r, to, entries[d.Seq])
			switch {
			case errors.Is(err, ErrUnproven):
				failed = append(failed, DeliveryResult{ID: d.ID, Failure: FailureUnproven})
			case err != nil:
				return err
			default:
				m.Checkpoint = checkpoint
				list = append(list, &Dispatch{Destination: to, Secret: secret, Message: m})
			}
		}
		return nil
	})
	return list, errors.Join(err, s.RecordDeliveries(ctx, destinationID, failed))
}

// RecordDeliveries writes what became of attempts. A destination that is gone, whose
// secret is lost, or that has failed for MaxFailingTime, is disabled.
func (s *Service) RecordDeliveries(ctx context.Context, destinationID string, results []DeliveryResult) error {
	if len(results) == 0 {
		return nil
	}
	return s.store.Tx(ctx, func(tx Tx) error {
		now := s.clock()
		health, err := tx.DestinationHealth(destinationID)
		if err != nil {
			return err
		}
		var stop DestinationStatus
		for _, result := range results {
			d, err := tx.Delivery(result.ID)
			if err != nil {
				if ignoreNotFound(err) == nil {
					continue // the destination was deleted while it was sent
				}
				return err
			}
			if result.Failure == "" {
				d.State, d.Failure, d.HTTPStatus, d.EndedAt = DeliverySent, "", result.HTTPStatus, now
				health.Failures, health.FailingSince, health.SentAt = 0, time.Time{}, now
			} else {
				d.fail(result, now, rand.Float64())
				health.Failures++
				if health.FailingSince.IsZero() {
					health.FailingSince = now
				}
			}
			switch result.Failure {
			case FailureGone:
				stop = DestinationGone
			case FailureSecret:
				stop = DestinationLost
			}
			if err := tx.UpdateDelivery(d); err != nil {
				return err
			}
		}
		if !health.FailingSince.IsZero() && now.Sub(health.FailingSince) >= MaxFailingTime && stop == "" {
			stop = DestinationFailing
		}
		if err := tx.SetDestinationHealth(health); err != nil || stop == "" {
			return err
		}
		return s.stopDestination(tx, destinationID, stop)
	})
}

// stopDestination disables a destination that cannot be told any more.
func (s *Service) stopDestination(tx Tx, id string, why DestinationStatus) error {
	d, err := tx.Destination(id)
	if err != nil || d.Status != DestinationEnabled {
		return ignoreNotFound(err)
	}
	d.Status, d.UpdatedAt = why, s.clock()
	if err := tx.EndDeliveriesTo(id, d.UpdatedAt); err != nil {
		return err
	}
	if err := tx.UpdateDestination(d); err != nil {
		return err
	}
	return s.log(tx, &system, evidence.Entry{Type: "destination.disabled", ObjectID: id, Data: data("name", d.Name, "reason", why)})
}

// PruneDeliveries forgets deliveries that ended long ago.
func (s *Service) PruneDeliveries(ctx context.Context) error {
	now := s.clock()
	return s.store.Tx(ctx, func(tx Tx) error {
		return tx.PruneDeliveries(now.Add(-sentRetention), now.Add(-deadRetention))
	})
}
