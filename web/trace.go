package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/views"
)

const tracesPath = "/traces"

func tracePath(id string) string { return tracesPath + "/" + url.PathEscape(id) }

// traceURL returns the address of a trace, "" for readers who may not open it.
func traceURL(reader *domain.Principal, id string) string {
	if id == "" || !reader.Can(domain.TraceRead) {
		return ""
	}
	return tracePath(id)
}

func (s *Server) trace(v *visit) error {
	id := v.Param("id")
	history, err := s.svc.TraceHistory(v.ctx(), v.ref(), id)
	if err != nil {
		return err
	}
	rows, err := s.logRows(v, history.Entries)
	if err != nil {
		return err
	}
	view := newTraceView(id, history, rows, s.svc.Now())
	view.Self = v.Request().URL.RequestURI()
	return s.show(v, http.StatusOK, "Trace", views.Trace(view))
}

// newTraceView puts the log entries of a trace on one time line.
func newTraceView(id string, h *domain.TraceHistory, rows []views.LogRow, now time.Time) views.TraceView {
	view := views.TraceView{ID: id, Rows: rows}
	if h.Posted != nil {
		view.Status, view.Posted = h.Posted.Status, string(h.Posted.Native)
		if h.Posted.PlanID != "" {
			view.Plan = views.Link{Label: h.Posted.PlanID, URL: planPath(h.Posted.PlanID)}
		}
	}
	called := map[string]string{}
	for i, e := range h.Entries {
		rows[i].Trace = views.Link{} // all are of this one
		if view.Plan.Label == "" && e.PlanID != "" {
			view.Plan = views.Link{Label: e.PlanID, URL: planPath(e.PlanID)}
		}
		if rows[i].Called != "" {
			called[e.ConfirmID] = rows[i].Called
		}
	}
	if plan := h.Plans[view.Plan.Label]; plan != nil {
		view.Plan.Label, view.Plan.Quoted = listedTitle(cmp.Or(plan.Title, view.Plan.Label)), plan.Title != ""
	}
	if h.More {
		view.MoreURL = withQuery(logPath, url.Values{"trace_id": {id}}.Encode())
	}
	lanes := traceLanes(h, called)
	if len(lanes) == 0 {
		return view
	}
	begin, end := lanes[0].start, lanes[0].start
	for _, l := range lanes {
		if l.end.IsZero() {
			end = now
		}
		for _, at := range []time.Time{l.start, l.end} {
			if at.After(end) {
				end = at
			}
		}
	}
	line := timeLine{begin: begin, span: max(end.Sub(begin), time.Millisecond)}
	view.Duration = tookWords(line.span)
	for i := range 5 {
		view.Ticks = append(view.Ticks, tookWords(line.span*time.Duration(i)/4))
	}
	for _, l := range lanes {
		view.Lanes = append(view.Lanes, line.lane(l))
	}
	return view
}

// lane is one bar: what began with an entry and ended with another, if it did.
type lane struct {
	kind, status, detail string
	label                views.Link
	start, end           time.Time
}

// traceLanes pairs entries: a step's start with its end, a confirm's request
// with its decision. A step that is retried has a lane for each try. Confirms are
// called what other pages call them.
func traceLanes(h *domain.TraceHistory, called map[string]string) (list []*lane) {
	open := map[string]*lane{}
	for _, e := range h.Entries {
		family, what, _ := strings.Cut(e.Type, ".")
		switch {
		case e.Type == "confirm.requested":
			label := cmp.Or(called[e.ConfirmID], e.ConfirmID)
			l := &lane{kind: "confirm", status: "pending", label: views.Link{Label: label, URL: confirmPath(e.ConfirmID)}, start: e.At}
			if step := stepOf(e); step != "" {
				l.detail = "step “" + step + "”"
			}
			open["confirm "+e.ConfirmID], list = l, append(list, l)
		case e.Type == "step.started":
			step := stepOf(e)
			l := &lane{kind: "span", status: "in_progress", label: views.Link{Label: strings.TrimPrefix(e.SpanID, "span-"), URL: planPath(e.PlanID)}, start: e.At}
			if plan := h.Plans[e.PlanID]; plan != nil {
				if i := slices.IndexFunc(plan.Steps, func(s mplp.Step) bool { return s.ID == step }); i >= 0 {
					l.detail = plan.Steps[i].Description
				}
			}
			open[e.PlanID+" "+e.SpanID], list = l, append(list, l)
		case e.Type == "step.completed" || e.Type == "step.failed":
			endLane(open, e.PlanID+" "+e.SpanID, what, "", e.At)
		case family == "confirm" && (what == "approved" || what == "rejected" || what == "cancelled"):
			detail := "by " + e.Name
			if e.Cause == string(domain.CauseTimeout) {
				what, detail = "timeout", "nobody decided"
			}
			endLane(open, "confirm "+e.ConfirmID, what, detail, e.At)
		}
	}
	return list
}

// stepOf returns the step that an entry is about, if any.
func stepOf(e *evidence.Entry) string {
	var facts struct {
		StepID string `json:"step_id"`
	}
	_ = json.Unmarshal(e.Data, &facts)
	return facts.StepID
}

// endLane closes a lane that is open.
func endLane(open map[string]*lane, key, status, detail string, at time.Time) {
	l := open[key]
	if l == nil {
		return
	}
	l.status, l.end = status, at
	if l.detail != "" && detail != "" {
		detail = l.detail + " · " + detail
	}
	l.detail = cmp.Or(detail, l.detail)
	delete(open, key)
}

// timeLine converts times to thousandths of the drawing's width.
type timeLine struct {
	begin time.Time
	span  time.Duration
}

// tookWords formats how long an execution took. Below ten seconds it has tenths.
func tookWords(d time.Duration) string {
	if d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return views.Span(d)
}

func (t timeLine) x(at time.Time) int { return int(1000 * at.Sub(t.begin) / t.span) }

func (t timeLine) lane(l *lane) views.TraceLane {
	view := views.TraceLane{Kind: l.kind, Label: l.label, Status: l.status, Detail: l.detail, Start: views.At(l.start), X: t.x(l.start)}
	right := 1000
	if !l.end.IsZero() {
		right, view.Took = t.x(l.end), tookWords(l.end.Sub(l.start))
	}
	const least = 6 // a bar that took no time is still to be seen
	view.X = min(view.X, 1000-least)
	view.W = max(right-view.X, least)
	return view
}
