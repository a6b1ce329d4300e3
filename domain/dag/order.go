package dag

import (
	"container/heap"
	"errors"
)

// ErrCycle says that the edges form a cycle; an edge from a node to itself is
// one.
var ErrCycle = errors.New("dag: the edges form a cycle")

// ErrEdge says that an edge names a node that does not exist.
var ErrEdge = errors.New("dag: an edge names a node that does not exist")

// Order returns the nodes 0 to n-1 with every edge pointing forward. Of the
// nodes that may come next, the one with the lowest number does, so an input
// that is in order already stays as it is. The errors are ErrCycle and ErrEdge.
func Order(n int, edges [][2]int) ([]int, error) {
	waitsFor := make([]int, n)
	for _, e := range edges {
		if !exists(e[0], n) || !exists(e[1], n) {
			return nil, ErrEdge
		}
		waitsFor[e[1]]++
	}
	var ready minHeap // ascending, so a heap from the start
	for v, count := range waitsFor {
		if count == 0 {
			ready = append(ready, v)
		}
	}
	out := successors(n, edges)
	order := make([]int, 0, n)
	for len(ready) > 0 {
		v := heap.Pop(&ready).(int)
		order = append(order, v)
		for _, w := range out[v] {
			if waitsFor[w]--; waitsFor[w] == 0 {
				heap.Push(&ready, w)
			}
		}
	}
	if len(order) < n {
		return nil, ErrCycle
	}
	return order, nil
}

func exists(v, n int) bool { return 0 <= v && v < n }

func successors(n int, edges [][2]int) [][]int {
	out := make([][]int, n)
	for _, e := range edges {
		out[e[0]] = append(out[e[0]], e[1])
	}
	return out
}

func predecessors(n int, edges [][2]int) [][]int {
	in := make([][]int, n)
	for _, e := range edges {
		in[e[1]] = append(in[e[1]], e[0])
	}
	return in
}

// minHeap gives the lowest node first.
type minHeap []int

func (h minHeap) Len() int           { return len(h) }
func (h minHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h minHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *minHeap) Push(v any)        { *h = append(*h, v.(int)) }
func (h *minHeap) Pop() any {
	last := len(*h) - 1
	v := (*h)[last]
	*h = (*h)[:last]
	return v
}
