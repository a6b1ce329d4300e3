package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"countersign/domain/evidence"
)

// wholeTable is a table that is read from its first row to its last, with what
// its indexes must hold of it.
type wholeTable struct {
	indexed
	name    string
	columns []string
	told    chan struct{} // closed once it has been read
}

// indexed is what there is to know of a table with indexes.
type indexed struct {
	whole   string // behind the table's name: what is read is the table, and no index
	indexes []*index
}

// index is an index, to be held to its table. An index that is wrong hides rows,
// or shows what is none, and no row would tell.
type index struct {
	name    string
	columns []string // all that it holds, those that say where a row lies too
	keys    int      // so many of them, from the first, it is for
	unique  bool
	where   string   // the rows that it holds; empty: all
	rows    multiset // what it must hold
}

// read reads the table and gives fn the columns of every row.
func (w *wholeTable) read(s scanner, order string, fn func([]evidence.Value)) error {
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
		for _, column := range index.columns {
			places[i] = append(places[i], place(column))
		}
		if index.where != "" {
			conditions[i] = place("(" + index.where + ")")
		} else {
			conditions[i] = -1
		}
	}
	var held []evidence.Value
	err := s.scan("SELECT "+strings.Join(columns, ", ")+" FROM "+w.name+w.whole+order, func(v []evidence.Value) error {
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
		close(w.told)
	}
	return err
}

// index holds an index to its table, once that has been read.
func (t *telling) index(table *wholeTable, i *index) task {
	part := t.audit.Part()
	return func(ctx context.Context, s scanner) error {
		if err := await(ctx, table.told); err != nil {
			return err
		}
		return i.check(s, table.name, part)
	}
}

// apart reads a table that the log does not cover, and its indexes, over one
// scanner: others may see another state of it.
func (t *telling) apart(table *wholeTable) task {
	part := t.audit.Part()
	return func(_ context.Context, s scanner) error {
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
func (i *index) check(s scanner, table string, part *evidence.Part) error {
	text := "SELECT " + strings.Join(i.columns, ", ") + " FROM " + table + " INDEXED BY " + i.name
	if i.where != "" {
		text += " WHERE " + i.where
	}
	var rows multiset
	last := make([]evidence.Value, len(i.columns))
	unordered, repeated := false, false
	err := s.scan(text, func(v []evidence.Value) error {
		if rows.count > 0 {
			unordered = unordered || compareValues(last, v) >= 0
			repeated = repeated || i.unique && compareValues(last[:i.keys], v[:i.keys]) == 0 &&
				!slices.ContainsFunc(v[:i.keys], func(v evidence.Value) bool { return v.Kind == evidence.Null })
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
		part.Found("index %s: it does not hold the rows of its table", i.name)
	case unordered:
		part.Found("index %s: it is out of order", i.name)
	case repeated:
		part.Found("index %s: two rows have what only one may have", i.name)
	}
	return nil
}

// multiset stands for rows in whatever order they were added. Nobody who does not
// know this process's seed can make another one of the same sum.
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
