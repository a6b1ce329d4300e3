package dag

import (
	"cmp"
	"slices"
)

const (
	arrangeSweeps = 12 // at most
	arrangeStale  = 3  // sweeps without fewer crossings before giving up
	swapPasses    = 3  // over one layer
)

// arrange orders the vertices of each layer so that few edges cross. It
// sweeps right and left, moving each vertex to the mean position of its
// neighbours in the layer before and then swapping pairs, and keeps the best
// order it saw.
func arrange(vs []vertex, layers [][]int) {
	best, fewest := cloneLayers(layers), crossings(vs, layers)
	for sweep, stale := 0, 0; sweep < arrangeSweeps && stale < arrangeStale && fewest > 0; sweep++ {
		if sweep%2 == 0 {
			for _, layer := range layers {
				sortByMean(vs, layer, func(v int) []int { return vs[v].in })
			}
		} else {
			for _, layer := range slices.Backward(layers) {
				sortByMean(vs, layer, func(v int) []int { return vs[v].out })
			}
		}
		for _, layer := range layers {
			swapPairs(vs, layer)
		}
		stale++
		if c := crossings(vs, layers); c < fewest {
			best, fewest, stale = cloneLayers(layers), c, 0
		}
	}
	for l, layer := range best {
		copy(layers[l], layer)
		number(vs, layer)
	}
}

func cloneLayers(layers [][]int) [][]int {
	c := make([][]int, len(layers))
	for l, layer := range layers {
		c[l] = slices.Clone(layer)
	}
	return c
}

func number(vs []vertex, layer []int) {
	for pos, v := range layer {
		vs[v].pos = pos
	}
}

// sortByMean sorts a layer by the mean position of each vertex's neighbours;
// a vertex without any counts as being where it should.
func sortByMean(vs []vertex, layer []int, neighbours func(int) []int) {
	type ranked struct {
		v    int
		mean float64
	}
	byMean := make([]ranked, len(layer))
	for i, v := range layer {
		mean := float64(vs[v].pos)
		if near := neighbours(v); len(near) > 0 {
			sum := 0
			for _, w := range near {
				sum += vs[w].pos
			}
			mean = float64(sum) / float64(len(near))
		}
		byMean[i] = ranked{v, mean}
	}
	slices.SortStableFunc(byMean, func(a, b ranked) int { return cmp.Compare(a.mean, b.mean) })
	for i, r := range byMean {
		layer[i] = r.v
	}
	number(vs, layer)
}

// swapPairs swaps vertices next to each other while that removes crossings.
func swapPairs(vs []vertex, layer []int) {
	byPos := func(a, b int) int { return cmp.Compare(vs[a].pos, vs[b].pos) }
	for _, v := range layer {
		slices.SortFunc(vs[v].in, byPos)
		slices.SortFunc(vs[v].out, byPos)
	}
	for range swapPasses {
		swapped := false
		for i := 1; i < len(layer); i++ {
			a, b := &vs[layer[i-1]], &vs[layer[i]]
			kept := inversions(vs, a.in, b.in) + inversions(vs, a.out, b.out)
			if kept > 0 && inversions(vs, b.in, a.in)+inversions(vs, b.out, a.out) < kept {
				layer[i-1], layer[i] = layer[i], layer[i-1]
				a.pos, b.pos = i, i-1
				swapped = true
			}
		}
		if !swapped {
			return
		}
	}
}

// inversions counts the pairs in which the neighbour of the upper vertex is
// below that of the lower one. Both lists are sorted by position.
func inversions(vs []vertex, upper, lower []int) int {
	count, above := 0, 0
	for _, u := range upper {
		for above < len(lower) && vs[lower[above]].pos < vs[u].pos {
			above++
		}
		count += above
	}
	return count
}

// crossings counts the crossings between all layers.
func crossings(vs []vertex, layers [][]int) int {
	total := 0
	for l := 1; l < len(layers); l++ {
		total += crossingsBetween(vs, layers[l-1], len(layers[l]))
	}
	return total
}

// crossingsBetween goes through the edges out of a layer from the top and
// counts for each those before it that end further down. The ends seen are
// kept in a binary indexed tree of their positions, so the cost is linear but
// for a logarithm.
func crossingsBetween(vs []vertex, layer []int, nextLen int) int {
	tree := make([]int, nextLen+1)
	count, seen := 0, 0
	for _, v := range layer {
		for _, w := range vs[v].out {
			notBelow := 0
			for i := vs[w].pos + 1; i > 0; i -= i & -i {
				notBelow += tree[i]
			}
			count += seen - notBelow
		}
		for _, w := range vs[v].out {
			for i := vs[w].pos + 1; i <= nextLen; i += i & -i {
				tree[i]++
			}
			seen++
		}
	}
	return count
}
