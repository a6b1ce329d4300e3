package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync"
)

// Kind is the type of a stored value.
type Kind byte

// The kinds of values. The zero Kind is NULL.
const (
	Null    Kind = 0
	Integer Kind = 'i'
	Text    Kind = 's'
	Blob    Kind = 'b'
)

// Value is a stored value. Its Bytes belong to the reader that returned it: copy them
// to keep them.
type Value struct {
	Kind  Kind
	Int   int64  // of an Integer
	Bytes []byte // of a Text or a Blob
}

// rowBuffers are buffers for one row each.
var rowBuffers = sync.Pool{New: func() any { return new([]byte) }}

// RowDigest returns the SHA-256 of a row's values in the order of the table's columns.
// Values are nil, int64, string or []byte. NULLs are left out, so that a migration may
// add a column without changing the digests of existing rows.
func RowDigest(columns []string, values []any) (Hash, error) {
	buffer := rowBuffers.Get().(*[]byte)
	defer rowBuffers.Put(buffer)
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

// Digester computes the digests of many rows of one table. It must not be used
// concurrently.
type Digester struct {
	columns []string
	row     []byte
}

// NewDigester returns a Digester for rows with these columns.
func NewDigester(columns []string) *Digester { return &Digester{columns: columns} }

// Digest returns the RowDigest of values that are parallel to the columns.
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

// RowKey names a row within its table by the values of its key. No part of a composite
// key has a slash.
func RowKey(values []any) string {
	var key []byte
	for i, v := range values {
		if i > 0 {
			key = append(key, '/')
		}
		key = fmt.Append(key, v)
	}
	return string(key)
}

// AppendKey appends the RowKey of values as they are read.
func AppendKey(key []byte, values []Value) []byte {
	for i, v := range values {
		if i > 0 {
			key = append(key, '/')
		}
		if v.Kind == Integer {
			key = strconv.AppendInt(key, v.Int, 10)
		} else {
			key = append(key, v.Bytes...)
		}
	}
	return key
}

const rowPrefix = "countersign/row/v1\n"

// A column is digested as its name and its value, each after its type and length.

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
