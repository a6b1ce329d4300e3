package reading

// Line is one line of a before and after.
type Line struct {
	Op   byte // ' ', '-' or '+'; '@' of a line that tells where a unified diff is
	Text string
	// From and To are what differs from the line that it replaces; equal if there is none.
	From, To int
	IsDim    bool // it differs only in white space, or stands elsewhere as well
}

// maxCells limits the table that finds the longest common lines. Larger texts are
// shown as all removed and all added, which is correct but longer.
const maxCells = 4 << 20

// Compare compares two texts line by line.
func Compare(before, after []string) []Line {
	lines, _ := compare(before, after, maxCells)
	return lines
}

// compare also returns how many cells of a table it filled.
func compare(a, b []string, most int) (lines []Line, cells int) {
	lines = make([]Line, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		lines = append(lines, Line{Op: ' ', Text: a[0]})
		a, b = a[1:], b[1:]
	}
	tail := 0
	for tail < len(a) && tail < len(b) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ends := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if len(a)*len(b) <= most {
		cells = len(a) * len(b)
		lines = align(lines, a, b)
	} else {
		lines = replace(lines, a, b)
	}
	for _, line := range ends {
		lines = append(lines, Line{Op: ' ', Text: line})
	}
	return lines, cells
}

// replace adds all of a as removed and all of b as added.
func replace(lines []Line, a, b []string) []Line {
	for _, line := range a {
		lines = append(lines, Line{Op: '-', Text: line})
	}
	for _, line := range b {
		lines = append(lines, Line{Op: '+', Text: line})
	}
	return lines
}

// align adds the lines of a and b with as many in common as there are.
func align(lines []Line, a, b []string) []Line {
	numbers := map[string]int32{} // equal lines have the same, which is faster to compare
	numberOf := func(lines []string) []int32 {
		list := make([]int32, len(lines))
		for i, line := range lines {
			n, known := numbers[line]
			if !known {
				n = int32(len(numbers))
				numbers[line] = n
			}
			list[i] = n
		}
		return list
	}
	x, y, width := numberOf(a), numberOf(b), len(b)+1
	// common[i*width+j]: longest common lines of a[i:] and b[j:]; the shorter has few.
	common := make([]uint16, (len(a)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		row, below := common[i*width:(i+1)*width], common[(i+1)*width:(i+2)*width]
		right := uint16(0)
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				right = below[j+1] + 1
			} else {
				right = max(below[j], right)
			}
			row[j] = right
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case x[i] == y[j]:
			lines = append(lines, Line{Op: ' ', Text: a[i]})
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			lines = append(lines, Line{Op: '-', Text: a[i]})
			i++
		default:
			lines = append(lines, Line{Op: '+', Text: b[j]})
			j++
		}
	}
	return replace(lines, a[i:], b[j:])
}
