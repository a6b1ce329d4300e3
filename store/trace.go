package store

import "countersign/domain"

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
var newestTrace = keyset{"t", "created_at", "trace_id", true}

func (r *reader) Trace(id string) (*domain.Trace, error) {
	return traces.one(r, "WHERE trace_id = $1", id)
}

// Traces lists posted traces, the newest first.
func (r *reader) Traces(f domain.TraceFilter, p domain.Page) ([]*domain.Trace, string, error) {
	q := new(query)
	q.owned(f.Visible)
	rest, err := q.page(p, newestTrace)
	if err != nil {
		return nil, "", err
	}
	list, err := traces.all(r, rest, q.args...)
	if err != nil {
		return nil, "", err
	}
	list, next := cut(list, p, func(t *domain.Trace) string {
		return newestTrace.cursor(t.CreatedAt.UnixMicro(), t.ID)
	})
	return list, next, nil
}

func (x *tx) InsertTrace(t *domain.Trace) error { return traces.insert(x, t) }
