package views

import (
	"slices"
	"strings"
)

// diffLine is one line of a before and after; op is ' ', '-' or '+'.
type diffLine struct {
	op   byte
	text string
}

// diffCells bounds the table that finds the longest common lines. Larger
// differences are shown as everything out and everything in, which is true,
// only longer to read.
const diffCells = 4 << 20

// diff compares two JSON texts line by line as they are shown.
func diff(before, after string) []diffLine {
	a, b := strings.Split(Indent(before), "\n"), strings.Split(Indent(after), "\n")
	var head, tail []diffLine
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, diffLine{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, diffLine{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, diffMiddle(a, b), tail)
}

func diffMiddle(a, b []string) []diffLine {
	lines := make([]diffLine, 0, len(a)+len(b))
	width := len(b) + 1
	var common []int32 // common[i*width+j]: longest common lines of a[i:] and b[j:]
	if len(a)*len(b) <= diffCells {
		common = make([]int32, (len(a)+1)*width)
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i*width+j] = common[(i+1)*width+j+1] + 1
				} else {
					common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for common != nil && i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			lines = append(lines, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			lines = append(lines, diffLine{'-', a[i]})
			i++
		default:
			lines = append(lines, diffLine{'+', b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		lines = append(lines, diffLine{'-', a[i]})
	}
	for ; j < len(b); j++ {
		lines = append(lines, diffLine{'+', b[j]})
	}
	return lines
}
