package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/lru"
	"countersign/views"
)

const (
	minCachedSteps    = 50 // a smaller plan is drawn each time
	maxCachedDrawings = 16 // one of 500 steps takes some 400 KiB
)

// drawingCache draws plans and caches the large drawings that were used last. A
// page of 500 steps takes half the time with it.
type drawingCache struct {
	maxSteps int // that are drawn
	cache    *lru.Cache[string, *views.PlanDrawing]
}

func newDrawingCache(maxSteps int) *drawingCache {
	return &drawingCache{maxSteps, lru.New[string, *views.PlanDrawing](maxCachedDrawings)}
}

// draw returns nil where a drawing would not help. What it shows follows from the
// plan's hash, the states of the steps, and which of them are gated.
func (c *drawingCache) draw(d *domain.PlanDetail, gated map[string]bool) *views.PlanDrawing {
	if len(d.Document.Steps) < minCachedSteps || d.Plan.Hash == "" {
		return drawPlan(d, gated, c.maxSteps)
	}
	key := fmt.Sprint(d.Plan.Hash, d.Plan.States, strings.Join(slices.Sorted(maps.Keys(gated)), " "))
	if drawing, ok := c.cache.Get(key); ok {
		return drawing
	}
	drawing := drawPlan(d, gated, c.maxSteps)
	if drawing != nil && drawing.Prerender() == nil {
		c.cache.Put(key, drawing, 1)
	}
	return drawing
}
