package dag

// Neighbourhood returns the nodes at most hops edges away from any node of
// focus, following edges both ways. The nearest come first, so a caller with
// room for only so many cuts the end off. Numbers and edges outside 0 to n-1
// are passed over. The graph may have cycles.
func Neighbourhood(n int, edges [][2]int, focus []int, hops int) []int {
	beside := make([][]int, n)
	for _, e := range edges {
		if exists(e[0], n) && exists(e[1], n) {
			beside[e[0]] = append(beside[e[0]], e[1])
			beside[e[1]] = append(beside[e[1]], e[0])
		}
	}
	seen := make([]bool, n)
	var found []int
	visit := func(v int) {
		if exists(v, n) && !seen[v] {
			seen[v] = true
			found = append(found, v)
		}
	}
	for _, v := range focus {
		visit(v)
	}
	for from := 0; hops > 0 && from < len(found); hops-- {
		ring := found[from:]
		from = len(found)
		for _, v := range ring {
			for _, w := range beside[v] {
				visit(w)
			}
		}
	}
	return found
}
