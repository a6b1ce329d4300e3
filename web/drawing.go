package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"countersign/domain"
	"countersign/domain/dag"
	"countersign/views"
)

// Sizes of a drawn step, in the units that views draws text in.
const (
	boxWidth        = 180
	boxHead         = 54  // with one line of text
	boxLine         = 16  // each further one
	boxChars        = 22  // of a line
	boxLines        = 8   // the table below has the rest
	boxMargin       = 8   // around the drawing, for the ring of a gated step
	maxDrawingWidth = 700 // what a page has room for beside the decision
	turnedGap       = 36  // between layers that are one below the other
)

// Limits of the drawing of a large plan: the distance from the gated steps, and the
// number of steps.
const (
	nearHops  = 2
	nearSteps = 60
)

// drawPlan lays a plan's graph out. Of one with more steps than limit only the
// neighbourhood of the gated steps is drawn, or of the first that is not done.
// It returns nil if a drawing would not help.
func drawPlan(d *domain.PlanDetail, gated map[string]bool, limit int) *views.PlanDrawing {
	steps := d.Document.Steps
	index := make(map[string]int, len(steps))
	for i, step := range steps {
		index[step.ID] = i
	}
	var edges [][2]int
	for i, step := range steps {
		for _, dependency := range step.Dependencies {
			if from, ok := index[dependency]; ok {
				edges = append(edges, [2]int{from, i})
			}
		}
	}
	all := make([]int, len(steps))
	for i := range all {
		all[i] = i
	}
	if len(steps) > 0 && len(steps) <= limit {
		if drawing := drawSteps(d, gated, all, edges); drawing != nil {
			return drawing
		}
	}
	near := dag.Neighbourhood(len(steps), edges, focus(d, gated), nearHops)
	near = near[:min(len(near), nearSteps)]
	slices.Sort(near)
	return drawSteps(d, gated, near, edges)
}

// focus returns the steps around which a large plan is drawn.
func focus(d *domain.PlanDetail, gated map[string]bool) (list []int) {
	for i, step := range d.Document.Steps {
		if gated[step.ID] {
			list = append(list, i)
		}
	}
	if list != nil {
		return list
	}
	for i := range d.Document.Steps {
		if !isDone(d.Plan.States.Status(i)) {
			return []int{i}
		}
	}
	return []int{0}
}

func isDone(status domain.StepStatus) bool {
	return status == domain.StepCompleted || status == domain.StepSkipped
}

// drawSteps draws the steps with these numbers and the edges between them.
func drawSteps(d *domain.PlanDetail, gated map[string]bool, numbers []int, edges [][2]int) *views.PlanDrawing {
	place := make(map[int]int, len(numbers))
	var graph dag.Graph
	var lines [][]string
	for at, i := range numbers {
		place[i] = at
		text := wrap(d.Document.Steps[i].Description)
		lines = append(lines, text)
		graph.Nodes = append(graph.Nodes, dag.Node{W: boxWidth, H: float64(boxHead + boxLine*(len(text)-1))})
	}
	var from []int
	for _, edge := range edges {
		a, drawnA := place[edge[0]]
		b, drawnB := place[edge[1]]
		if drawnA && drawnB {
			graph.Edges = append(graph.Edges, [2]int{a, b})
			from = append(from, edge[0])
		}
	}
	layout, err := newLayout(graph)
	if err != nil || len(numbers) == 0 {
		return nil
	}
	total := len(d.Document.Steps)
	width, height := layout.at(dag.Point{X: layout.Width, Y: layout.Height})
	drawing := &views.PlanDrawing{
		Width: width + boxMargin, Height: height + boxMargin,
		Title: "Steps of “" + d.Document.Title + "”", Desc: describe(d), Partial: len(numbers) < total, Total: total,
	}
	for at, i := range numbers {
		step, w, h := d.Document.Steps[i], units(graph.Nodes[at].W), units(graph.Nodes[at].H)
		x, y := layout.at(layout.Centres[at])
		drawing.Nodes = append(drawing.Nodes, views.DrawnStep{
			X: x - w/2, Y: y - h/2, W: w, H: h,
			Lines: lines[at], StepID: step.ID, Status: string(d.Plan.States.Status(i)), Href: "#" + stepAnchor(i),
			Gated: gated[step.ID], Critical: d.Plan.States.Critical(i),
		})
	}
	for e, route := range layout.Routes {
		drawing.Edges = append(drawing.Edges, views.DrawnEdge{Path: layout.curve(route), Done: isDone(d.Plan.States.Status(from[e]))})
	}
	return drawing
}

