package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store/driver"
)

// schema is what SQL and digests need to know of a table.
type schema struct {
	name    string
	columns []string
	keys    int // so many columns, from the first, are the key
}

// isLogged reports whether the log covers the table's rows.
func (s *schema) isLogged() bool { return !strings.HasPrefix(s.name, "volatile_") }

// entrySeq is the last column of each table that the log covers: the number of the
// entry that names the row as it is. Only a row that this entry names with its
// digest is believed (prove.go).
const entrySeq = "entry_seq"

// columnList is the columns as a select list, each with the prefix.
func (s *schema) columnList(prefix string) string {
	return prefix + strings.Join(s.columns, ", "+prefix)
}

// table is a shape whose rows are read from and written as values of T.
type table[T any] struct {
	schema
	fields  func(*T) []column
	inserts string
	upserts string // the same, but an existing row with the key is replaced
	selects string
}

func newTable[T any](name string, keys int, fields func(*T) []column) *table[T] {
	t := &table[T]{schema: schema{name: name, keys: keys}, fields: fields}
	for _, c := range fields(new(T)) {
		t.columns = append(t.columns, c.name)
	}
	if t.isLogged() {
		t.columns = append(t.columns, entrySeq)
	}
	var marks, replaced []string
	for i, name := range t.columns {
		marks = append(marks, fmt.Sprintf("$%d", i+1))
		if i >= keys {
			replaced = append(replaced, name+" = excluded."+name)
		}
	}
	t.inserts = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", name, t.columnList(""), strings.Join(marks, ", "))
	t.upserts = fmt.Sprintf("%s ON CONFLICT (%s) DO UPDATE SET %s",
		t.inserts, strings.Join(t.columns[:keys], ", "), strings.Join(replaced, ", "))
	t.selects = fmt.Sprintf("SELECT %s FROM %s ", t.columnList(""), name)
	return t
}

// values are what v is stored as. With a table that the log covers, seq is the
// number of the entry that names the row.
func (t *table[T]) values(v *T, seq int64) []any {
	columns := t.fields(v)
	values := make([]any, len(columns), len(columns)+1)
	for i, c := range columns {
		values[i] = c.value()
	}
	if t.isLogged() {
		values = append(values, seq)
	}
	return values
}

// scan reads a row of all columns into v. With a table that the log covers it also
// returns what is to be proved.
func (t *table[T]) scan(rows driver.Row, v *T) (claim, error) {
	stored := make([]any, len(t.columns))
	if err := rows.Scan(driver.Pointers(stored)...); err != nil {
		return claim{}, err
	}
	var seq int64
	fields := t.fields(v)
	if t.isLogged() {
		fields = append(fields, column{entrySeq, number(&seq)})
	}
	for i, c := range fields {
		if err := c.Scan(stored[i]); err != nil && t.isLogged() { // it holds what nobody here writes
			return claim{table: t.name, seq: -1, err: fmt.Errorf("%s: %w", c.name, err)}, nil
		} else if err != nil {
			return claim{}, err
		}
	}
	if !t.isLogged() {
		return claim{}, nil
	}
	return newClaim(&t.schema, t.values(v, seq))
}

