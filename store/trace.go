package store

import (
	"countersign/domain"
)

var traces = newTable("traces", 1, func(t *domain.Trace) []column {
	return []column{
		{"trace_id", text(&t.ID)},
		{"canonical_id", canonical("trace", &t.ID)},
		{"context_id", text(&t.ContextID)},
		{"plan_id", text(&t.PlanID)},
		{"status", text(&t.Status)},
		{"locked", flag(&t.Locked)},
		{"native", blob(&t.Native)},
		{"requested_by", ref(&t.RequestedBy)},
		{"requested_group", text(&t.Group)},
		{"created_at", moment(&t.CreatedAt)},
	}
})

// newestTrace lists the newest first.
var newestTrace = keyset{list: "t", table: "traces", order: "created_at", tie: "trace_id", descending: true}

func (r *reader) Trace(id string) (*domain.Trace, error) {
	return traces.get(r, "WHERE trace_id = $1", id)
}

// Traces lists posted traces, the newest first.
func (r *reader) Traces(f domain.TraceFilter, p domain.Page) ([]*domain.Trace, string, error) {
	w := &listQuery{keyset: newestTrace}
	w.owned(f.Visible)
	return traces.listPage(r, w, p, func(t *domain.Trace) int { return len(t.Native) }, func(t *domain.Trace) position { return position{t.CreatedAt.UnixMicro(), t.ID} })
}

func (x *tx) InsertTrace(t *domain.Trace) error { return traces.insert(x, t) }
