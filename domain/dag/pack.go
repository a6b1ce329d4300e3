package dag

import (
	"cmp"
	"math"
	"slices"
)

// packAspect is how much wider than high a drawing of many parts should be.
const packAspect = 1.6

// pack puts blocks in rows, the highest first, and returns the size of the
// whole. A row is as wide as the widest block, or wider if that leaves the
// whole too high.
func pack(blocks []*block, o Options) (width, height float64) {
	rowGap := 2 * o.RowGap // more than within a block: what is apart looks apart
	limit, area := 0.0, 0.0
	for _, b := range blocks {
		limit = max(limit, b.width)
		area += (b.width + o.LayerGap) * (b.height + rowGap)
	}
	limit = max(limit, math.Sqrt(packAspect*area))

	rows := slices.Clone(blocks)
	slices.SortStableFunc(rows, func(a, b *block) int { return cmp.Compare(b.height, a.height) })
	var next Point
	for _, b := range rows {
		if next.X > 0 && next.X+b.width > limit {
			next = Point{Y: height + rowGap}
		}
		b.at = next
		next.X += b.width + o.LayerGap
		width = max(width, b.at.X+b.width)
		height = max(height, b.at.Y+b.height)
	}
	return width, height
}
