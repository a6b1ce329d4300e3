package store

import (
	"countersign/domain"
)

var plans = newTable("plans", 1, func(p *domain.Plan) []column {
	return []column{
		{"plan_id", text(&p.ID)},
		{"canonical_id", canonical("plan", &p.ID)},
		{"context_id", text(&p.ContextID)},
		{"title", text(&p.Title)},
		{"status", text(&p.Status)},
		{"hash", text(&p.Hash)},
		{"states", text(&p.States)},
		{"requested_by", ref(&p.RequestedBy)},
		{"requested_group", text(&p.Group)},
		{"requested_by_name", text(&p.Name)},
		{"imported", flag(&p.Imported)},
		{"locked", flag(&p.Locked)},
		{"body_digest", blob(&p.BodyDigest)},
		{"trace_id", text(&p.TraceID)},
		{"created_at", moment(&p.CreatedAt)},
		{"updated_at", moment(&p.UpdatedAt)},
	}
})

// newestPlan lists the newest first.
var newestPlan = keyset{list: "p", table: "plans", order: "created_at", tie: "plan_id", descending: true}

var updatePlan = plans.change("status = $1", 1)

// planContent is the client's JSON of a plan, compacted.
type planContent struct {
	plan    string
	content []byte
}

var planContents = newTable("plan_contents", 1, func(c *planContent) []column {
	return []column{{"plan_id", text(&c.plan)}, {"content", blob(&c.content)}}
})

func (r *reader) Plan(id string) (*domain.Plan, error) {
	return plans.latest(r, "plan_id", id, "WHERE plan_id = $1", id)
}

func (r *reader) PlanContent(id string) ([]byte, error) {
	c, err := planContents.get(r, "WHERE plan_id = $1", id)
	if err == domain.ErrNotFound { // no plan is without
		err = claim{table: planContents.name, key: id}.unproven()
	}
	if err != nil {
		return nil, err
	}
	return c.content, nil
}

// Plans lists plans, the newest first.
func (r *reader) Plans(f domain.PlanFilter, p domain.Page) ([]*domain.Plan, string, error) {
	w := &listQuery{keyset: newestPlan}
	w.whereIndexedOpt("context_id", f.ContextID)
	w.owned(f.Visible)
	w.whereIndexedOpt("status", string(f.Status))
	return plans.listPage(r, w, p, nil, func(p *domain.Plan) position { return position{p.CreatedAt.UnixMicro(), p.ID} })
}

func (x *tx) InsertPlan(p *domain.Plan, content []byte) error {
	if err := plans.insert(x, p); err != nil {
		return err
	}
	return planContents.insertNew(x, &planContent{p.ID, content})
}

func (x *tx) UpdatePlan(p *domain.Plan, from domain.PlanStatus, content []byte) error {
	if err := updatePlan.update(x, p, domain.ErrConflict, string(from)); err != nil {
		return err
	}
	if content == nil {
		return nil
	}
	return planContents.upsert(x, &planContent{p.ID, content})
}
