package dag_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"countersign/domain/dag"

	"github.com/google/go-cmp/cmp"
)

// exampleEdges are the dependencies of the protocol's example plan: s1 before s2 and
// s3, s2 before s4, s3 and s4 before s5.
var exampleEdges = [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 4}}

func boxes(n int) []dag.Node {
	nodes := make([]dag.Node, n)
	for i := range nodes {
		nodes[i] = dag.Node{W: 160, H: 44}
	}
	return nodes
}

func chain(n int) [][2]int {
	var edges [][2]int
	for v := range n - 1 {
		edges = append(edges, [2]int{v, v + 1})
	}
	return edges
}

// random gives edges from lower to higher numbers, at most span apart.
func random(r *rand.Rand, n, edges, span int) [][2]int {
	list := make([][2]int, edges)
	for i := range list {
		a := r.IntN(n - 1)
		list[i] = [2]int{a, a + 1 + r.IntN(min(span, n-1-a))}
	}
	return list
}

func TestP21_SeedExample(t *testing.T) {
	t.Parallel()
	d, err := dag.Layout(dag.Graph{Nodes: boxes(5), Edges: exampleEdges}, dag.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 1, 2, 3}, d.Layers); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
	if d.Width != 4*160+3*56 || d.Height != 2*44+24 {
		t.Errorf("size is %g by %g, want four columns and two rows", d.Width, d.Height)
	}
	if len(d.Routes) != 5 {
		t.Errorf("%d routes, want 5", len(d.Routes))
	}
}

func TestLayoutOfShapes(t *testing.T) {
	t.Parallel()
	fork := func(n int) (edges [][2]int) {
		for v := 1; v < n-1; v++ {
			edges = append(edges, [2]int{0, v}, [2]int{v, n - 1})
		}
		return edges
	}
	all := func(n int) (edges [][2]int) {
		for v := range n {
			for w := v + 1; w < n; w++ {
				edges = append(edges, [2]int{v, w})
			}
		}
		return edges
	}
	sizes := []dag.Node{{W: 40, H: 20}, {W: 200, H: 90}, {W: 120, H: 30}, {W: 10, H: 10}, {W: 77.7, H: 33.3}}
	for _, tt := range []struct {
		name  string
		nodes []dag.Node
		edges [][2]int
	}{
		{"single", boxes(1), nil},
		{"pair", boxes(2), chain(2)},
		{"same edge twice", boxes(2), [][2]int{{0, 1}, {0, 1}}},
		{"example plan", boxes(5), exampleEdges},
		{"boxes of many sizes", sizes, exampleEdges},
		{"chain", boxes(30), chain(30)},
		{"chain with a way around", boxes(30), append(chain(30), [2]int{0, 29})},
		{"fork and join", boxes(12), append(fork(12), [2]int{1, 2}, [2]int{2, 3})},
		{"every pair", boxes(15), all(15)},
		{"no edges", boxes(40), nil},
		{"several parts", boxes(12), [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {6, 5}}},
		{"numbered against the edges", boxes(4), [][2]int{{3, 2}, {2, 1}, {1, 0}, {3, 0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkLayout(t, dag.Graph{Nodes: tt.nodes, Edges: tt.edges}, dag.Options{})
		})
	}
}

func TestLayoutOfRandomGraphs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 21))
			n := 2 + r.IntN(60)
			g := dag.Graph{Edges: random(r, n, r.IntN(3*n), 1+r.IntN(n))}
			for range n {
				g.Nodes = append(g.Nodes, dag.Node{W: float64(40 + r.IntN(160)), H: float64(20 + r.IntN(60))})
			}
			if seed%3 == 0 {
				g.Edges = append(g.Edges, chain(n)...)
			}
			// A random numbering: nothing may depend on edges pointing up.
			names := r.Perm(n)
			for i, e := range g.Edges {
				g.Edges[i] = [2]int{names[e[0]], names[e[1]]}
			}
			for _, bends := range []int{0, 1, 25} {
				checkLayout(t, g, dag.Options{MaxBends: bends})
			}
		})
	}
}

func TestLayoutOfLargestPlan(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 21))
	edges := append(chain(500), random(r, 500, 1501, 500)...)
	checkLayout(t, dag.Graph{Nodes: boxes(500), Edges: edges}, dag.Options{})
}

