package dag

// rankPasses bounds how often rank goes over the nodes to shorten edges; what
// four passes leave is too little to see.
const rankPasses = 4

// rank gives each node a layer: first one more than the highest layer it
// depends on, then as near to its dependants as shortens more edges than it
// lengthens. A longest path never moves, so no layer is left empty in any
// connected part.
func rank(n int, edges [][2]int, order []int) []int {
	in, out := predecessors(n, edges), successors(n, edges)
	layer := make([]int, n)
	for _, v := range order {
		for _, w := range out[v] {
			layer[w] = max(layer[w], layer[v]+1)
		}
	}
	for range rankPasses {
		moved := false
		for i := n - 1; i >= 0; i-- {
			v := order[i]
			if len(out[v]) <= len(in[v]) {
				continue
			}
			room := layer[out[v][0]]
			for _, w := range out[v] {
				room = min(room, layer[w])
			}
			if room-1 > layer[v] {
				layer[v], moved = room-1, true
			}
		}
		if !moved {
			break
		}
	}
	return layer
}
