package dag

import "errors"

// ErrTooLarge says that a graph has more nodes or edges than Options allows. Draw a
// Neighbourhood instead.
var ErrTooLarge = errors.New("dag: too many nodes or edges to draw")

// Graph is what is drawn. An edge {a, b} points from node a to node b, which depends on
// it.
type Graph struct {
	Nodes []Node
	Edges [][2]int
}

// Node is the size of a node's box.
type Node struct{ W, H float64 }

// Point is a place in a drawing, from its upper left corner.
type Point struct{ X, Y float64 }

// Options has the distances, in the unit of the nodes' sizes, and the limits of a
// drawing. Zero fields get defaults.
type Options struct {
	LayerGap float64 // between two columns, where edges turn; 56
	RowGap   float64 // between two boxes of a column; 24
	LineGap  float64 // between a line and the boxes and lines beside it; 12

	MaxNodes int // 500
	MaxEdges int // 2,000
	MaxBends int // 3,000; the longest edges beyond it take lanes
}

func (o Options) withDefaults() Options {
	return Options{
		LayerGap: orDefault(o.LayerGap, 56),
		RowGap:   orDefault(o.RowGap, 24),
		LineGap:  orDefault(o.LineGap, 12),
		MaxNodes: orDefault(o.MaxNodes, 500),
		MaxEdges: orDefault(o.MaxEdges, 2000),
		MaxBends: orDefault(o.MaxBends, 3000),
	}
}

func orDefault[T int | float64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// Drawing has the positions of everything.
type Drawing struct {
	Width, Height float64

	// Centres and Layers have one element per node. Layers count from 0, and
	// every edge goes to a higher one.
	Centres []Point
	Layers  []int

	// Routes has the way points of each edge, in the order of Graph.Edges,
	// from the right border of one box to the left border of the other. X
	// never decreases. Where a route passes a column it is level; between
	// columns a segment may be drawn as a curve with level ends.
	Routes [][]Point
}

// Layout draws g. The errors are ErrCycle, ErrEdge and ErrTooLarge. A graph
// without nodes gives an empty drawing.
func Layout(g Graph, o Options) (*Drawing, error) {
	o = o.withDefaults()
	if len(g.Nodes) > o.MaxNodes || len(g.Edges) > o.MaxEdges {
		return nil, ErrTooLarge
	}
	order, err := Order(len(g.Nodes), g.Edges)
	if err != nil {
		return nil, err
	}
	layers := rank(len(g.Nodes), g.Edges, order)
	n := newNet(g, layers, o)
	blocks := n.blocks()
	for _, b := range blocks {
		arrange(n.vertices, b.layers)
		n.place(b)
		n.straighten(b)
		n.openLanes(b)
		n.measure(b)
	}
	d := &Drawing{Layers: layers}
	d.Width, d.Height = pack(blocks, o)
	n.draw(d, blocks)
	return d, nil
}
