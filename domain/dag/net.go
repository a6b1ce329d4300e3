package dag

import (
	"cmp"
	"slices"
)

// net is the graph while it is being laid out: its nodes, and after them the
// bends of its long edges.
type net struct {
	Options
	vertices []vertex
	edges    []edge
	trunks   [2][]trunk // by end, then by node
}

// vertex is a node, or a bend, which has no size.
type vertex struct {
	layer, pos int // column, and place in it from the top
	y          float64
	w, h       float64
	in, out    []int
	bend       bool
}

// end is one of the two ends of an edge.
type end int

const (
	from end = iota
	to
)

// edge is an edge of the graph and the way it takes. A long edge, one that
// passes a layer, goes along the trunk of the node at its hub end.
type edge struct {
	node [2]int // by end
	span int    // layers from one end to the other
	hub  end
	lane bool // by the trunk's lane and not by its bends
}

func (e edge) long() bool { return e.span > 1 }

// trunk is the line that long edges share at the node they have in common.
type trunk struct {
	bends []int   // vertices in the layers passed, nearest to the node first
	reach int     // layers from the node to the far end of the lane
	lane  float64 // y of the lane, if reach is not 0
}

func newNet(g Graph, layers []int, o Options) *net {
	n := &net{Options: o, vertices: make([]vertex, len(g.Nodes)), edges: make([]edge, len(g.Edges))}
	for i, node := range g.Nodes {
		n.vertices[i] = vertex{layer: layers[i], w: node.W, h: node.H}
	}
	for i, e := range g.Edges {
		n.edges[i] = edge{node: e, span: layers[e[1]] - layers[e[0]]}
	}
	n.chooseHubs(len(g.Nodes))
	n.chooseLanes()
	for end := range n.trunks {
		n.trunks[end] = make([]trunk, len(g.Nodes))
	}
	for _, e := range n.edges {
		n.connect(e)
	}
	return n
}

// chooseHubs puts each long edge with the larger crowd: the long edges that
// leave its first node, or those that reach its last.
func (n *net) chooseHubs(nodes int) {
	crowd := [2][]int{make([]int, nodes), make([]int, nodes)}
	for _, e := range n.edges {
		if e.long() {
			crowd[from][e.node[from]]++
			crowd[to][e.node[to]]++
		}
	}
	for i, e := range n.edges {
		if crowd[to][e.node[to]] > crowd[from][e.node[from]] {
			n.edges[i].hub = to
		}
	}
}

// chooseLanes lets the shortest of the long edges bend until MaxBends is used
// up, and sends the others to lanes. An edge is charged for shared bends too:
// its route is that long.
func (n *net) chooseLanes() {
	var long []int
	for i, e := range n.edges {
		if e.long() {
			long = append(long, i)
		}
	}
	slices.SortStableFunc(long, func(a, b int) int {
		return cmp.Compare(n.edges[a].span, n.edges[b].span)
	})
	left := n.MaxBends
	for _, i := range long {
		left -= n.edges[i].span - 1
		n.edges[i].lane = left < 0
	}
}

// connect links the two ends of an edge, through the bends of its trunk where
// it has any. Edges in lanes stay out of arrange and place.
func (n *net) connect(e edge) {
	hub, other := e.node[e.hub], e.node[1-e.hub]
	t := &n.trunks[e.hub][hub]
	if e.lane {
		t.reach = max(t.reach, e.span)
		return
	}
	tip := hub
	for i := range e.span - 1 {
		if i == len(t.bends) {
			t.bends = append(t.bends, n.addBend(tip, e.hub))
		}
		tip = t.bends[i]
	}
	n.link(tip, other, e.hub)
}

// addBend adds a bend in the layer after tip, or before it on a trunk that
// grows back from the end of its edges.
func (n *net) addBend(tip int, hub end) int {
	layer := n.vertices[tip].layer
	if hub == from {
		layer++
	} else {
		layer--
	}
	n.vertices = append(n.vertices, vertex{layer: layer, bend: true})
	bend := len(n.vertices) - 1
	n.link(tip, bend, hub)
	return bend
}

// link joins near, which is on the hub's side, to far.
func (n *net) link(near, far int, hub end) {
	if hub == to {
		near, far = far, near
	}
	n.vertices[near].out = append(n.vertices[near].out, far)
	n.vertices[far].in = append(n.vertices[far].in, near)
}
