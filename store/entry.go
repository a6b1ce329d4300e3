package store

import (
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// Entries lists entries of the log, at most domain.MaxPage when the filter
// gives no limit.
func (r *reader) Entries(f domain.EntryFilter) ([]*evidence.Entry, error) {
	if f.Types != nil && f.Type != "" {
		if !slices.Contains(f.Types, f.Type) {
			return nil, nil
		}
		f.Types = nil
	}
	if f.Types != nil && len(f.Types) == 0 {
		return nil, nil
	}
	s := entryQuery(f)
	list, err := r.ProvenEntries(s.String(), s.args...)
	return slices.DeleteFunc(list, func(e *evidence.Entry) bool { return !isMeant(f, e) }), err
}

// isMeant reports whether an entry is one that was asked for. The columns along which
// it was found prove nothing.
func isMeant(f domain.EntryFilter, e *evidence.Entry) bool {
	for _, member := range [...]struct{ asked, is string }{
		{f.ConfirmID, e.ConfirmID}, {f.PlanID, e.PlanID}, {f.TraceID, e.TraceID}, {f.ObjectID, e.ObjectID}, {f.Type, e.Type},
	} {
		if member.asked != "" && member.asked != member.is {
			return false
		}
	}
	return len(f.Types) == 0 || slices.Contains(f.Types, e.Type)
}

// entryQuery finds entries along one index, in its order. Those of a trace or of
// several types, if nothing more telling leads, are merged: the requests among
// them are found along their confirms.
func entryQuery(f domain.EntryFilter) *statement {
	if f.Type != "" {
		f.Types = []string{f.Type}
	}
	if f.Limit <= 0 {
		f.Limit = domain.MaxPage
	}
	order := " ORDER BY seq"
	if f.Newest {
		order += " DESC"
	}
	end := fmt.Sprintf("%s LIMIT %d", order, f.Limit)
	s := new(statement)
	switch lead := lead(f); {
	case lead != nil:
		s.where(lead, sameTrace(f), amongTypes(f.Types), within("seq", f))
	case f.TraceID != "":
		s.add("WHERE seq IN (SELECT seq FROM (SELECT seq FROM log")
		s.where([]condition{{"trace_id = ?", []any{f.TraceID}}}, amongTypes(f.Types), within("seq", f))
		if len(f.Types) == 0 || slices.Contains(f.Types, evidence.EntryRequested) {
			s.add(" UNION ALL ")
			s.requests(f, condition{"trace_id = ?", []any{f.TraceID}})
		}
		s.add(end + ") found)")
	case len(f.Types) > 0:
		s.add("WHERE seq IN (SELECT seq FROM (")
		for i, t := range f.Types {
			if i > 0 {
				s.add(" UNION ALL ")
			}
			if t == evidence.EntryRequested { // no index of types has them
				s.requests(f)
				continue
			}
			s.add("SELECT seq FROM log")
			s.where([]condition{{"type = ?", []any{t}}}, within("seq", f))
		}
		s.add(end + ") found)")
	default:
		s.where(within("seq", f))
	}
	s.add(end)
	return s
}

// lead finds the entries of a confirm, an object or a plan along the index of the
// first of them, and narrows to those of the others.
func lead(f domain.EntryFilter) (list []condition) {
	if f.ConfirmID != "" {
		list = append(list, ofConfirm(f.ConfirmID))
	}
	for _, c := range []struct{ column, value string }{{"object_id", f.ObjectID}, {"plan_id", f.PlanID}} {
		switch {
		case c.value == "":
		case list == nil:
			list = append(list, condition{c.column + " = ?", []any{c.value}})
		default: // COALESCE keeps the database from choosing this one's index
			list = append(list, condition{"COALESCE(" + c.column + ", '') = ?", []any{c.value}})
		}
	}
	return list
}

// sameTrace narrows to a trace's entries. Of a request it is its confirm's.
func sameTrace(f domain.EntryFilter) []condition {
	if f.TraceID == "" {
		return nil
	}
	return []condition{{`COALESCE(CASE WHEN type IS NULL THEN (SELECT c.trace_id FROM confirms c WHERE c.requested_seq = seq)
		ELSE trace_id END, '') = ?`, []any{f.TraceID}}}
}

func amongTypes(types []string) []condition {
	if len(types) == 0 {
		return nil
	}
	return []condition{among("COALESCE(type, '"+evidence.EntryRequested+"')", types)}
}

// within narrows to the entries between two.
func within(seq string, f domain.EntryFilter) (list []condition) {
	if f.After != nil {
		list = append(list, condition{seq + " > ?", []any{*f.After}})
	}
	if f.Before != nil {
		list = append(list, condition{seq + " < ?", []any{*f.Before}})
	}
	return list
}

// requests selects the numbers of entries that requested a confirm.
func (s *statement) requests(f domain.EntryFilter, of ...condition) {
	s.add("SELECT requested_seq AS seq FROM confirms")
	s.where(of, []condition{{"imported = 0", nil}}, within("requested_seq", f))
}

// ofConfirm finds the entries of a confirm: the one that requested it by its
// number, the others by its id.
func ofConfirm(id string) condition {
	return condition{`seq IN (SELECT requested_seq FROM confirms WHERE canonical_id = ? AND confirm_id = ? AND imported = 0
		UNION ALL SELECT seq FROM log WHERE confirm_id = ?)`, []any{mplp.CanonicalID("confirm", id), id, id}}
}
