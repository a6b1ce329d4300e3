package dag_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"countersign/domain/dag"

	"github.com/google/go-cmp/cmp"
)

func TestP17_Order(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		n     int
		edges [][2]int
		want  []int
		err   error
	}{
		{"nothing", 0, nil, []int{}, nil},
		{"no edges keep the input order", 3, nil, []int{0, 1, 2}, nil},
		{"example plan", 5, exampleEdges, []int{0, 1, 2, 3, 4}, nil},
		{"against the numbers", 3, [][2]int{{2, 1}, {1, 0}}, []int{2, 1, 0}, nil},
		{"lowest number of those that are ready", 4, [][2]int{{3, 0}}, []int{1, 2, 3, 0}, nil},
		{"one that becomes ready goes before higher ones", 4, [][2]int{{1, 0}}, []int{1, 0, 2, 3}, nil},
		{"same edge twice", 2, [][2]int{{1, 0}, {1, 0}}, []int{1, 0}, nil},
		{"cycle", 3, [][2]int{{0, 1}, {1, 2}, {2, 1}}, nil, dag.ErrCycle},
		{"self-edge", 1, [][2]int{{0, 0}}, nil, dag.ErrCycle},
		{"edge to nowhere", 1, [][2]int{{0, 1}}, nil, dag.ErrEdge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := dag.Order(tt.n, tt.edges)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error is %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrderOfRandomGraphs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 17))
		n := 2 + r.IntN(200)
		names := r.Perm(n)
		edges := random(r, n, 4*n, n)
		for i, e := range edges {
			edges[i] = [2]int{names[e[0]], names[e[1]]}
		}
		order, err := dag.Order(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		at := make(map[int]int, n)
		for i, v := range order {
			at[v] = i
		}
		if len(order) != n || len(at) != n {
			t.Fatalf("seed %d: %d places for %d of %d nodes", seed, len(order), len(at), n)
		}
		for _, e := range edges {
			if at[e[0]] >= at[e[1]] {
				t.Errorf("seed %d: edge %v points back", seed, e)
			}
		}
	}
}
