package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"countersign/domain"
	"countersign/views"
)

// Drawings are kept from so many steps on, and so many: one of 500 steps takes
// some 400 KiB.
const (
	keptSteps    = 50
	keptDrawings = 16
)

// drawings draws plans and keeps the large drawings that were asked for last.
// What a drawing shows follows from the plan's hash, the states of its steps and
// which of them are gated.
type drawings struct {
	limit int // steps that are drawn

	mu   sync.Mutex
	kept map[string]*views.PlanDrawing
}

// draw is nil where there is nothing that a drawing would help with.
func (k *drawings) draw(d *domain.PlanDetail, gated map[string]bool) *views.PlanDrawing {
	if len(d.Document.Steps) < keptSteps || d.Plan.Hash == "" {
		return drawPlan(d, gated, k.limit)
	}
	key := fmt.Sprint(d.Plan.Hash, d.Plan.States, strings.Join(slices.Sorted(maps.Keys(gated)), " "))
	if drawing := k.find(key); drawing != nil {
		return drawing
	}
	drawing := drawPlan(d, gated, k.limit)
	if drawing == nil || drawing.Keep() != nil {
		return drawing
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for old := range k.kept {
		if len(k.kept) < keptDrawings {
			break
		}
		delete(k.kept, old)
	}
	if k.kept == nil {
		k.kept = map[string]*views.PlanDrawing{}
	}
	k.kept[key] = drawing
	return drawing
}

func (k *drawings) find(key string) *views.PlanDrawing {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[key]
}
