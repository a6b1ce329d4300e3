package dag

import "slices"

// block is one connected part of the graph. Its parts are laid out apart from
// each other: nothing is gained by weaving them together.
type block struct {
	nodes, bends []int
	edges        []int
	layers       [][]int  // vertices by layer, from the top
	columns      []column // by layer

	top, bottom   float64 // extent of everything, lanes too
	width, height float64
	at            Point // upper left corner in the drawing
}

// column is the horizontal extent of a layer.
type column struct{ left, width float64 }

func (c column) right() float64 { return c.left + c.width }

// inset is the space on either side of a box of width w.
func (c column) inset(w float64) float64 { return (c.width - w) / 2 }

// blocks splits the net into its connected parts, in the order of their first
// nodes.
func (n *net) blocks() []*block {
	root := n.roots()
	var blocks []*block
	byRoot := make([]*block, len(root))
	for v, r := range root {
		if byRoot[r] == nil {
			byRoot[r] = &block{}
			blocks = append(blocks, byRoot[r])
		}
		byRoot[r].nodes = append(byRoot[r].nodes, v)
	}
	for _, trunks := range n.trunks {
		for v, t := range trunks {
			b := byRoot[root[v]]
			b.bends = append(b.bends, t.bends...)
		}
	}
	for i, e := range n.edges {
		b := byRoot[root[e.node[from]]]
		b.edges = append(b.edges, i)
	}
	for _, b := range blocks {
		n.fill(b)
	}
	return blocks
}

// roots names for each node one node of its connected part, the same for all
// of them.
func (n *net) roots() []int {
	nodes := len(n.trunks[from])
	root := make([]int, nodes)
	for v := range root {
		root[v] = v
	}
	find := func(v int) int {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for _, e := range n.edges {
		a, b := find(e.node[from]), find(e.node[to])
		root[max(a, b)] = min(a, b)
	}
	for v := range root {
		root[v] = find(v)
	}
	return root
}

// fill puts the vertices of a block into layers, depth first from those that
// nothing leads to: a first order that keeps chains together.
func (n *net) fill(b *block) {
	members := slices.Concat(b.nodes, b.bends)
	depth := 0
	for _, v := range members {
		depth = max(depth, n.vertices[v].layer+1)
	}
	b.layers = make([][]int, depth)
	seen := make(map[int]bool, len(members))
	for _, v := range members {
		if len(n.vertices[v].in) > 0 {
			continue
		}
		for stack := []int{v}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[u] {
				continue
			}
			seen[u] = true
			l := n.vertices[u].layer
			n.vertices[u].pos = len(b.layers[l])
			b.layers[l] = append(b.layers[l], u)
			for _, next := range slices.Backward(n.vertices[u].out) {
				stack = append(stack, next)
			}
		}
	}
}

// measure sets the columns and the size of a block that has been placed.
func (n *net) measure(b *block) {
	b.columns = make([]column, len(b.layers))
	x := 0.0
	for l, layer := range b.layers {
		widest := 0.0
		for _, v := range layer {
			widest = max(widest, n.vertices[v].w)
		}
		b.columns[l] = column{left: x, width: widest}
		x += widest + n.LayerGap
	}
	b.width = x - n.LayerGap
	b.height = b.bottom - b.top
}
