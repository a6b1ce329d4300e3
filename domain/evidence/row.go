package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
)

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

// rows are buffers, each for one row that is digested.
var rows = sync.Pool{New: func() any { return new([]byte) }}

// RowDigest is the SHA-256 of a row's values in the order of the table's columns.
// A value is nil, int64, string or []byte: the types that every backend keeps
// exactly. Columns that are NULL are left out, so that a later migration may add a
// column without changing the digests of rows it did not touch.
func RowDigest(columns []string, values []any) (Hash, error) {
	buffer := rows.Get().(*[]byte)
	defer rows.Put(buffer)
	row := append((*buffer)[:0], rowPrefix...)
	for i, value := range values {
		switch v := value.(type) {
		case nil:
		case int64:
			row = appendInteger(row, columns[i], v)
		case string:
			row = appendBytes(row, columns[i], Text, v)
		case []byte:
			row = appendBytes(row, columns[i], Blob, v)
		default:
			return Hash{}, fmt.Errorf("row digest: column %s has type %T", columns[i], value)
		}
	}
	*buffer = row
	return sha256.Sum256(row), nil
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
	for i, v := range values {
		switch v.Kind {
		case Null:
		case Integer:
			d.row = appendInteger(d.row, d.columns[i], v.Int)
		default:
			d.row = appendBytes(d.row, d.columns[i], v.Kind, v.Bytes)
		}
	}
	return sha256.Sum256(d.row)
}

const rowPrefix = "countersign/row/v1\n"

// A column is digested as its name and its value, each behind what it is and how
// long.

func appendInteger(row []byte, column string, n int64) []byte {
	row = append(appendPart(row, 'c', len(column)), column...)
	return binary.BigEndian.AppendUint64(appendPart(row, byte(Integer), 8), uint64(n))
}

func appendBytes[T string | []byte](row []byte, column string, kind Kind, value T) []byte {
	row = append(appendPart(row, 'c', len(column)), column...)
	return append(appendPart(row, byte(kind), len(value)), value...)
}

func appendPart(row []byte, tag byte, size int) []byte {
	return binary.BigEndian.AppendUint64(append(row, tag), uint64(size))
}
