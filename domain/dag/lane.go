package dag

import (
	"cmp"
	"math"
	"slices"
)

// lane is the way of a trunk's longest edges: level, above or below everything
// in the layers it passes.
type lane struct {
	trunk       *trunk
	y           float64 // of the node
	first, last int     // layers passed
}

// openLanes places the lanes of a block, the shortest first, so that longer
// ones go around them, and sets the extent of the block.
func (n *net) openLanes(b *block) {
	top, bottom := n.skyline(b)
	for _, lane := range n.lanes(b) {
		passedTop := top[lane.first : lane.last+1]
		passedBottom := bottom[lane.first : lane.last+1]
		above := slices.Min(passedTop) - n.LineGap
		below := slices.Max(passedBottom) + n.LineGap
		if lane.y-above <= below-lane.y {
			lane.trunk.lane = above
			cover(passedTop, above)
		} else {
			lane.trunk.lane = below
			cover(passedBottom, below)
		}
	}
	b.top, b.bottom = slices.Min(top), slices.Max(bottom)
}

func cover(s []float64, v float64) {
	for i := range s {
		s[i] = v
	}
}

// lanes lists the lanes that a block needs.
func (n *net) lanes(b *block) []lane {
	var lanes []lane
	for _, v := range b.nodes {
		at := &n.vertices[v]
		if t := &n.trunks[from][v]; t.reach > 0 {
			lanes = append(lanes, lane{t, at.y, at.layer + 1, at.layer + t.reach - 1})
		}
		if t := &n.trunks[to][v]; t.reach > 0 {
			lanes = append(lanes, lane{t, at.y, at.layer - t.reach + 1, at.layer - 1})
		}
	}
	slices.SortStableFunc(lanes, func(a, b lane) int {
		return cmp.Compare(a.last-a.first, b.last-b.first)
	})
	return lanes
}

// skyline is the upper and the lower bound of each layer.
func (n *net) skyline(b *block) (top, bottom []float64) {
	top, bottom = make([]float64, len(b.layers)), make([]float64, len(b.layers))
	for l, layer := range b.layers {
		top[l], bottom[l] = math.Inf(1), math.Inf(-1)
		for _, v := range layer {
			top[l] = min(top[l], n.vertices[v].y-n.vertices[v].h/2)
			bottom[l] = max(bottom[l], n.vertices[v].y+n.vertices[v].h/2)
		}
	}
	return top, bottom
}
