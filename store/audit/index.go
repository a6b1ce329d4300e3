package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// tableScan is a table that is read as a whole, with the indexes that are compared with
// it.
type tableScan struct {
	name    string
	whole   string // see driver.Indexed
	indexes []*index
	columns []string
	isRead  chan struct{} // closed once it was read
}

// index is an index that is compared with its table. A wrong index hides rows, or shows
// rows that do not exist, and no digest would differ.
type index struct {
	*driver.Index
	rows multiset // what it should have
}

// read reads the table and gives fn the columns of every row.
func (w *tableScan) read(s driver.Scanner, order string, fn func([]evidence.Value)) error {
	columns := slices.Clone(w.columns)
	place := func(column string) int {
		i := slices.Index(columns, column)
		if i < 0 {
			i = len(columns)
			columns = append(columns, column)
		}
		return i
	}
	places, conditions := make([][]int, len(w.indexes)), make([]int, len(w.indexes))
	for i, index := range w.indexes {
		for _, column := range index.Columns {
			places[i] = append(places[i], place(column))
		}
		if index.Where != "" {
			conditions[i] = place("(" + index.Where + ")")
		} else {
			conditions[i] = -1
		}
	}
	var held []evidence.Value
	err := s.Scan("SELECT "+strings.Join(columns, ", ")+" FROM "+w.name+w.whole+order, func(v []evidence.Value) error {
		fn(v[:len(w.columns)])
		for i, index := range w.indexes {
			if conditions[i] >= 0 && v[conditions[i]].Int != 1 {
				continue
			}
			held = held[:0]
			for _, place := range places[i] {
				held = append(held, v[place])
			}
			index.rows.add(held)
		}
		return nil
	})
	if err == nil {
		close(w.isRead)
	}
	return err
}

// index compares an index with its table, once the table was read.
func (t *run) index(table *tableScan, i *index) task {
	part := t.audit.NewPart()
	return func(ctx context.Context, s driver.Scanner) error {
		if err := await(ctx, table.isRead); err != nil {
			return err
		}
		return i.check(s, table.name, part)
	}
}

// uncoveredTable reads a table that the log does not cover, and its indexes. It uses one
// scanner: others may see another state of the table.
func (t *run) uncoveredTable(table *tableScan) task {
	part := t.audit.NewPart()
	return func(_ context.Context, s driver.Scanner) error {
		if err := table.read(s, "", func([]evidence.Value) {}); err != nil {
			return err
		}
		for _, i := range table.indexes {
			if err := i.check(s, table.name, part); err != nil {
				return err
			}
		}
		return nil
	}
}

// check reads the index in its own order.
func (i *index) check(s driver.Scanner, table string, part *evidence.Part) error {
	text := "SELECT " + strings.Join(i.Columns, ", ") + " FROM " + table + " INDEXED BY " + i.Name
	if i.Where != "" {
		text += " WHERE " + i.Where
	}
	var rows multiset
	last := make([]evidence.Value, len(i.Columns))
	unordered, repeated := false, false
	err := s.Scan(text, func(v []evidence.Value) error {
		if rows.count > 0 {
			unordered = unordered || compareValues(last, v) >= 0
			repeated = repeated || i.Unique && compareValues(last[:i.Keys], v[:i.Keys]) == 0 &&
				!slices.ContainsFunc(v[:i.Keys], func(v evidence.Value) bool { return v.Kind == evidence.Null })
		}
		for n := range v {
			last[n].Kind, last[n].Int, last[n].Bytes = v[n].Kind, v[n].Int, append(last[n].Bytes[:0], v[n].Bytes...)
		}
		rows.add(v)
		return nil
	})
	switch {
	case err != nil:
		return err
	case rows.count != i.rows.count || rows.sum != i.rows.sum:
		part.AddFinding("index %s: it does not hold the rows of its table", i.Name)
	case unordered:
		part.AddFinding("index %s: it is out of order", i.Name)
	case repeated:
		part.AddFinding("index %s: two rows have what only one may have", i.Name)
	}
	return nil
}

// multiset is a sum over rows, in any order. Without this process's seed nobody can make
// other rows with the same sum.
type multiset struct {
	count int64
	sum   uint64
	row   []byte
}

var multisetSeed = maphash.MakeSeed()

func (m *multiset) add(values []evidence.Value) {
	m.row = m.row[:0]
	for _, v := range values {
		m.row = append(m.row, byte(v.Kind))
		switch v.Kind {
		case evidence.Null:
		case evidence.Integer:
			m.row = binary.BigEndian.AppendUint64(m.row, uint64(v.Int))
		default:
			m.row = append(binary.BigEndian.AppendUint64(m.row, uint64(len(v.Bytes))), v.Bytes...)
		}
	}
	m.count++
	m.sum += maphash.Bytes(multisetSeed, m.row)
}

// compareValues orders rows as an index does: NULL, numbers, texts, bytes.
func compareValues(a, b []evidence.Value) int {
	for i := range a {
		c := 0
		switch x, y := &a[i], &b[i]; {
		case x.Kind != y.Kind:
			c = cmp.Compare(kindOrder[x.Kind], kindOrder[y.Kind])
		case x.Kind == evidence.Integer:
			c = cmp.Compare(x.Int, y.Int)
		default:
			c = bytes.Compare(x.Bytes, y.Bytes)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

var kindOrder = [...]byte{evidence.Null: 0, evidence.Integer: 1, evidence.Text: 2, evidence.Blob: 3}
