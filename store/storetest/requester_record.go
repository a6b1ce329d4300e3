package storetest

import (
	"testing"
	"time"

	"countersign/domain"
)

func testRequesterRecord(t *testing.T, s Store) {
	other := domain.Ref{Kind: domain.KindAgent, ID: "k2"}
	record := func(by domain.Ref, since time.Time) *domain.RequesterRecord {
		t.Helper()
		return read(t, s, func(r domain.Reader) (*domain.RequesterRecord, error) { return r.RequesterRecord(by, "keys", since) })
	}
	same(t, "of nobody", &domain.RequesterRecord{}, record(agent, at(0)))

	old, yes, no, late, cancelled := confirm("old"), confirm("yes"), confirm("no"), confirm("late"), confirm("cancelled")
	for _, c := range []*domain.Confirm{yes, no, late, cancelled} {
		c.ReceivedAt = at(60)
	}
	insert(t, s, old, yes, no, late, cancelled,
		confirm("pending", func(c *domain.Confirm) { c.ReceivedAt = at(61) }),
		confirm("imported", func(c *domain.Confirm) { c.ReceivedAt, c.Imported, c.Status = at(61), true, domain.Approved }),
		confirm("colleague", func(c *domain.Confirm) { c.ReceivedAt, c.RequestedBy = at(61), other }),
		confirm("foreign", func(c *domain.Confirm) { c.ReceivedAt, c.RequestedGroup = at(61), "others" }))
	end := func(c *domain.Confirm, status domain.Status, cause domain.Cause) {
		write(t, s, func(tx domain.Tx) error {
			seq, err := tx.NextSeq()
			if err != nil {
				return err
			}
			c.Status, c.Cause, c.DecidedAt, c.DecidedSeq = status, cause, at(90), seq
			return tx.FinishConfirm(c)
		})
	}
	end(old, domain.Rejected, domain.CauseHuman)
	end(yes, domain.Approved, domain.CauseHuman)
	end(no, domain.Rejected, domain.CauseHuman)
	end(late, domain.Rejected, domain.CauseTimeout)
	end(cancelled, domain.Cancelled, domain.CauseCancelled)
	same(t, "since a time", &domain.RequesterRecord{Asked: 5, Approved: 1, Rejected: 1, Expired: 1}, record(agent, at(1)))
	same(t, "since ever", &domain.RequesterRecord{Asked: 6, Approved: 1, Rejected: 2, Expired: 1}, record(agent, at(0)))
	same(t, "of a colleague", &domain.RequesterRecord{Asked: 1}, record(other, at(0)))
}
