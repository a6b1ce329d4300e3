package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Column is one column of a row: its name and its value, which is nil, int64,
// string or []byte: the three types that every backend keeps exactly.
type Column struct {
	Name  string
	Value any
}

// Kind is the type of a stored value, as it stands in a row's digest.
type Kind byte

// The kinds of values. The zero Kind is NULL.
const (
	Null    Kind = 0
	Integer Kind = 'i'
	Text    Kind = 's'
	Blob    Kind = 'b'
)

// Value is a stored value that is looked at and not kept: Bytes belong to whoever
// read it.
type Value struct {
	Kind  Kind
	Int   int64  // of an Integer
	Bytes []byte // of a Text or a Blob
}

// RowDigest is the SHA-256 of a row's columns in the order of the table.
// Columns that are NULL are left out, so that a later migration may add a
// column without changing the digests of rows it did not touch.
func RowDigest(columns []Column) ([]byte, error) {
	row := []byte(rowPrefix)
	for _, c := range columns {
		value := Value{}
		switch v := c.Value.(type) {
		case nil:
		case int64:
			value = Value{Kind: Integer, Int: v}
		case string:
			value = Value{Kind: Text, Bytes: []byte(v)}
		case []byte:
			value = Value{Kind: Blob, Bytes: v}
		default:
			return nil, fmt.Errorf("row digest: column %s has type %T", c.Name, c.Value)
		}
		row = appendColumn(row, c.Name, value)
	}
	digest := sha256.Sum256(row)
	return digest[:], nil
}

// Digester computes the digests of many rows of one table. It belongs to one
// goroutine.
type Digester struct {
	columns []string
	row     []byte
}

// NewDigester is for rows of these columns.
func NewDigester(columns []string) *Digester { return &Digester{columns: columns} }

// Digest is the RowDigest of a row's values, which are parallel to the columns.
func (d *Digester) Digest(values []Value) Hash {
	d.row = append(d.row[:0], rowPrefix...)
	for i, name := range d.columns {
		d.row = appendColumn(d.row, name, values[i])
	}
	return sha256.Sum256(d.row)
}

const rowPrefix = "countersign/row/v1\n"

// appendColumn writes a column as it is digested: its name and its value, each
// behind what it is and how long.
func appendColumn(row []byte, name string, v Value) []byte {
	if v.Kind == Null {
		return row
	}
	row = append(appendPart(row, 'c', len(name)), name...)
	if v.Kind == Integer {
		return binary.BigEndian.AppendUint64(appendPart(row, byte(v.Kind), 8), uint64(v.Int))
	}
	return append(appendPart(row, byte(v.Kind), len(v.Bytes)), v.Bytes...)
}

func appendPart(row []byte, tag byte, size int) []byte {
	return binary.BigEndian.AppendUint64(append(row, tag), uint64(size))
}
