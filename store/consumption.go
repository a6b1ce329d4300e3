package store

import "countersign/domain"

var consumptions = newTable("consumptions", 2, func(c *domain.Consumption) []column {
	return []column{
		{"confirm_id", text(&c.ConfirmID)},
		{"subject", text(&c.Subject)},
		{"execution_id", text(&c.ExecutionID)},
		{"consumed_by", ref(&c.ConsumedBy)},
		{"consumed_at", moment(&c.ConsumedAt)},
		{"seq", number(&c.Seq)},
	}
})

func (r *reader) Consumption(confirmID, subject string) (*domain.Consumption, error) {
	return consumptions.one(r, "WHERE confirm_id = $1 AND subject = $2", confirmID, subject)
}

func (x *tx) InsertConsumption(c *domain.Consumption) error { return consumptions.insert(x, c) }
