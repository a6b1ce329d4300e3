package store

import (
	"fmt"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/store/driver"
)

// scanLimit is how many rows of its index a page looks at, at the most. A filter
// that few of them pass gives a page with fewer rows than were asked for, or
// none, from whose cursor the list goes on: no filter makes a page cost more.
const scanLimit = 2000

// listQuery is the way a list is read: along an index, in its order, from the cursor
// on and no further than the horizon.
type listQuery struct {
	keyset
	indexConds []condition // what the index is searched for
	candidates []condition // instead of it: queries for the places of rows
	rowConds   []condition // what only the rows themselves tell; they are called c
}

// condition is part of a query; each ? in it stands for the next of the values.
type condition struct {
	text   string
	values []any
}

// among is the condition that the column has one of the values, of which there is
// one at least.
func among(column string, values []string) condition {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return in(column, args)
}

// in is among for values of any kind.
func in(column string, values []any) condition {
	return condition{column + " IN (?" + strings.Repeat(", ?", len(values)-1) + ")", values}
}

// hasIndex reports whether an index has been chosen.
func (w *listQuery) hasIndex() bool { return len(w.indexConds)+len(w.candidates) > 0 }

// useIndex chooses the index.
func (w *listQuery) useIndex(text string, values ...any) {
	w.indexConds = append(w.indexConds, condition{text, values})
}

func (w *listQuery) where(text string, values ...any) {
	w.rowConds = append(w.rowConds, condition{text, values})
}

// whereIndexed narrows to rows with the value, along the column's index if no other has
// been chosen.
func (w *listQuery) whereIndexed(column, value string) {
	if w.hasIndex() {
		w.where("c."+column+" = ?", value)
	} else {
		w.useIndex(column+" = ?", value)
	}
}

// whereIndexedOpt is only, unless the value is empty.
func (w *listQuery) whereIndexedOpt(column, value string) {
	if value != "" {
		w.whereIndexed(column, value)
	}
}

// whereOpt narrows to rows with the value, unless it is empty, and never leads.
func (w *listQuery) whereOpt(column, value string) {
	if value != "" {
		w.where(column+" = ?", value)
	}
}

// owned narrows to what the reader may see of objects that nobody decides.
func (w *listQuery) owned(v domain.Visibility) {
	if !v.All {
		w.whereIndexed("requested_group", string(v.Group))
	}
}

// page is the query for a page. One row more than the page holds is asked for:
// it reports whether there is a next page.
func (w *listQuery) page(columns, joins string, from []condition, limit int) *statement {
	s := new(statement)
	s.add("SELECT " + columns + " FROM (SELECT * FROM " + w.table)
	if len(w.candidates) > 0 {
		s.add(" WHERE " + w.order + " IN (SELECT " + w.order + " FROM (")
		w.places(s, from)
		s.add(fmt.Sprintf(" LIMIT %d) hits)", scanLimit))
	} else {
		s.where(w.indexConds, from)
	}
	s.add(fmt.Sprintf("%s LIMIT %d) c ", w.sorted(""), scanLimit) + joins)
	s.where(w.rowConds)
	s.add(fmt.Sprintf("%s LIMIT %d", w.sorted("c."), limit+1))
	return s
}

// places adds the query for the places of the rows along the index.
func (w *listQuery) places(s *statement, from []condition) {
	for i, hit := range w.candidates {
		if i > 0 {
			s.add(" UNION ALL ")
		}
		s.add(hit.text, hit.values...)
		for _, c := range from {
			s.add(" AND "+c.text, c.values...)
		}
	}
	if len(w.candidates) == 0 {
		s.add("SELECT " + w.columns() + " FROM " + w.table)
		s.where(w.indexConds, from)
	}
	s.add(w.sorted(""))
}

