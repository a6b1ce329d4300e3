package store

import (
	"encoding/binary"
	"fmt"
	"net/url"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"countersign/domain/evidence"
)

// sqliteScanner reads a file for verification, by the million of rows: beside
// database/sql, whose connections lock and copy for every value, which took most
// of the time. It belongs to one goroutine at a time.
type sqliteScanner struct {
	tls   *libc.TLS
	db    uintptr
	began bool // to read
}

// scanError is an error of the database, with its result code.
type scanError struct {
	code int
	text string
}

func (e *scanError) Error() string { return e.text }

// openSQLiteScanner opens what a name with settings says, as database/sql would.
func openSQLiteScanner(name string) (*sqliteScanner, error) {
	place, err := url.Parse(name)
	if err != nil {
		return nil, err
	}
	s := &sqliteScanner{tls: libc.NewTLS()}
	text, free, err := s.pointer([]byte(name + "\x00"))
	if err != nil {
		return nil, err
	}
	defer free()
	handle, free, err := s.pointer(make([]byte, 8))
	if err != nil {
		return nil, err
	}
	defer free()
	code := sqlite3.Xsqlite3_open_v2(s.tls, text, handle, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_URI|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
	s.db = uintptr(binary.NativeEndian.Uint64(libc.GoBytes(handle, 8)))
	err = s.failed(code)
	for _, setting := range place.Query()["_pragma"] {
		if err == nil {
			err = s.scan("PRAGMA "+setting, func([]evidence.Value) error { return nil })
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// pointer gives bytes a place that the database can be handed.
func (s *sqliteScanner) pointer(data []byte) (p uintptr, free func(), err error) {
	p = libc.Xmalloc(s.tls, uint64(len(data)))
	if p == 0 {
		return 0, nil, &scanError{sqlite3.SQLITE_NOMEM, "out of memory"}
	}
	copy(libc.GoBytes(p, len(data)), data)
	return p, func() { libc.Xfree(s.tls, p) }, nil
}

func (s *sqliteScanner) failed(code int32) error {
	if code == sqlite3.SQLITE_OK {
		return nil
	}
	text := "the database cannot be opened"
	if s.db != 0 {
		text = libc.GoString(sqlite3.Xsqlite3_errmsg(s.tls, s.db))
	}
	return &scanError{int(code), fmt.Sprintf("%s (%d)", text, code)}
}

// scan runs a query and calls fn for every row with its values, which it may not
// keep.
func (s *sqliteScanner) scan(query string, fn func([]evidence.Value) error) error {
	text, free, err := s.pointer([]byte(query + "\x00"))
	if err != nil {
		return err
	}
	defer free()
	handle, free, err := s.pointer(make([]byte, 8))
	if err != nil {
		return err
	}
	defer free()
	if err := s.failed(sqlite3.Xsqlite3_prepare_v2(s.tls, s.db, text, -1, handle, 0)); err != nil {
		return err
	}
	statement := uintptr(binary.NativeEndian.Uint64(libc.GoBytes(handle, 8)))
	defer sqlite3.Xsqlite3_finalize(s.tls, statement)
	values := make([]evidence.Value, sqlite3.Xsqlite3_column_count(s.tls, statement))
	for {
		switch code := sqlite3.Xsqlite3_step(s.tls, statement); code {
		case sqlite3.SQLITE_DONE:
			return nil
		case sqlite3.SQLITE_ROW:
		default:
			return s.failed(code)
		}
		for i := range values {
			if err := s.read(&values[i], statement, int32(i)); err != nil {
				return err
			}
		}
		if err := fn(values); err != nil {
			return err
		}
	}
}

// read reads a column of the row that a statement is at.
func (s *sqliteScanner) read(v *evidence.Value, statement uintptr, i int32) error {
	stored := sqlite3.Xsqlite3_column_value(s.tls, statement, i)
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

func (s *sqliteScanner) close() {
	sqlite3.Xsqlite3_close_v2(s.tls, s.db)
	s.tls.Close()
}
