package store

import (
	"fmt"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"countersign/domain/evidence"
)

// sqliteScanner reads a file for verification, by the million of rows: values
// are not even copied. It belongs to one goroutine at a time.
type sqliteScanner struct {
	*sqliteHandle
	began bool // to read
}

func openSQLiteScanner(name string) (*sqliteScanner, error) {
	h, err := openHandle(name)
	if err != nil {
		return nil, err
	}
	return &sqliteScanner{sqliteHandle: h}, nil
}

// scan runs a query and calls fn for every row with its values, which it may not
// keep.
func (s *sqliteScanner) scan(query string, fn func([]evidence.Value) error) error {
	statement, err := s.prepare(query)
	if err != nil {
		return err
	}
	defer statement.finalize()
	values := make([]evidence.Value, statement.columns)
	return statement.run(nil, func(row) error {
		for i := range values {
			if err := statement.lend(&values[i], int32(i)); err != nil {
				return err
			}
		}
		return fn(values)
	})
}

// lend gives a column of the row, valid as long as the statement is at it.
func (s *sqliteStatement) lend(v *evidence.Value, i int32) error {
	stored := sqlite3.Xsqlite3_column_value(s.tls, s.p, i)
	*v = evidence.Value{}
	switch kind := sqlite3.Xsqlite3_value_type(s.tls, stored); kind {
	case sqlite3.SQLITE_NULL:
	case sqlite3.SQLITE_INTEGER:
		v.Kind, v.Int = evidence.Integer, sqlite3.Xsqlite3_value_int64(s.tls, stored)
	case sqlite3.SQLITE_TEXT:
		v.Kind = evidence.Text
		v.Bytes = libc.GoBytes(sqlite3.Xsqlite3_value_text(s.tls, stored), int(sqlite3.Xsqlite3_value_bytes(s.tls, stored)))
	case sqlite3.SQLITE_BLOB:
		v.Kind = evidence.Blob
		v.Bytes = libc.GoBytes(sqlite3.Xsqlite3_value_blob(s.tls, stored), int(sqlite3.Xsqlite3_value_bytes(s.tls, stored)))
	default:
		return fmt.Errorf("a column holds a value of type %d", kind)
	}
	return nil
}
