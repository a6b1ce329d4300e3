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

// RowDigest is the SHA-256 of a row's columns in the order of the table.
// Columns that are NULL are left out, so that a later migration may add a
// column without changing the digests of rows it did not touch.
func RowDigest(columns []Column) ([]byte, error) {
	h := sha256.New()
	h.Write([]byte("countersign/row/v1\n"))
	var size [9]byte
	part := func(tag byte, b []byte) {
		size[0] = tag
		binary.BigEndian.PutUint64(size[1:], uint64(len(b)))
		h.Write(size[:])
		h.Write(b)
	}
	for _, c := range columns {
		if c.Value == nil {
			continue
		}
		part('c', []byte(c.Name))
		switch v := c.Value.(type) {
		case int64:
			part('i', binary.BigEndian.AppendUint64(nil, uint64(v)))
		case string:
			part('s', []byte(v))
		case []byte:
			part('b', v)
		default:
			return nil, fmt.Errorf("row digest: column %s has type %T", c.Name, c.Value)
		}
	}
	return h.Sum(nil), nil
}