// get returns the row that the rest of the query (WHERE …) selects;
// domain.ErrNotFound when there is none.
func (t *table[T]) get(r *reader, rest string, args ...any) (*T, error) {
	list, err := t.all(r, rest, args...)
	if err == nil && len(list) == 0 {
		err = domain.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// latest is one, but also refuses a row that a later entry has changed, or that an
// entry says is there: those of the object are found by its id in a column of the log.
func (t *table[T]) latest(r *reader, column, id, rest string, args ...any) (*T, error) {
	v, _, err := t.latestClaimed(r, column, id, rest, args...)
	return v, err
}

// latestClaimed is latest, and returns what was proved.
func (t *table[T]) latestClaimed(r *reader, column, id, rest string, args ...any) (*T, claim, error) {
	list, claims, err := t.claimed(r, rest, args...)
	switch {
	case err != nil:
	case len(list) > 0:
		if err = r.prove(claims...); err == nil {
			err = r.isLatest(claims[0], column, id)
		}
	case column == "confirm_id": // the entries that requested them are not found so
		err = domain.ErrNotFound
	default:
		err = r.isNone(claim{table: t.name, key: id, seq: -1}, column)
	}
	if err != nil {
		return nil, claim{}, t.wrap("read", err)
	}
	return list[0], claims[0], nil
}

// all returns the rows that the rest of the query selects, in its order. With a
// table that the log covers, one row that the log does not prove fails them all.
func (t *table[T]) all(r *reader, rest string, args ...any) ([]*T, error) {
	list, claims, err := t.claimed(r, rest, args...)
	if err == nil && t.isLogged() {
		err = r.prove(claims...)
	}
	if err != nil {
		return nil, t.wrap("read", err)
	}
	return list, nil
}

// claimed returns rows that are still to be proved.
func (t *table[T]) claimed(r *reader, rest string, args ...any) (list []*T, claims []claim, err error) {
	err = r.Conn.Query(t.selects+rest, args, func(rows driver.Row) error {
		v := new(T)
		c, err := t.scan(rows, v)
		list, claims = append(list, v), append(claims, c)
		return err
	})
	return list, claims, err
}

// insert writes a new row; domain.ErrConflict when a unique value is taken. That
// is no error to the database: it would end the transaction, and the caller may
// go on.
func (t *table[T]) insert(x *tx, v *T) error {
	return t.write(x, t.inserts+" ON CONFLICT DO NOTHING", v)
}

// insertNew writes a row of which nothing can be taken: it belongs to one just inserted,
// or its key was just made.
func (t *table[T]) insertNew(x *tx, v *T) error {
	values := t.values(v, x.Next())
	if err := x.Conn.Queue(t.inserts, values...); err != nil {
		return t.wrap("write", err)
	}
	return x.recordWrite(&t.schema, nil, values)
}

// upsert writes a row in place of the one with the same key, if there is one.
func (t *table[T]) upsert(x *tx, v *T) error {
	values := t.values(v, x.Next())
	var before []any
	if t.isLogged() {
		var err error
		if before, err = t.stored(&x.reader, values[:t.keys]); err != nil && err != domain.ErrNotFound {
			return t.wrap("read", err)
		}
	}
	if _, err := x.Conn.Exec(t.upserts, values...); err != nil {
		return t.wrap("write", err)
	}
	return x.recordWrite(&t.schema, before, values)
}

func (t *table[T]) write(x *tx, text string, v *T) error {
	values := t.values(v, x.Next())
	n, err := x.Conn.Exec(text, values...)
	if err == nil && n == 0 {
		err = domain.ErrConflict
	}
	if err != nil {
		return t.wrap("write", err)
	}
	return x.recordWrite(&t.schema, nil, values)
}

// stored returns the row with a key, as it is stored.
func (t *table[T]) stored(r *reader, key []any) ([]any, error) {
	values := make([]any, len(t.columns))
	conditions := make([]string, t.keys)
	for i, name := range t.columns[:t.keys] {
		conditions[i] = fmt.Sprintf("%s = $%d", name, i+1)
	}
	err := r.Row(t.selects+"WHERE "+strings.Join(conditions, " AND "), key, driver.Pointers(values)...)
	return values, err
}

// remove deletes the rows that the condition selects.
func (t *table[T]) remove(x *tx, where string, args ...any) error {
	text := fmt.Sprintf("DELETE FROM %s WHERE %s RETURNING %s", t.name, where, t.columnList(""))
	var removed [][]any
	err := x.Conn.Query(text, args, func(rows driver.Row) error {
		values := make([]any, len(t.columns))
		removed = append(removed, values)
		return rows.Scan(driver.Pointers(values)...)
	})
	if err != nil {
		return t.wrap("delete", err)
	}
	for _, values := range removed {
		if err := x.recordWrite(&t.schema, values, nil); err != nil {
			return err
		}
	}
	return nil
}

// change is a prepared kind of update: of these columns, while the guard holds.
type change[T any] struct {
	*table[T]
	set   []int // columns by position
	text  string
	reads string // the row that it is to change
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
		chosen = chosen || name == entrySeq || slices.Contains(columns, name)
		if i >= t.keys && chosen {
			parameter++
			c.set = append(c.set, i)
			sets = append(sets, fmt.Sprintf("%s = $%d", name, parameter))
		}
	}
	var reads []string
	for i, name := range t.columns[:t.keys] {
		parameter++
		where = append(where, fmt.Sprintf("%s = $%d", name, parameter))
		reads = append(reads, fmt.Sprintf("%s = $%d", name, guards+i+1))
	}
	if guard != "" {
		where, reads = append(where, guard), append(reads, guard)
	}
	c.reads = t.selects + "WHERE " + strings.Join(reads, " AND ")
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

// update updates v's row. The database must have stored what was meant: else a trigger,
// or somebody in between, has changed more, and it would be signed. It returns missed
// when no row has the key and satisfies the guard.
func (c *change[T]) update(x *tx, v *T, missed error, guards ...any) error {
	values, after := c.values(v, x.Next()), make([]any, len(c.columns))
	before := make([]any, len(c.columns))
	err := x.Row(c.reads, append(slices.Clone(guards), values[:c.keys]...), driver.Pointers(before)...)
	if err == nil {
		err = x.Row(c.text+" RETURNING "+c.columnList(""), c.args(values, guards), driver.Pointers(after)...)
	}
	if err == domain.ErrNotFound {
		return missed
	}
	if err != nil {
		return c.wrap("update", err)
	}
	meant := slices.Clone(before)
	for _, i := range c.set {
		meant[i] = values[i]
	}
	if err := c.isStored(meant, after); err != nil {
		return c.wrap("update", err)
	}
	return x.recordWrite(&c.schema, before, meant)
}

// errGone is for a row that was read just now and is not there any more.
var errGone = claim{seq: -1}.unproven()

// isStored refuses a row that the database has stored otherwise than it was meant.
func (s *schema) isStored(meant, stored []any) error {
	if !s.isLogged() {
		return nil
	}
	is, err := newClaim(s, stored)
	if err != nil {
		return err
	}
	want, err := newClaim(s, meant)
	if err == nil && is != want {
		err = is.unproven()
	}
	return err
}

// wrap says which table an error is about, for the operator's log.
func (t *table[T]) wrap(verb string, err error) error {
	switch {
	case err == nil || err == domain.ErrNotFound:
		return err
	case errors.Is(err, driver.ErrDuplicate):
		return fmt.Errorf("%s %s: %w (%w)", verb, t.name, domain.ErrConflict, err)
	case errors.Is(err, driver.ErrNoReference): // the use case has read the row, so somebody removed it
		return claim{table: t.name, seq: -1, err: err}.unproven()
	}
	return fmt.Errorf("%s %s: %w", verb, t.name, err)
}
