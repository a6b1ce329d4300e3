package dag

import "slices"

const placeSweeps = 12

// place gives the vertices of a block their y. Each layer in turn goes as near
// to its neighbours as its order and the gaps allow, in sweeps to and fro: at
// first near to the layer just placed, in the end near to both.
func (n *net) place(b *block) {
	for _, layer := range b.layers {
		n.stack(layer)
	}
	for sweep := range placeSweeps {
		pull := [2]float64{from: 1, to: 1}
		rightward := sweep%2 == 0
		if sweep < placeSweeps/2 {
			if rightward {
				pull[to] = 0
			} else {
				pull[from] = 0
			}
		}
		if rightward {
			for _, layer := range b.layers {
				n.settle(layer, pull)
			}
		} else {
			for _, layer := range slices.Backward(b.layers) {
				n.settle(layer, pull)
			}
		}
	}
}

// stack puts a layer together, around 0.
func (n *net) stack(layer []int) {
	y := 0.0
	for i, v := range layer {
		if i > 0 {
			y += n.distance(layer[i-1], v)
		}
		n.vertices[v].y = y
	}
	for _, v := range layer {
		n.vertices[v].y -= y / 2
	}
}

// distance is the least there may be between the centres of two vertices next
// to each other.
func (n *net) distance(upper, lower int) float64 {
	a, b := &n.vertices[upper], &n.vertices[lower]
	gap := n.RowGap
	if a.bend || b.bend {
		gap = n.LineGap
	}
	return a.h/2 + gap + b.h/2
}

// settle moves a layer to where its neighbours pull it. With the least
// distances taken off, keeping them means keeping the order, and the nearest
// such positions are found by pooling vertices that want to pass each other.
func (n *net) settle(layer []int, pull [2]float64) {
	pools := make([]pool, 0, len(layer))
	offsets := make([]float64, len(layer))
	for i, v := range layer {
		if i > 0 {
			offsets[i] = offsets[i-1] + n.distance(layer[i-1], v)
		}
		y, weight := n.wish(v, pull)
		p := pool{y: y - offsets[i], weight: weight, size: 1}
		for len(pools) > 0 && pools[len(pools)-1].y > p.y {
			p = pools[len(pools)-1].merge(p)
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.size {
			n.vertices[layer[i]].y = p.y + offsets[i]
			i++
		}
	}
}

// pool is a run of vertices that move as one.
type pool struct {
	y, weight float64
	size      int
}

func (p pool) merge(q pool) pool {
	weight := p.weight + q.weight
	return pool{
		y:      (p.y*p.weight + q.y*q.weight) / weight,
		weight: weight,
		size:   p.size + q.size,
	}
}

// A line from bend to bend is seen best when it is straight, and a vertex that
// nothing pulls gives way to all others.
const (
	bendPull  = 4
	loosePull = 1.0 / 64
)

// wish is the mean height of the neighbours of a vertex, and how strongly they
// pull.
func (n *net) wish(v int, pull [2]float64) (y, weight float64) {
	vertex := &n.vertices[v]
	sum := 0.0
	for e, neighbours := range [2][]int{from: vertex.in, to: vertex.out} {
		for _, w := range neighbours {
			strength := pull[e]
			if vertex.bend && n.vertices[w].bend {
				strength *= bendPull
			}
			sum += strength * n.vertices[w].y
			weight += strength
		}
	}
	if weight == 0 {
		return vertex.y, loosePull
	}
	return sum / weight, weight
}
