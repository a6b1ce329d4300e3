package domain

import (
	"cmp"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/quorum"
)

// Progress says how far the voting on a pending confirm is: numbers only, so that nobody
// argues with half a jury. Roles have their names. The variant with the most approvals
// counts.
type Progress struct {
	Quorum     []quorum.Progress
	Rejections int // that end it
}

func (v *voting) progress() *Progress {
	best := v.Count("") // of no variant: nobody has approved anything
	for _, t := range v.Variants() {
		if len(t.Votes) > len(best.Votes) {
			best = t
		}
	}
	return &Progress{Quorum: best.Quorum, Rejections: v.Requires.Rejections}
}

// Counted returns how many approvals there are, and how many are needed.
func (p *Progress) Counted() (approved, needed int) {
	for _, q := range p.Quorum {
		approved, needed = approved+q.Approved, needed+q.Approvals
	}
	return approved, needed
}

// loadProgress returns how far the voting on a confirm is, nil if it needs none.
func loadProgress(r Reader, c *Confirm) (*Progress, error) {
	if c.Quorum == 0 {
		return nil, nil
	}
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return nil, err
	}
	v, err := loadVoting(r, c, content)
	if err != nil {
		return nil, err
	}
	return v.namedProgress(r)
}

// namedProgress is progress with the names of roles, in their order.
func (v *voting) namedProgress(r Reader) (*Progress, error) {
	progress := v.progress()
	for i, q := range progress.Quorum {
		name, err := roleName(r, q.Role)
		if err != nil {
			return nil, err
		}
		progress.Quorum[i].Role = name
	}
	slices.SortFunc(progress.Quorum, func(a, b quorum.Progress) int { return cmp.Compare(a.Role, b.Role) })
	return progress, nil
}