func TestLayoutSharesTrunks(t *testing.T) {
	t.Parallel()
	// In a chain of twelve, the first is also needed by the last five, or the
	// last also needs the first five.
	fanOut, fanIn := chain(12), chain(12)
	for i := range 5 {
		fanOut = append(fanOut, [2]int{0, 7 + i})
		fanIn = append(fanIn, [2]int{i, 11})
	}
	turn := func(way []dag.Point) dag.Point { return way[1] }
	lastTurn := func(way []dag.Point) dag.Point { return way[len(way)-2] }
	for _, tt := range []struct {
		name  string
		edges [][2]int
		bends int
		turn  func([]dag.Point) dag.Point
	}{
		{"fan-out by bends", fanOut, 1000, turn},
		{"fan-out by a lane", fanOut, 1, turn},
		{"fan-in by bends", fanIn, 1000, lastTurn},
		{"fan-in by a lane", fanIn, 1, lastTurn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := dag.Layout(dag.Graph{Nodes: boxes(12), Edges: tt.edges}, dag.Options{MaxBends: tt.bends})
			if err != nil {
				t.Fatal(err)
			}
			want := tt.turn(d.Routes[11])
			for e := 12; e < len(tt.edges); e++ {
				if got := tt.turn(d.Routes[e]); got != want {
					t.Errorf("edge %v turns at %v, want %v as its siblings do", tt.edges[e], got, want)
				}
			}
		})
	}
}

func TestLayoutUntangles(t *testing.T) {
	t.Parallel()
	// One step leads to eight, each of which leads to one more; the second
	// eight are numbered in another order than the first.
	var edges [][2]int
	for i := range 8 {
		edges = append(edges, [2]int{0, 1 + i}, [2]int{1 + i, 9 + i*3%8})
	}
	d, err := dag.Layout(dag.Graph{Nodes: boxes(17), Edges: edges}, dag.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		first, second := 1+i, 9+i*3%8
		if a, b := d.Centres[first].Y, d.Centres[second].Y; a != b {
			t.Errorf("the line from node %d to node %d goes from height %g to %g, want it level", first, second, a, b)
		}
	}
}

func TestLayoutKeepsLongEdgesLevel(t *testing.T) {
	t.Parallel()
	// Beside the long edge, layers of one, five and three nodes in turn.
	edges := [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}
	for v := 1; v <= 5; v++ {
		edges = append(edges, [2]int{v, 6 + v%3})
	}
	edges = append(edges, [2]int{6, 9}, [2]int{7, 9}, [2]int{8, 9}, [2]int{9, 10}, [2]int{10, 11})
	edges = append(edges, [2]int{0, 11})
	d, err := dag.Layout(dag.Graph{Nodes: boxes(12), Edges: edges}, dag.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if way := d.Routes[len(edges)-1]; len(way) > 4 {
		t.Errorf("the long edge goes %v, want one level line between its ends", way)
	}
}

func TestLayoutRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		nodes int
		edges [][2]int
		want  error
	}{
		{"cycle", 3, [][2]int{{0, 1}, {1, 2}, {2, 0}}, dag.ErrCycle},
		{"self-edge", 2, [][2]int{{0, 1}, {1, 1}}, dag.ErrCycle},
		{"edge to nowhere", 2, [][2]int{{0, 2}}, dag.ErrEdge},
		{"edge from nowhere", 2, [][2]int{{-1, 0}}, dag.ErrEdge},
		{"too many nodes", 501, nil, dag.ErrTooLarge},
		{"too many edges", 2, slices.Repeat([][2]int{{0, 1}}, 2001), dag.ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := dag.Layout(dag.Graph{Nodes: boxes(tt.nodes), Edges: tt.edges}, dag.Options{})
			if !errors.Is(err, tt.want) || d != nil {
				t.Errorf("got drawing %v and error %v, want none and %v", d, err, tt.want)
			}
		})
	}
}

func TestLayoutOfNothing(t *testing.T) {
	t.Parallel()
	d, err := dag.Layout(dag.Graph{}, dag.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Width != 0 || d.Height != 0 || len(d.Centres) != 0 || len(d.Routes) != 0 {
		t.Errorf("got %+v, want an empty drawing", d)
	}
}

func BenchmarkLayout(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 21))
	for _, bb := range []struct {
		name  string
		nodes int
		edges [][2]int
	}{
		{"5steps", 5, exampleEdges},
		{"50steps", 50, random(r, 50, 80, 10)},
		{"500steps", 500, random(r, 500, 700, 40)},
		{"500steps2000edges", 500, random(r, 500, 2000, 500)},
		{"500chain500long", 500, append(chain(500), random(r, 500, 500, 500)...)},
		{"500chain1500long", 500, append(chain(500), random(r, 500, 1500, 500)...)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			g := dag.Graph{Nodes: boxes(bb.nodes), Edges: bb.edges}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := dag.Layout(g, dag.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
