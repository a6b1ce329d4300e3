package store

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// nextSeqKey is that of NextSeq.
type nextSeqKey struct{}

func (r *reader) NextSeq() (int64, error) {
	return recalled(r, nextSeqKey{}, func() (next int64, err error) {
		err = r.c.row("SELECT COALESCE(MAX(seq) + 1, 0) FROM log", nil, &next)
		return next, err
	})
}

func (r *reader) Entry(seq int64) (*evidence.Entry, error) {
	list, err := r.entries("WHERE seq = $1", seq)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, domain.ErrNotFound
	}
	return list[0], nil
}

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
	list, err := r.entries(s.String(), s.args...)
	return slices.DeleteFunc(list, func(e *evidence.Entry) bool { // a number in a row proves nothing
		return f.ConfirmID != "" && e.ConfirmID != f.ConfirmID
	}), err
}

// entryQuery finds entries along one index, in its order. Those of several types
// are merged from the index of types, if nothing more telling leads.
func entryQuery(f domain.EntryFilter) *statement {
	var along, beside []condition
	if f.ConfirmID != "" {
		along = append(along, ofConfirm(f.ConfirmID))
	}
	for _, c := range []struct{ column, value string }{{"object_id", f.ObjectID}, {"plan_id", f.PlanID}, {"trace_id", f.TraceID}} {
		switch {
		case c.value == "":
		case along == nil:
			along = append(along, condition{c.column + " = ?", []any{c.value}})
		default: // COALESCE keeps the database from choosing this one's index
			beside = append(beside, condition{"COALESCE(" + c.column + ", '') = ?", []any{c.value}})
		}
	}
	if f.Type != "" {
		f.Types = []string{f.Type}
	}
	within := func(seq string) (list []condition) {
		if f.After != nil {
			list = append(list, condition{seq + " > ?", []any{*f.After}})
		}
		if f.Before != nil {
			list = append(list, condition{seq + " < ?", []any{*f.Before}})
		}
		return list
	}
	beside = append(beside, within("seq")...)
	order := " ORDER BY seq"
	if f.Newest {
		order += " DESC"
	}
	if f.Limit <= 0 {
		f.Limit = domain.MaxPage
	}
	s := new(statement)
	switch merged := len(f.Types) > 0 && along == nil; {
	case merged:
		s.add("WHERE seq IN (SELECT seq FROM (")
		for i, t := range f.Types {
			if i > 0 {
				s.add(" UNION ALL ")
			}
			if t == evidence.EntryRequested { // no index of types has them
				s.add("SELECT requested_seq AS seq FROM confirms")
				s.where([]condition{{"imported = 0", nil}}, within("requested_seq"))
				continue
			}
			s.add("SELECT seq FROM log")
			s.where([]condition{{"type = ?", []any{t}}}, beside)
		}
		s.add(fmt.Sprintf("%s LIMIT %d) found)", order, f.Limit))
	case len(f.Types) > 0:
		marks := strings.Repeat(", ?", len(f.Types))[2:]
		values := make([]any, len(f.Types))
		for i, t := range f.Types {
			values[i] = t
		}
		beside = append(beside, condition{"COALESCE(type, '" + evidence.EntryRequested + "') IN (" + marks + ")", values})
		fallthrough
	default:
		s.where(along, beside)
	}
	s.add(fmt.Sprintf("%s LIMIT %d", order, f.Limit))
	return s
}

// ofConfirm finds the entries of a confirm: the one that requested it by its
// number, the others by its id.
func ofConfirm(id string) condition {
	return condition{`seq IN (SELECT requested_seq FROM confirms WHERE canonical_id = ? AND confirm_id = ? AND imported = 0
		UNION ALL SELECT seq FROM log WHERE confirm_id = ?)`, []any{mplp.CanonicalID("confirm", id), id, id}}
}

func (r *reader) entries(rest string, args ...any) ([]*evidence.Entry, error) {
	var list []*evidence.Entry
	err := r.leaves(rest, args, func(e *evidence.Entry, _ []byte) { list = append(list, e) })
	return list, err
}

// leaves calls fn with entries and their bytes, verbatim.
func (r *reader) leaves(rest string, args []any, fn func(e *evidence.Entry, data []byte)) error {
	err := r.c.each("SELECT entry FROM log "+rest, args, func(rows row) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		e, err := evidence.ParseEntry(data)
		if err == nil {
			fn(e, data)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	return nil
}
