package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/domain"
	"countersign/domain/dag"
	"countersign/views"
)

// Sizes of a drawn step, in the units that views draws text in.
const (
	boxWidth  = 180
	boxHead   = 54 // with one line of text
	boxLine   = 16 // each further one
	boxChars  = 22 // of a line
	boxLines  = 8  // the table below has the rest
	boxMargin = 8  // around the drawing, for the ring of a gated step
)

// Of a plan that is too large to draw: how far around the steps that matter,
// and how many steps at the most.
const (
	nearHops  = 2
	nearSteps = 60
)

// drawPlan lays a plan's graph out. Of one with more steps than limit only the
// neighbourhood of the gated steps is drawn, or of the first that is not done.
// It is nil where there is nothing that a drawing would help with.
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

// focus is where a large plan is looked at.
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
		if !done(d.Plan.States.Status(i)) {
			return []int{i}
		}
	}
	return []int{0}
}

func done(status domain.StepStatus) bool {
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
	layout, err := dag.Layout(graph, dag.Options{MaxNodes: max(len(numbers), 1)})
	if err != nil || len(numbers) == 0 {
		return nil
	}
	total := len(d.Document.Steps)
	drawing := &views.PlanDrawing{
		Width: units(layout.Width) + 2*boxMargin, Height: units(layout.Height) + 2*boxMargin,
		Title: "Steps of " + d.Document.Title, Desc: describe(d), Partial: len(numbers) < total, Total: total,
	}
	for at, i := range numbers {
		step, size, centre := d.Document.Steps[i], graph.Nodes[at], layout.Centres[at]
		drawing.Nodes = append(drawing.Nodes, views.DrawnStep{
			X: units(centre.X-size.W/2) + boxMargin, Y: units(centre.Y-size.H/2) + boxMargin, W: units(size.W), H: units(size.H),
			Lines: lines[at], StepID: step.ID, Status: string(d.Plan.States.Status(i)), Href: "#" + stepAnchor(i),
			Gated: gated[step.ID], Critical: d.Plan.States.Critical(i),
		})
	}
	for e, route := range layout.Routes {
		drawing.Edges = append(drawing.Edges, views.DrawnEdge{Path: curve(route), Done: done(d.Plan.States.Status(from[e]))})
	}
	return drawing
}

// describe says in a sentence what the drawing shows.
func describe(d *domain.PlanDetail) string {
	finished := 0
	for i := range d.Plan.States {
		if done(d.Plan.States.Status(i)) {
			finished++
		}
	}
	return fmt.Sprintf("A graph of %d steps, %d of them done. The table below says the same.", len(d.Plan.States), finished)
}

// curve draws a route: level where it passes a column, curved between columns.
func curve(route []dag.Point) string {
	var b strings.Builder
	for i, p := range route {
		x, y := units(p.X)+boxMargin, units(p.Y)+boxMargin
		if i == 0 {
			fmt.Fprintf(&b, "M%d %d", x, y)
			continue
		}
		before := route[i-1]
		if before.Y == p.Y {
			fmt.Fprintf(&b, "H%d", x)
			continue
		}
		middle := units((before.X+p.X)/2) + boxMargin
		fmt.Fprintf(&b, "C%d %d %d %d %d %d", middle, units(before.Y)+boxMargin, middle, y, x, y)
	}
	return b.String()
}

func units(f float64) int { return int(math.Round(f)) }

// wrap breaks a description into the lines of a box, between words where there
// is room and within them where there is none.
func wrap(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > boxChars {
			runes := []rune(word)
			if line != "" {
				lines, line = append(lines, line), ""
			}
			lines, word = append(lines, string(runes[:boxChars])), string(runes[boxChars:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= boxChars:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, cmp.Or(line, "(nothing to read)"))
	}
	if len(lines) > boxLines {
		lines = append(lines[:boxLines-1], "… all of it in the table")
	}
	return lines
}
