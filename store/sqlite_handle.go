package store

import (
	"encoding/binary"
	"fmt"
	"net/url"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // readies the library when it is loaded
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteHandle is an open file. It is used without database/sql, whose locks,
// look-ups and copies for every statement and value are much of what short
// statements cost. It belongs to one goroutine at a time.
type sqliteHandle struct {
	tls     *libc.TLS
	db      uintptr
	journal *journal // nil: as it is
}

// sqliteError is an error of the database, with its extended result code.
type sqliteError struct {
	code int
	text string
}

func (e *sqliteError) Error() string { return e.text }

// openHandle opens what a name with settings says. Double quotes are for names
// alone, and the schema cannot be written to as if it were a table.
func openHandle(name string) (*sqliteHandle, error) {
	place, err := url.Parse(name)
	if err != nil {
		return nil, err
	}
	h := &sqliteHandle{tls: libc.NewTLS()}
	text, free, err := h.pointer([]byte(name + "\x00"))
	if err != nil {
		return nil, err
	}
	defer free()
	code, db, err := h.made(func(made uintptr) int32 {
		const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_URI | sqlite3.SQLITE_OPEN_NOMUTEX
		return sqlite3.Xsqlite3_open_v2(h.tls, text, made, flags, 0)
	})
	h.db = db
	if err == nil {
		err = h.failed(code)
	}
	if err == nil {
		err = h.configure(place.Query()["_pragma"])
	}
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *sqliteHandle) configure(pragmas []string) error {
	list, free, err := h.pointer(make([]byte, 16))
	if err != nil {
		return err
	}
	defer free()
	code := sqlite3.Xsqlite3_extended_result_codes(h.tls, h.db, 1)
	for _, option := range []struct{ name, on int32 }{
		{sqlite3.SQLITE_DBCONFIG_DQS_DDL, 0}, {sqlite3.SQLITE_DBCONFIG_DQS_DML, 0}, {sqlite3.SQLITE_DBCONFIG_DEFENSIVE, 1},
	} {
		if code == sqlite3.SQLITE_OK {
			code = sqlite3.Xsqlite3_db_config(h.tls, h.db, option.name, libc.VaList(list, option.on, uintptr(0)))
		}
	}
	err = h.failed(code)
	for _, setting := range pragmas {
		if err == nil {
			err = h.script("PRAGMA " + setting)
		}
	}
	return err
}

// pointer gives bytes a place that the database can be handed.
func (h *sqliteHandle) pointer(data []byte) (p uintptr, free func(), err error) {
	p = libc.Xmalloc(h.tls, uint64(len(data)))
	if p == 0 {
		return 0, nil, &sqliteError{sqlite3.SQLITE_NOMEM, "out of memory"}
	}
	copy(libc.GoBytes(p, len(data)), data)
	return p, func() { libc.Xfree(h.tls, p) }, nil
}

// made gives what a function of the database writes to where it is told to.
func (h *sqliteHandle) made(call func(made uintptr) int32) (code int32, p uintptr, err error) {
	place, free, err := h.pointer(make([]byte, 8))
	if err != nil {
		return 0, 0, err
	}
	defer free()
	code = call(place)
	return code, uintptr(binary.NativeEndian.Uint64(libc.GoBytes(place, 8))), nil
}

func (h *sqliteHandle) failed(code int32) error {
	if code == sqlite3.SQLITE_OK {
		return nil
	}
	text := "the database cannot be opened"
	if h.db != 0 {
		text = libc.GoString(sqlite3.Xsqlite3_errmsg(h.tls, h.db))
	}
	return &sqliteError{int(code), fmt.Sprintf("%s (%d)", text, code)}
}

// script runs statements that have no parameters.
func (h *sqliteHandle) script(text string) error {
	p, free, err := h.pointer([]byte(text + "\x00"))
	if err != nil {
		return err
	}
	defer free()
	return h.failed(sqlite3.Xsqlite3_exec(h.tls, h.db, p, 0, 0, 0))
}

func (h *sqliteHandle) close() {
	sqlite3.Xsqlite3_close_v2(h.tls, h.db)
	if h.journal != nil {
		h.journal.free()
	}
	h.tls.Close()
}
