package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/views"
)

// What is kept of a drawing is what it would be drawn as, and no more of them
// than are meant to be.
func TestDrawingCache_HasWhatIsDrawn(t *testing.T) {
	t.Parallel()
	detail := func(hash string, steps int) *domain.PlanDetail {
		d := &domain.PlanDetail{Plan: &domain.Plan{Hash: hash, States: domain.StepStates(strings.Repeat("p", steps))}, Document: &mplp.Plan{Title: "Move"}}
		for i := range steps {
			step := mplp.Step{ID: fmt.Sprint("s", i), Description: "<b>" + fmt.Sprint(i)}
			if i > 0 {
				step.Dependencies = []string{fmt.Sprint("s", (i-1)/2)}
			}
			d.Document.Steps = append(d.Document.Steps, step)
		}
		return d
	}
	render := func(drawing *views.PlanDrawing) string {
		t.Helper()
		var b strings.Builder
		if err := views.Drawing(*drawing).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	k := newDrawingCache(500)
	first := detail("sha256:1", minCachedSteps)
	var seen []string
	for _, tt := range []struct {
		name  string
		gated map[string]bool
		steps string
	}{
		{"as posted", nil, ""},
		{"gated", map[string]bool{"s3": true}, ""},
		{"gated elsewhere", map[string]bool{"s4": true}, ""},
		{"moved", nil, "c"},
	} {
		first.Plan.States = domain.StepStates(tt.steps + strings.Repeat("p", minCachedSteps-len(tt.steps)))
		want := render(drawPlan(first, tt.gated, k.maxSteps))
		for range 2 {
			if got := render(k.draw(first, tt.gated)); got != want {
				t.Errorf("%s: what is kept differs from what is drawn", tt.name)
			}
		}
		if slices.Contains(seen, want) {
			t.Errorf("%s: is drawn like another", tt.name)
		}
		seen = append(seen, want)
	}
	cached := k.draw(first, nil)
	if k.draw(first, nil) != cached {
		t.Error("a large drawing is not cached")
	}
	for i := range maxCachedDrawings {
		k.draw(detail(fmt.Sprint("sha256:", i), minCachedSteps), nil)
	}
	if k.draw(first, nil) == cached {
		t.Error("more drawings are cached than may be")
	}
	for _, d := range []*domain.PlanDetail{detail("sha256:small", minCachedSteps-1), detail("", minCachedSteps)} {
		if once := k.draw(d, nil); k.draw(d, nil) == once {
			t.Errorf("a drawing of %d steps of the plan %q is cached", len(d.Document.Steps), d.Plan.Hash)
		}
	}
}
