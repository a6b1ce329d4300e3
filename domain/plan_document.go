package domain

import (
	"context"
	"crypto/sha256"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// maxCachedPlans bounds the plan cache, in bytes of the plans' JSON.
const maxCachedPlans = 8 << 20

// planKey is the SHA-256 of a plan's JSON.
type planKey [sha256.Size]byte

// parsedPlan is a plan as it was sent, with the hash of what is approved of it. It is
// shared and never modified.
type parsedPlan struct {
	plan *mplp.Plan
	hash string
}

// parsePlan parses a plan's JSON, or finds it in the cache: the gate asks for the
// same few plans before every tool call, and parsing a large one is slow.
func (s *Service) parsePlan(content []byte) (parsedPlan, error) {
	key := planKey(sha256.Sum256(content))
	if cached, ok := s.planCache.Get(key); ok {
		return cached, nil
	}
	plan, err := mplp.ParseStoredPlan(content)
	if err != nil {
		return parsedPlan{}, err
	}
	hash, err := planContent(plan).Hash()
	if err != nil {
		return parsedPlan{}, err
	}
	parsed := parsedPlan{plan, hash}
	s.planCache.Put(key, parsed, len(content))
	return parsed, nil
}

// loadPlanDocument returns the plan as it was sent. Callers must not modify it. It
// returns ErrUnproven if the hash of its steps is not the plan's.
func (s *Service) loadPlanDocument(r Reader, plan *Plan) (*mplp.Plan, error) {
	_, document, err := s.loadPlan(r, plan)
	return document, err
}

// loadPlan is loadPlanDocument, and returns the plan's JSON too.
func (s *Service) loadPlan(r Reader, plan *Plan) ([]byte, *mplp.Plan, error) {
	content, err := r.PlanContent(plan.ID)
	if err != nil {
		return nil, nil, err
	}
	stored, err := s.parsePlan(content)
	if err != nil {
		return nil, nil, err
	}
	if stored.hash != plan.Hash {
		return nil, nil, errUnproven("The steps of this plan differ from the log, so nothing is done with it. Ask an administrator to verify the database.")
	}
	return content, stored.plan, nil
}

// renderPlan returns the plan for the JSON interface: as sent, with the present
// statuses.
func (s *Service) renderPlan(r Reader, plan *Plan) ([]byte, error) {
	content, _, err := s.loadPlan(r, plan)
	if err != nil {
		return nil, err
	}
	entries, err := plan.loadEntries(r)
	if err != nil {
		return nil, err
	}
	return plan.renderJSON(content, entries), nil
}

// preparePlanRender reads what renderPlan needs, for a plan that was just written.
// Rendering a large plan is slow, so it happens after the transaction.
func preparePlanRender(r Reader, plan *Plan) (render func() []byte, err error) {
	content, err := r.PlanContent(plan.ID)
	if err != nil {
		return nil, err
	}
	entries, err := plan.loadEntries(r)
	return func() []byte { return plan.renderJSON(content, entries) }, err
}

// loadEntries returns the entries whose events the plan's JSON has.
func (p *Plan) loadEntries(r Reader) ([]*evidence.Entry, error) {
	if p.Imported {
		return nil, nil
	}
	return r.Entries(EntryFilter{PlanID: p.ID, Types: planEntries, Limit: MaxPage})
}

func (p *Plan) renderJSON(content []byte, entries []*evidence.Entry) []byte {
	statuses := make([]string, len(p.States))
	for i := range statuses {
		statuses[i] = string(p.States.Status(i))
	}
	return mplp.RenderPlan(content, string(p.Status), statuses, objectEvents(entries))
}

// PlanJSON is a plan as the JSON interface returns it.
type PlanJSON struct {
	Plan   *Plan
	Native []byte
}

// PlanJSON returns a plan for the JSON interface; see Plan.
func (s *Service) PlanJSON(ctx context.Context, ref Ref, id string) (o *PlanJSON, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		plan, err := visiblePlan(r, p, id)
		if err != nil {
			return err
		}
		o = &PlanJSON{Plan: plan}
		o.Native, err = s.renderPlan(r, plan)
		return err
	})
	return o, err
}

// PlansJSON is Plans for the JSON interface.
func (s *Service) PlansJSON(ctx context.Context, ref Ref, f PlanFilter, page Page) (list [][]byte, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		f.Visible = p.planVisibility()
		plans, after, err := r.Plans(f, page)
		if err != nil {
			return err
		}
		list, next, err = fillPage(page, plans, after, func(plan *Plan) ([]byte, error) { return s.renderPlan(r, plan) },
			func(rows int) (string, error) {
				_, next, err := r.Plans(f, Page{Limit: rows, Cursor: page.Cursor})
				return next, err
			})
		return err
	})
	return list, next, err
}
