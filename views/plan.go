package views

import (
	"context"
	"strings"
)

// PlansView is GET /plans.
type PlansView struct {
	Self     string
	Statuses []Option // filter: query status
	Rows     []PlanRow
	NextURL  string
	FirstURL string
	EmptyAt  string // base URL for the example
}

// PlanRow is one plan of the list.
type PlanRow struct {
	ID, URL, Title, Status string
	Objective              string
	Steps                  int
	Done                   int // completed or skipped
	Pending                int // pending confirms that concern it
	Poster                 string
	Updated                Moment // an age
	Import, Locked         bool
}

// PlanView is GET /plans/{id}.
type PlanView struct {
	Self           string
	ID             string
	Title          string
	Objective      string
	Status         string
	Context        Link
	Poster         string
	Created        Moment
	TraceID        string
	TraceURL       string
	Hash           string // what an approval would apply to
	Import, Locked bool
	Drawing        *PlanDrawing // nil for a plan without steps
	Steps          []PlanStep
	Left           int          // steps that were not done when the plan ended
	Confirms       []ConfirmRef // newest first
	MoreConfirms   int          // older ones
	ProposeURL     string       // POST, set if the reader may propose it
	ProposeHint    string       // why not, if that helps
	Cancel         *CancelForm
	Error          *Notice // why the last action was refused
	Unsent         string  // text that was typed and not saved, if no form has it
}

// PlanStep is one row of a plan's table.
type PlanStep struct {
	Number      int
	ID          string
	Anchor      string // fragment id of the row, "step-1"
	Description string
	Status      string
	AgentRole   Link
	DependsOn   []Link // to the rows of its dependencies
	Gated       bool   // a pending request is about it, or this request is
	Critical    bool
	Confirms    []ConfirmRef
}

// PlanDrawing is the plan's graph in SVG user units. The caller lays it out with
// domain/dag.
type PlanDrawing struct {
	Width, Height int
	Title         string
	Desc          string // the same in words
	Partial       bool   // only the steps around the pending one are drawn
	Total         int    // steps of the plan
	Nodes         []DrawnStep
	Edges         []DrawnEdge

	html string // see Prerender
}

// Prerender renders the drawing and drops what it was rendered from: a large one is
// shown far more often than it changes. It must not be in use yet.
func (d *PlanDrawing) Prerender() error {
	var html strings.Builder
	if err := Drawing(*d).Render(context.Background(), &html); err != nil {
		return err
	}
	*d = PlanDrawing{html: html.String()}
	return nil
}

// DrawnStep is a box; X and Y are its top left corner.
type DrawnStep struct {
	X, Y, W, H int
	Lines      []string // the description, wrapped by the caller
	StepID     string
	Status     string
	Href       string
	Gated      bool
	Critical   bool
}

// DrawnEdge is a dependency as a path.
type DrawnEdge struct {
	Path string // SVG path data
	Done bool   // the dependency is satisfied
}
