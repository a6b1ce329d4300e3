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
	content, err := r.PlanContent(plan.ID)
	if err != nil {
		return nil, err
	}
	stored, err := s.documents.parse(content)
	if err != nil {
		return nil, err
	}
	if stored.hash != plan.Hash {
		return nil, unproven("The steps of this plan are not those that the log has. Nothing of it is told or done: an administrator should verify the database.")
	}
	return stored.plan, nil
}

// planNative is the plan as the JSON interface gives it: as sent, with the
// statuses of now.
func planNative(r Reader, plan *Plan) ([]byte, error) {
	render, err := planRender(r, plan)
	if err != nil {
		return nil, err
	}
	return render(), nil
}

// planRender reads what planNative gives. It is rendered after the transaction: a
// large plan takes long, and others wait.
func planRender(r Reader, plan *Plan) (render func() []byte, err error) {
	content, err := r.PlanContent(plan.ID)
	if err != nil {
		return nil, err
	}
	var entries []*evidence.Entry
	if !plan.Imported {
		entries, err = r.Entries(EntryFilter{PlanID: plan.ID, Types: planEntries, Limit: MaxPage})
	}
	return func() []byte { return plan.native(content, entries) }, err
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
		o.Native, err = planNative(r, plan)
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
		list, next, err = fillPage(page, plans, after, func(plan *Plan) ([]byte, error) { return planNative(r, plan) },
			func(rows int) (string, error) {
				_, next, err := r.Plans(f, Page{Limit: rows, Cursor: page.Cursor})
				return next, err
			})
		return err
	})
	return list, next, err
}
