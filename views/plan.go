package views

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"
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
	Hash           string // what a confirm for it would approve
	Import, Locked bool
	Drawing        *PlanDrawing // nil for a plan without steps
	Steps          []PlanStep
	Left           int          // steps that were not done with when the plan ended
	Confirms       []ConfirmRef // newest first
	MoreConfirms   int          // older ones
	ProposeURL     string       // POST, set if the reader may propose it
	ProposeHint    string       // why not, where that helps
	Cancel         *CancelForm
	Error          *Notice // why the last action was refused
	Unsent         string  // the words that were sent with it, where no form holds them
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
	Gated       bool   // a pending confirm gates it, or it is the confirm's own step
	Critical    bool
	Confirms    []ConfirmRef
}

// PlanDrawing is the plan's graph, laid out by the caller (domain/dag), in
// user units of the SVG.
type PlanDrawing struct {
	Width, Height int
	Title         string
	Desc          string // the same in words
	Partial       bool   // only the neighbourhood of the pending step is drawn
	Total         int    // steps of the plan
	Nodes         []DrawnStep
	Edges         []DrawnEdge

	kept string // see Keep
}

// Keep renders the drawing and drops what it was rendered from: a large one is
// shown far more often than it changes. It must not be in use yet.
func (d *PlanDrawing) Keep() error {
	var kept strings.Builder
	if err := Drawing(*d).Render(context.Background(), &kept); err != nil {
		return err
	}
	*d = PlanDrawing{kept: kept.String()}
	return nil
}

// rendered is what Keep has rendered.
func (d *PlanDrawing) rendered() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, d.kept)
		return err
	})
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
