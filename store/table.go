package store

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// shape is what SQL and digests need to know of a table.
type shape struct {
	name    string
	columns []string
	keys    int // so many columns, from the first, are the key
}

// logged says whether the log covers the table's rows.
func (s *shape) logged() bool { return !strings.HasPrefix(s.name, "volatile_") }

// list is the columns as a select list, each with the prefix.
func (s *shape) list(prefix string) string {
	return prefix + strings.Join(s.columns, ", "+prefix)
}

// table is a shape whose rows are read from and written as values of T.
type table[T any] struct {
	shape
	fields  func(*T) []column
	inserts string
	upserts string // the same, but an existing row with the key is replaced
	selects string
}

func newTable[T any](name string, keys int, fields func(*T) []column) *table[T] {
	t := &table[T]{shape: shape{name: name, keys: keys}, fields: fields}
	var marks, replaced []string
	for i, c := range fields(new(T)) {
		t.columns = append(t.columns, c.name)
		marks = append(marks, fmt.Sprintf("$%d", i+1))
		if i >= keys {
			replaced = append(replaced, c.name+" = excluded."+c.name)
		}
	}
	t.inserts = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", name, t.list(""), strings.Join(marks, ", "))
	t.upserts = fmt.Sprintf("%s ON CONFLICT (%s) DO UPDATE SET %s",
		t.inserts, strings.Join(t.columns[:keys], ", "), strings.Join(replaced, ", "))
	t.selects = fmt.Sprintf("SELECT %s FROM %s ", t.list(""), name)
	return t
}

// without is the table but for some columns, to be read.
func (t *table[T]) without(names ...string) *table[T] {
	return newTable(t.name, t.keys, func(v *T) []column {
		return slices.DeleteFunc(t.fields(v), func(c column) bool { return slices.Contains(names, c.name) })
	})
}

func (t *table[T]) values(v *T) []any {
	columns := t.fields(v)
	values := make([]any, len(columns))
	for i, c := range columns {
		values[i] = c.value()
	}
	return values
}

func (t *table[T]) dest(v *T) []any {
	columns := t.fields(v)
	dest := make([]any, len(columns))
	for i, c := range columns {
		dest[i] = c.field
	}
	return dest
}

// one is the row that the rest of the query (WHERE …) selects;
// domain.ErrNotFound when there is none.
func (t *table[T]) one(r *reader, rest string, args ...any) (*T, error) {
	v := new(T)
	if err := r.c.row(t.selects+rest, args, t.dest(v)...); err != nil {
		return nil, t.wrap("read", err)
	}
	return v, nil
}

// all are the rows that the rest of the query selects, in its order.
func (t *table[T]) all(r *reader, rest string, args ...any) ([]*T, error) {
	var list []*T
	err := r.c.each(t.selects+rest, args, func(rows row) error {
		v := new(T)
		list = append(list, v)
		return rows.Scan(t.dest(v)...)
	})
	return list, t.wrap("read", err)
}

// insert writes a new row; domain.ErrConflict when a unique value is taken. That
// is no error to the database: it would end the transaction, and the caller may
// go on.
func (t *table[T]) insert(x *tx, v *T) error {
	return t.write(x, t.inserts+" ON CONFLICT DO NOTHING", v)
}

// add writes a row of which nothing can be taken: it belongs to one just inserted,
// or its key was just made.
func (t *table[T]) add(x *tx, v *T) error {
	values := t.values(v)
	if err := x.c.later(t.inserts, values...); err != nil {
		return t.wrap("write", err)
	}
	return x.wrote(&t.shape, values)
}

// put writes a row in place of the one with the same key, if there is one.
func (t *table[T]) put(x *tx, v *T) error { return t.write(x, t.upserts, v) }

func (t *table[T]) write(x *tx, text string, v *T) error {
	values := t.values(v)
	n, err := x.c.exec(text, values...)
	if err == nil && n == 0 {
		err = domain.ErrConflict
	}
	if err != nil {
		return t.wrap("write", err)
	}
	return x.wrote(&t.shape, values)
}

// remove deletes the rows that the condition selects.
func (t *table[T]) remove(x *tx, where string, args ...any) error {
	text := fmt.Sprintf("DELETE FROM %s WHERE %s RETURNING %s", t.name, where, strings.Join(t.columns[:t.keys], ", "))
	var keys [][]any
	err := x.c.each(text, args, func(rows row) error {
		key := make([]any, t.keys)
		keys = append(keys, key)
		return rows.Scan(pointers(key)...)
	})
	if err != nil {
		return t.wrap("delete", err)
	}
	for _, key := range keys {
		x.removed(&t.shape, key)
	}
	return nil
}

// change is a prepared kind of update: of these columns, while the guard holds.
type change[T any] struct {
	*table[T]
	set  []int // columns by position
	text string
}

// change declares an update of the columns named, or of all but the key. The
// guard is a further condition; its parameters are numbered from $1 and given
// to run.
func (t *table[T]) change(guard string, guards int, columns ...string) *change[T] {
	c := &change[T]{table: t}
	parameter := guards
	var sets, where []string
	for i, name := range t.columns {
		chosen := len(columns) == 0
		for _, column := range columns {
			chosen = chosen || column == name
		}
		if i >= t.keys && chosen {
			parameter++
			c.set = append(c.set, i)
			sets = append(sets, fmt.Sprintf("%s = $%d", name, parameter))
		}
	}
	for _, name := range t.columns[:t.keys] {
		parameter++
		where = append(where, fmt.Sprintf("%s = $%d", name, parameter))
	}
	if guard != "" {
		where = append(where, guard)
	}
	c.text = fmt.Sprintf("UPDATE %s SET %s WHERE %s", t.name, strings.Join(sets, ", "), strings.Join(where, " AND "))
	return c
}

func (c *change[T]) args(values, guards []any) []any {
	args := guards
	for _, i := range c.set {
		args = append(args, values[i])
	}
	return append(args, values[:c.keys]...)
}

// run updates v's row. What is digested is what the database has stored, not
// what was meant to be. It returns missed when no row has the key and
// satisfies the guard.
func (c *change[T]) run(x *tx, v *T, missed error, guards ...any) error {
	stored := make([]any, len(c.columns))
	err := x.c.row(c.text+" RETURNING "+c.list(""), c.args(c.values(v), guards), pointers(stored)...)
	if err == domain.ErrNotFound {
		return missed
	}
	if err != nil {
		return c.wrap("update", err)
	}
	return x.wrote(&c.shape, stored)
}

// later updates v's row without waiting for it. V must be the whole row as this
// transaction has read it, but for the columns that change, and be known to satisfy
// the guard.
func (c *change[T]) later(x *tx, v *T, guards ...any) error {
	values := c.values(v)
	if err := x.c.later(c.text, c.args(values, guards)...); err != nil {
		return err
	}
	return x.wrote(&c.shape, values)
}

// wrap says which table an error is about, for the operator's log.
func (t *table[T]) wrap(verb string, err error) error {
	switch {
	case err == nil || err == domain.ErrNotFound:
		return err
	case duplicate(err):
		return fmt.Errorf("%s %s: %w (%w)", verb, t.name, domain.ErrConflict, err)
	}
	return fmt.Errorf("%s %s: %w", verb, t.name, err)
}

func pointers(values []any) []any {
	p := make([]any, len(values))
	for i := range values {
		p[i] = &values[i]
	}
	return p
}
