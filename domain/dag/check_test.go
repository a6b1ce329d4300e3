package dag_test

import (
	"math"
	"testing"

	"countersign/domain/dag"

	"github.com/google/go-cmp/cmp"
)

// slack is what rounding may add up to.
const slack = 1e-6

// checkLayout lays g out and checks everything that holds for any drawing.
func checkLayout(t *testing.T, g dag.Graph, o dag.Options) {
	t.Helper()
	d, err := dag.Layout(g, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := dag.Layout(g, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, again); diff != "" {
		t.Errorf("the same graph was drawn in two ways:\n%s", diff)
	}
	if len(d.Centres) != len(g.Nodes) || len(d.Layers) != len(g.Nodes) || len(d.Routes) != len(g.Edges) {
		t.Fatalf("drew %d nodes in %d layers and %d routes for %d nodes and %d edges",
			len(d.Centres), len(d.Layers), len(d.Routes), len(g.Nodes), len(g.Edges))
	}
	all := make([]box, len(g.Nodes))
	for v, c := range d.Centres {
		all[v] = boxAround(c, g.Nodes[v])
	}
	checkBoxes(t, d, all)
	for e, route := range d.Routes {
		from, to := g.Edges[e][0], g.Edges[e][1]
		if d.Layers[from] >= d.Layers[to] {
			t.Errorf("edge %v goes from layer %d to layer %d", g.Edges[e], d.Layers[from], d.Layers[to])
		}
		checkEnds(t, g.Edges[e], route, d.Centres, all)
		checkWay(t, d, g.Edges[e], route, all)
	}
}

// box is a rectangle by its borders.
type box struct{ left, top, right, bottom float64 }

func boxAround(c dag.Point, n dag.Node) box {
	return box{c.X - n.W/2, c.Y - n.H/2, c.X + n.W/2, c.Y + n.H/2}
}

func (b box) overlaps(c box) bool {
	return b.left < c.right-slack && c.left < b.right-slack &&
		b.top < c.bottom-slack && c.top < b.bottom-slack
}

// cuts reports whether a segment that goes right passes through the box.
func (b box) cuts(p, q dag.Point) bool {
	left, right := max(p.X, b.left), min(q.X, b.right)
	if left > right-slack {
		return false
	}
	y := func(x float64) float64 { return p.Y + (q.Y-p.Y)*(x-p.X)/(q.X-p.X) }
	top, bottom := min(y(left), y(right)), max(y(left), y(right))
	return top < b.bottom-slack && bottom > b.top+slack
}

func checkBoxes(t *testing.T, d *dag.Drawing, all []box) {
	t.Helper()
	for v, b := range all {
		if !inside(d, b.left, b.top) || !inside(d, b.right, b.bottom) {
			t.Errorf("node %d at %+v is outside the drawing of %g by %g", v, b, d.Width, d.Height)
		}
		for w := range v {
			if b.overlaps(all[w]) {
				t.Errorf("nodes %d and %d overlap: %+v %+v", w, v, all[w], b)
			}
		}
	}
}

func inside(d *dag.Drawing, x, y float64) bool {
	return -slack <= x && x <= d.Width+slack && -slack <= y && y <= d.Height+slack
}

func checkEnds(t *testing.T, e [2]int, route []dag.Point, centres []dag.Point, all []box) {
	t.Helper()
	if len(route) < 2 {
		t.Fatalf("edge %v has %d way points", e, len(route))
	}
	first, last := route[0], route[len(route)-1]
	if math.Abs(first.X-all[e[0]].right) > slack || math.Abs(first.Y-centres[e[0]].Y) > slack {
		t.Errorf("edge %v starts at %v, not at the right border of its node", e, first)
	}
	if math.Abs(last.X-all[e[1]].left) > slack || math.Abs(last.Y-centres[e[1]].Y) > slack {
		t.Errorf("edge %v ends at %v, not at the left border of its node", e, last)
	}
}

func checkWay(t *testing.T, d *dag.Drawing, e [2]int, route []dag.Point, all []box) {
	t.Helper()
	for i, q := range route[1:] {
		p := route[i]
		if p.X >= q.X {
			t.Errorf("edge %v does not go right from %v to %v", e, p, q)
		}
		if !inside(d, q.X, q.Y) {
			t.Errorf("edge %v leaves the drawing at %v", e, q)
		}
		for v, b := range all {
			if b.cuts(p, q) {
				t.Errorf("edge %v from %v to %v passes through node %d at %+v", e, p, q, v, b)
			}
		}
	}
}
