package store

import (
	"countersign/domain"
)

var consumptions = newTable("consumptions", 2, func(c *domain.Consumption) []column {
	return []column{
		{"requested_seq", number(&c.RequestedSeq)},
		{"subject", text(&c.Subject)},
		{"plan_id", text(&c.PlanID)},
		{"step_id", text(&c.StepID)},
		{"execution_id", text(&c.ExecutionID)},
		{"consumed_by", ref(&c.ConsumedBy)},
		{"consumed_at", moment(&c.ConsumedAt)},
		{"seq", number(&c.Seq)},
	}
})

func (r *reader) Consumption(requested int64, subject string) (*domain.Consumption, error) {
	return consumptions.get(r, "WHERE requested_seq = $1 AND subject = $2", requested, subject)
}

func (r *reader) ConsumptionOfStep(planID, stepID string) (*domain.Consumption, error) {
	return consumptions.get(r, "WHERE plan_id = $1 AND step_id = $2 AND subject = 'step:' || step_id", planID, stepID)
}

func (x *tx) InsertConsumption(c *domain.Consumption) error { return consumptions.insert(x, c) }