// describe says in a sentence what the drawing shows.
func describe(d *domain.PlanDetail) string {
	finished := 0
	for i := range d.Plan.States {
		if isDone(d.Plan.States.Status(i)) {
			finished++
		}
	}
	return fmt.Sprintf("A graph of %d steps; %d are done. The table below lists the same steps.", len(d.Plan.States), finished)
}

// layout is a drawing that reads from left to right or, turned, from top to
// bottom.
type layout struct {
	*dag.Drawing
	turned bool
}

// newLayout turns a drawing that is too wide for a page, if that makes it
// narrower: pages scroll downwards.
func newLayout(graph dag.Graph) (layout, error) {
	options := dag.Options{MaxNodes: max(len(graph.Nodes), 1)}
	level, err := dag.Layout(graph, options)
	if err != nil || level.Width <= maxDrawingWidth {
		return layout{level, false}, err
	}
	options.LayerGap = turnedGap
	turned := dag.Graph{Edges: graph.Edges}
	for _, node := range graph.Nodes {
		turned.Nodes = append(turned.Nodes, dag.Node{W: node.H, H: node.W})
	}
	down, err := dag.Layout(turned, options)
	if err != nil || down.Height >= level.Width {
		return layout{level, false}, nil
	}
	return layout{down, true}, nil
}

// at returns the place of a point on the page.
func (l layout) at(p dag.Point) (x, y int) {
	if l.turned {
		p.X, p.Y = p.Y, p.X
	}
	return units(p.X) + boxMargin, units(p.Y) + boxMargin
}

// curve draws a route: straight where it passes a layer, curved between layers.
func (l layout) curve(route []dag.Point) string {
	var b strings.Builder
	for i, p := range route {
		x, y := l.at(p)
		if i == 0 {
			fmt.Fprintf(&b, "M%d %d", x, y)
			continue
		}
		before := route[i-1]
		if before.Y == p.Y {
			fmt.Fprintf(&b, "L%d %d", x, y)
			continue
		}
		middle := (before.X + p.X) / 2
		x1, y1 := l.at(dag.Point{X: middle, Y: before.Y})
		x2, y2 := l.at(dag.Point{X: middle, Y: p.Y})
		fmt.Fprintf(&b, "C%d %d %d %d %d %d", x1, y1, x2, y2, x, y)
	}
	return b.String()
}

func units(f float64) int { return int(math.Round(f)) }

// wrap breaks a description into the lines of a box, between words where there
// is room and within them where there is none.
func wrap(text string) []string {
	var lines []string
	line, taken := "", 0
	for word := range strings.FieldsSeq(text) {
		for _, part := range splitWord(word) {
			width := textWidth(part)
			if taken > 0 && taken+textWidth(" ")+width <= boxChars*letter {
				line, taken = line+" "+part, taken+textWidth(" ")+width
				continue
			}
			if taken > 0 {
				lines = append(lines, line)
			}
			line, taken = part, width
		}
	}
	if taken > 0 || len(lines) == 0 {
		lines = append(lines, cmp.Or(line, "(no visible text)"))
	}
	if len(lines) > boxLines {
		lines = append(lines[:boxLines-1], "… full text in the table")
	}
	return lines
}

// splitWord cuts a word into parts that a line has room for.
func splitWord(word string) (parts []string) {
	if textWidth(word) <= boxChars*letter {
		return []string{word}
	}
	start, taken := 0, 0
	for i, r := range word {
		width := textWidth(string(r))
		if taken > 0 && taken+width > boxChars*letter {
			parts, start, taken = append(parts, word[start:i]), i, 0
		}
		taken += width
	}
	return append(parts, word[start:])
}

// letter is the width of most letters, in the unit of textWidth.
const letter = 2

// textWidth estimates the width of a text in a proportional font. Capitals are wider than
// other letters, ideographs twice as wide, and a hidden character is drawn as a mark.
func textWidth(text string) (taken int) {
	for _, r := range views.Shown(text) {
		switch kind := width.LookupRune(r).Kind(); {
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth, strings.ContainsRune("MW@%", r):
			taken += 2 * letter
		case unicode.IsUpper(r), r == 'm', r == 'w':
			taken += letter * 3 / 2
		default:
			taken += letter
		}
	}
	return taken
}
