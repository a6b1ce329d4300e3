package store

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteStatement is a prepared statement, and the row of its result that it is
// at.
type sqliteStatement struct {
	*sqliteHandle
	p       uintptr
	columns int32
	params  []int // for each that is to be bound: which of the values it is, from 1
	// texts is where the database finds strings and byte strings that are bound.
	texts uintptr
	room  int
}

// maxRoom bounds the memory that a statement keeps for the next time.
const maxRoom = 64 << 10

func (h *sqliteHandle) prepare(text string) (*sqliteStatement, error) {
	words, free, err := h.pointer([]byte(text + "\x00"))
	if err != nil {
		return nil, err
	}
	defer free()
	code, p, err := h.made(func(made uintptr) int32 {
		return sqlite3.Xsqlite3_prepare_v3(h.tls, h.db, words, -1, sqlite3.SQLITE_PREPARE_PERSISTENT, made, 0)
	})
	if err == nil {
		err = h.failed(code)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	s := &sqliteStatement{sqliteHandle: h, p: p, columns: sqlite3.Xsqlite3_column_count(h.tls, p)}
	for i := range sqlite3.Xsqlite3_bind_parameter_count(h.tls, p) {
		name := libc.GoString(sqlite3.Xsqlite3_bind_parameter_name(h.tls, p, i+1)) // $2: in the order in which they stand
		number, err := strconv.Atoi(name[min(1, len(name)):])
		if err != nil {
			s.finalize()
			return nil, fmt.Errorf("prepare: parameter %q", name)
		}
		s.params = append(s.params, number)
	}
	return s, nil
}

// reads says whether the statement writes nothing.
func (s *sqliteStatement) reads() bool { return sqlite3.Xsqlite3_stmt_readonly(s.tls, s.p) != 0 }

// run runs the statement and calls fn for every row; a statement without rows
// needs none.
func (s *sqliteStatement) run(args []any, fn func(row) error) error {
	if err := s.bind(args); err != nil {
		return err
	}
	defer s.reset()
	for {
		switch code := sqlite3.Xsqlite3_step(s.tls, s.p); code {
		case sqlite3.SQLITE_DONE:
			return nil
		case sqlite3.SQLITE_ROW:
		default:
			return s.failed(code)
		}
		if fn != nil {
			if err := fn(s); err != nil {
				return err
			}
		}
	}
}

// reset makes it ready for the next time. That it says how the last step failed
// is known.
func (s *sqliteStatement) reset() {
	sqlite3.Xsqlite3_reset(s.tls, s.p)
	if s.room > maxRoom {
		sqlite3.Xsqlite3_clear_bindings(s.tls, s.p)
		s.make(0)
	}
}

// make gives room for so many bytes of texts, none if there is no memory.
func (s *sqliteStatement) make(n int) {
	if s.texts != 0 {
		libc.Xfree(s.tls, s.texts)
	}
	if s.texts, s.room = 0, 0; n == 0 {
		return
	}
	if s.texts = libc.Xmalloc(s.tls, uint64(n)); s.texts != 0 {
		s.room = n
	}
}

// bind gives the parameters their values. Texts are kept until the next time.
func (s *sqliteStatement) bind(args []any) error {
	values, need := make([]any, len(s.params)), 1 // what is empty needs a place too
	for i, number := range s.params {
		if number > len(args) {
			return fmt.Errorf("no value for $%d", number)
		}
		v, err := driver.DefaultParameterConverter.ConvertValue(args[number-1])
		if err != nil {
			return err
		}
		switch v := v.(type) {
		case string:
			need += len(v)
		case []byte:
			need += len(v)
		}
		values[i] = v
	}
	if need > s.room {
		s.make(2 * need)
	}
	if s.texts == 0 {
		return &sqliteError{sqlite3.SQLITE_NOMEM, "out of memory"}
	}
	at := s.texts
	for i, v := range values {
		parameter := int32(i + 1)
		var code int32
		switch v := v.(type) {
		case nil:
			code = sqlite3.Xsqlite3_bind_null(s.tls, s.p, parameter)
		case int64:
			code = sqlite3.Xsqlite3_bind_int64(s.tls, s.p, parameter, v)
		case string:
			n := copy(libc.GoBytes(at, len(v)), v)
			code = sqlite3.Xsqlite3_bind_text(s.tls, s.p, parameter, at, int32(n), 0)
			at += uintptr(n)
		case []byte:
			if v == nil {
				code = sqlite3.Xsqlite3_bind_null(s.tls, s.p, parameter)
				break
			}
			n := copy(libc.GoBytes(at, len(v)), v)
			code = sqlite3.Xsqlite3_bind_blob(s.tls, s.p, parameter, at, int32(n), 0)
			at += uintptr(n)
		default:
			return fmt.Errorf("a parameter cannot be a %T", v)
		}
		if err := s.failed(code); err != nil {
			return err
		}
	}
	return nil
}

// Columns are the names of the columns.
func (s *sqliteStatement) Columns() ([]string, error) {
	names := make([]string, s.columns)
	for i := range names {
		names[i] = libc.GoString(sqlite3.Xsqlite3_column_name(s.tls, s.p, int32(i)))
	}
	return names, nil
}

// Scan reads the row.
func (s *sqliteStatement) Scan(dest ...any) error {
	if len(dest) != int(s.columns) {
		return fmt.Errorf("%d columns cannot be read into %d", s.columns, len(dest))
	}
	for i, d := range dest {
		v, err := s.value(int32(i))
		if err == nil {
			err = assign(d, v)
		}
		if err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// value is a column of the row, as fields take it.
func (s *sqliteStatement) value(i int32) (any, error) {
	switch kind := sqlite3.Xsqlite3_column_type(s.tls, s.p, i); kind {
	case sqlite3.SQLITE_NULL:
		return nil, nil
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(s.tls, s.p, i), nil
	case sqlite3.SQLITE_TEXT:
		p := sqlite3.Xsqlite3_column_text(s.tls, s.p, i)
		return string(libc.GoBytes(p, int(sqlite3.Xsqlite3_column_bytes(s.tls, s.p, i)))), nil
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(s.tls, s.p, i)
		data := make([]byte, sqlite3.Xsqlite3_column_bytes(s.tls, s.p, i))
		copy(data, libc.GoBytes(p, len(data)))
		return data, nil
	default:
		return nil, fmt.Errorf("a value of type %d", kind)
	}
}

// assign puts a value where dest points to.
func assign(dest, v any) (err error) {
	switch p := dest.(type) {
	case sql.Scanner:
		return p.Scan(v)
	case *any:
		*p = v
	case *string:
		*p, err = as[string](v)
	case *int64:
		*p, err = as[int64](v)
	case *int:
		err = number(p).Scan(v)
	case *bool:
		err = flag(p).Scan(v)
	case *[]byte:
		*p, err = as[[]byte](v)
	case **string:
		var text string
		if *p = nil; v != nil {
			text, err = as[string](v)
			*p = &text
		}
	default:
		err = fmt.Errorf("a %T cannot be read into", dest)
	}
	return err
}

func (s *sqliteStatement) finalize() {
	sqlite3.Xsqlite3_finalize(s.tls, s.p)
	s.make(0)
}
