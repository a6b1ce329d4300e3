package domain

import (
	"context"
	"crypto/sha256"
	"sync"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// maxDocuments bounds the contents, in bytes, whose plans are remembered.
const maxDocuments = 8 << 20

// documents remembers contents of plans as they were parsed: the gate asks for
// the same few before every tool, and parsing a large one takes longer than all
// the rest. They are known by the hash of their bytes, so that none is ever
// another's. Nobody changes what stands here.
type documents struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]document
	size  int
}

// document is a plan as it was sent, with the hash of what is approved of it.
type document struct {
	plan *mplp.Plan
	hash string
}

func (d *documents) parse(content []byte) (document, error) {
	sum := sha256.Sum256(content)
	if known := d.find(sum); known.plan != nil {
		return known, nil
	}
	plan, err := mplp.ParseStoredPlan(content)
	if err != nil {
		return document{}, err
	}
	hash, err := planContent(plan).Hash()
	if err != nil {
		return document{}, err
	}
	d.keep(sum, document{plan, hash}, len(content))
	return document{plan, hash}, nil
}

func (d *documents) find(sum [sha256.Size]byte) document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[sum]
}

func (d *documents) keep(sum [sha256.Size]byte, of document, size int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size += size; d.known == nil || d.size > maxDocuments {
		d.known, d.size = map[[sha256.Size]byte]document{}, size
	}
	d.known[sum] = of
}

// planDocument returns a plan as it was sent, to be read only. The hash of what is
// approved is computed from its steps: ErrUnproven if it is not the plan's.
func (s *Service) planDocument(r Reader, plan *Plan) (*mplp.Plan, error) {
	_, document, err := s.planStored(r, plan)
	return document, err
}

// planStored is planDocument, and returns its bytes too.
func (s *Service) planStored(r Reader, plan *Plan) ([]byte, *mplp.Plan, error) {
	content, err := r.PlanContent(plan.ID)
	if err != nil {
		return nil, nil, err
	}
	stored, err := s.documents.parse(content)
	if err != nil {
		return nil, nil, err
	}
	if stored.hash != plan.Hash {
		return nil, nil, unproven("The steps of this plan are not those that the log has. Nothing of it is told or done: an administrator should verify the database.")
	}
	return content, stored.plan, nil
}

// planNative is the plan as the JSON interface gives it: as sent, with the
// statuses of now.
func (s *Service) planNative(r Reader, plan *Plan) ([]byte, error) {
	content, _, err := s.planStored(r, plan)
	if err != nil {
		return nil, err
	}
	entries, err := plan.entries(r)
	if err != nil {
		return nil, err
	}
	return plan.native(content, entries), nil
}

// planRender reads what planNative gives, of a plan that was just written. It is
// rendered after the transaction: a large plan takes long, and others wait.
func planRender(r Reader, plan *Plan) (render func() []byte, err error) {
	content, err := r.PlanContent(plan.ID)
	if err != nil {
		return nil, err
	}
	entries, err := plan.entries(r)
	return func() []byte { return plan.native(content, entries) }, err
}

// entries are those of which the plan's object has the events.
func (p *Plan) entries(r Reader) ([]*evidence.Entry, error) {
	if p.Imported {
		return nil, nil
	}
	return r.Entries(EntryFilter{PlanID: p.ID, Types: planEntries, Limit: MaxPage})
}

func (p *Plan) native(content []byte, entries []*evidence.Entry) []byte {
	statuses := make([]string, len(p.States))
	for i := range statuses {
		statuses[i] = string(p.States.Status(i))
	}
	return mplp.RenderPlan(content, string(p.Status), statuses, objectEvents(entries))
}

// PlanObject is a plan as the JSON interface gives it.
type PlanObject struct {
	Plan   *Plan
	Native []byte
}

// PlanObject finds a plan as the JSON interface gives it; see Plan.
func (s *Service) PlanObject(ctx context.Context, ref Ref, id string) (o *PlanObject, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		plan, err := visiblePlan(r, p, id)
		if err != nil {
			return err
		}
		o = &PlanObject{Plan: plan}
		o.Native, err = s.planNative(r, plan)
		return err
	})
	return o, err
}

// PlanObjects is Plans with each as the JSON interface gives it.
func (s *Service) PlanObjects(ctx context.Context, ref Ref, f PlanFilter, page Page) (list [][]byte, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		f.Visible = p.plans()
		plans, after, err := r.Plans(f, page)
		if err != nil {
			return err
		}
		list, next, err = fillPage(page, plans, after, func(plan *Plan) ([]byte, error) { return s.planNative(r, plan) },
			func(rows int) (string, error) {
				_, next, err := r.Plans(f, Page{Limit: rows, Cursor: page.Cursor})
				return next, err
			})
		return err
	})
	return list, next, err
}
