package store

import "countersign/domain"

var consumptions = newTable("consumptions", 2, func(c *domain.Consumption) []column {
	return []column{
		{"requested_seq", number(&c.RequestedSeq)},
		{"subject", text(&c.Subject)},
		{"execution_id", text(&c.ExecutionID)},
		{"consumed_by", ref(&c.ConsumedBy)},
		{"consumed_at", moment(&c.ConsumedAt)},
		{"seq", number(&c.Seq)},
	}
})

func (r *reader) Consumption(requested int64, subject string) (*domain.Consumption, error) {
	return consumptions.one(r, "WHERE requested_seq = $1 AND subject = $2", requested, subject)
}

func (x *tx) InsertConsumption(c *domain.Consumption) error { return consumptions.insert(x, c) }