// scanEnd is the last place that a page from the cursor looks at; nil when the
// index ends before the horizon.
func (r *reader) scanEnd(w *listQuery, from []condition) (*position, error) {
	s := new(statement)
	w.places(s, from)
	s.add(fmt.Sprintf(" LIMIT 1 OFFSET %d", scanLimit-1))
	var at position
	dest := []any{&at.order}
	if w.tie != "" {
		dest = append(dest, &at.tie)
	}
	err := r.Row(s.String(), s.args, dest...)
	if err == domain.ErrNotFound {
		return nil, nil
	}
	return &at, err
}

// readPage reads a page of rows, and one more if it says that there is a next page.
// full is how many rows have filled it, if their bytes have and there are more; 0
// else. A row that alone is larger than a page is a page.
func readPage[T any](r *reader, text string, args []any, p domain.Page, scan func(driver.Row) (T, error), size func(T) int) (list []T, full int, err error) {
	bytes := 0
	err = r.Conn.Query(text, args, func(rows driver.Row) error {
		if p.Bytes > 0 && bytes >= p.Bytes {
			full = len(list)
			return driver.ErrEnough
		}
		v, err := scan(rows)
		if err != nil {
			return err
		}
		if size != nil {
			bytes += size(v)
		}
		if p.Bytes > 0 && bytes > p.Bytes && len(list) > 0 {
			full = len(list)
			return driver.ErrEnough
		}
		list = append(list, v)
		return nil
	})
	return list, full, err
}

// readListPage reads a page: scan reads a row, size is how many bytes it has in a page,
// nil where no row is large, and at gives its place.
func readListPage[T any](r *reader, w *listQuery, p domain.Page, columns, joins string, scan func(driver.Row) (T, error), size func(T) int, at func(T) position) (list []T, next string, err error) {
	var from []condition
	if p.Cursor != "" {
		last, err := w.parse(p.Cursor)
		if err != nil {
			return nil, "", err
		}
		from = append(from, w.after(last))
	}
	limit := pageLimit(p)
	s := w.page(columns, joins, from, limit)
	list, full, err := readPage(r, s.String(), s.args, p, scan, size)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("list %s: %w", w.table, err)
	case full > 0:
		return list, w.cursor(at(list[full-1])), nil
	case len(list) > limit:
		return list[:limit], w.cursor(at(list[limit-1])), nil
	case len(w.rowConds) == 0 && len(w.candidates) == 0:
		return list, "", nil
	}
	last, err := r.scanEnd(w, from)
	if err == nil && last != nil {
		next = w.cursor(*last)
	}
	return list, next, err
}

// listPage reads a page of the table alone.
func (t *table[T]) listPage(r *reader, w *listQuery, p domain.Page, size func(*T) int, at func(*T) position) ([]*T, string, error) {
	var claims []claim
	list, next, err := readListPage(r, w, p, t.columnList("c."), "", t.claiming(&claims), size, at)
	if err == nil {
		err = r.prove(claims[:len(list)]...)
	}
	return list, next, err
}

// claiming scans rows, and adds to the claims that are to be proved.
func (t *table[T]) claiming(claims *[]claim) func(driver.Row) (*T, error) {
	return func(rows driver.Row) (*T, error) {
		v := new(T)
		c, err := t.scan(rows, v)
		*claims = append(*claims, c)
		return v, err
	}
}

// statement is a query in the making.
type statement struct {
	strings.Builder
	args []any
}

// add appends text, in which each ? stands for the next of the values.
func (s *statement) add(text string, values ...any) {
	for _, v := range values {
		s.args = append(s.args, v)
		text = strings.Replace(text, "?", "$"+strconv.Itoa(len(s.args)), 1)
	}
	s.WriteString(text)
}

// where appends conditions as a clause.
func (s *statement) where(lists ...[]condition) {
	keyword := " WHERE "
	for _, list := range lists {
		for _, c := range list {
			s.add(keyword+c.text, c.values...)
			keyword = " AND "
		}
	}
}
