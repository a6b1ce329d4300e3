package dag

import "math"

// straighten takes out the small steps that place leaves, without moving one
// vertex past another: first between nodes, then along trunks.
func (n *net) straighten(b *block) {
	for _, layer := range b.layers {
		for _, v := range layer {
			n.level(b, v)
		}
	}
	for _, v := range b.nodes {
		for _, trunks := range n.trunks {
			n.straightenTrunk(b, v, trunks[v].bends)
		}
	}
}

// level moves a node to the height of the nearest vertex that leads to it, if
// that is so near that the line between them would look crooked.
func (n *net) level(b *block, v int) {
	at := &n.vertices[v]
	if at.bend || len(at.in) == 0 {
		return
	}
	nearest := math.Inf(1)
	for _, w := range at.in {
		if y := n.vertices[w].y; math.Abs(y-at.y) < math.Abs(nearest-at.y) {
			nearest = y
		}
	}
	if low, high := n.room(b, v); math.Abs(nearest-at.y) <= n.RowGap/2 {
		at.y = min(max(nearest, low), high)
	}
}

// straightenTrunk makes a trunk level for as far as the vertices above and
// below it leave room, so that it turns only where it must.
func (n *net) straightenTrunk(b *block, node int, bends []int) {
	before := n.vertices[node].y
	for start := 0; start < len(bends); {
		low, high := math.Inf(-1), math.Inf(1)
		sum, next := 0.0, start
		for ; next < len(bends); next++ {
			l, h := n.room(b, bends[next])
			if max(l, low) > min(h, high) {
				break
			}
			low, high = max(l, low), min(h, high)
			sum += n.vertices[bends[next]].y
		}
		y := before
		if y < low || y > high {
			y = min(max(sum/float64(next-start), low), high)
		}
		for _, v := range bends[start:next] {
			n.vertices[v].y = y
		}
		before, start = y, next
	}
}

// room is where a vertex may be without moving those beside it. Where it is
// now is always part of that, whatever rounding says.
func (n *net) room(b *block, v int) (low, high float64) {
	y := n.vertices[v].y
	low, high = math.Inf(-1), math.Inf(1)
	layer, pos := b.layers[n.vertices[v].layer], n.vertices[v].pos
	if pos > 0 {
		above := layer[pos-1]
		low = min(y, n.vertices[above].y+n.distance(above, v))
	}
	if pos < len(layer)-1 {
		below := layer[pos+1]
		high = max(y, n.vertices[below].y-n.distance(v, below))
	}
	return low, high
}
