package dag_test

import (
	"testing"

	"countersign/domain/dag"

	"github.com/google/go-cmp/cmp"
)

func TestNeighbourhood(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		n     int
		edges [][2]int
		focus []int
		hops  int
		want  []int
	}{
		{"no hops", 5, exampleEdges, []int{3}, 0, []int{3}},
		{"both ways, nearest first", 5, exampleEdges, []int{3}, 1, []int{3, 1, 4}},
		{"two hops", 5, exampleEdges, []int{3}, 2, []int{3, 1, 4, 0, 2}},
		{"more hops than nodes", 5, exampleEdges, []int{0}, 99, []int{0, 1, 2, 3, 4}},
		{"two in focus", 7, chain(7), []int{6, 0}, 1, []int{6, 0, 5, 1}},
		{"another part is not reached", 4, [][2]int{{0, 1}, {2, 3}}, []int{0}, 9, []int{0, 1}},
		{"a cycle ends", 2, [][2]int{{0, 1}, {1, 0}}, []int{1}, 9, []int{1, 0}},
		{"what does not exist is passed over", 2, [][2]int{{0, 1}, {0, 7}}, []int{-1, 0, 5}, 1, []int{0, 1}},
		{"no focus", 2, chain(2), nil, 3, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := dag.Neighbourhood(tt.n, tt.edges, tt.focus, tt.hops)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("neighbourhood (-want +got):\n%s", diff)
			}
		})
	}
}
