package store

import (
	"encoding/binary"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// journal stands between the database and the file of its write-ahead log. Of
// each page of a commit the database writes a header and then the page, each
// with a call of its own; the journal gathers what is appended and writes it at
// once: at the latest when the last page of a commit is there, and before
// anything is read, cut off or synced. So the file has all of a commit before
// anybody is told of it, as without the journal. A failure to write comes later
// than the call that caused it, but to the same commit. It gathers during a
// commit alone: what is rolled back has no lock any more, and written then it
// would take the place of what others have committed.
type journal struct {
	free func() // the place where the database finds the functions
	// The file's own functions.
	write    func(_ *libc.TLS, file, data uintptr, n int32, at int64) int32
	read     func(_ *libc.TLS, file, data uintptr, n int32, at int64) int32
	truncate func(_ *libc.TLS, file uintptr, size int64) int32
	sync     func(_ *libc.TLS, file uintptr, flags int32) int32
	kept     []any

	data []byte // what is to be written, up to end
	end  int64  // of what was appended
	last bool   // the page to come is the last of a commit

	committing bool
}

const (
	// frameHeader is how many bytes come before each page. Those from the fourth
	// to the eighth are 0, but for the last page of a commit.
	frameHeader = 24
	// maxGathered is less than the 128 KiB that one call may write.
	maxGathered = 31 * (frameHeader + 4096)
)

// gatherJournal has what is appended to the journal of a connection written at
// once from now on.
func (h *sqliteHandle) gatherJournal() error {
	if err := h.script("SELECT 1 FROM sqlite_schema"); err != nil { // the journal is open from the first look
		return err
	}
	name, free, err := h.pointer([]byte("main\x00"))
	if err != nil {
		return err
	}
	defer free()
	code, file, err := h.made(func(made uintptr) int32 {
		return sqlite3.Xsqlite3_file_control(h.tls, h.db, name, sqlite3.SQLITE_FCNTL_JOURNAL_POINTER, made)
	})
	if err == nil {
		err = h.failed(code)
	}
	if err != nil {
		return err
	}
	f := *(**sqlite3.Tsqlite3_file)(unsafe.Pointer(&file))
	if f.FpMethods == 0 { // there is none
		return nil
	}
	methods, release, err := h.pointer(libc.GoBytes(f.FpMethods, int(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{}))))
	if err != nil {
		return err
	}
	j := &journal{free: release}
	m := *(**sqlite3.Tsqlite3_io_methods)(unsafe.Pointer(&methods))
	// The database knows ours by their address alone: kept keeps them.
	j.kept = []any{
		replace(&m.FxWrite, &j.write, j.gather),
		replace(&m.FxRead, &j.read, func(t *libc.TLS, file, data uintptr, n int32, at int64) int32 {
			return j.flushed(t, file, func() int32 { return j.read(t, file, data, n, at) })
		}),
		replace(&m.FxTruncate, &j.truncate, func(t *libc.TLS, file uintptr, size int64) int32 {
			return j.flushed(t, file, func() int32 { return j.truncate(t, file, size) })
		}),
		replace(&m.FxSync, &j.sync, func(t *libc.TLS, file uintptr, flags int32) int32 {
			return j.flushed(t, file, func() int32 { return j.sync(t, file, flags) })
		}),
	}
	h.journal = j
	f.FpMethods = methods
	return nil
}

// commit gathers what is appended while fn runs. What is left then is of a commit
// that failed.
func (j *journal) commit(fn func() error) error {
	j.committing = true
	defer func() { j.committing, j.data = false, j.data[:0] }()
	return fn()
}

// replace puts a function in the place of the given one, and returns what must
// be kept as long as it is there.
func replace[F any](place *uintptr, given *F, fn F) *F {
	*given = *(*F)(unsafe.Pointer(place))
	*place = *(*uintptr)(unsafe.Pointer(&fn))
	return &fn
}

// gather keeps what is appended until it is to be written. What takes the place
// of something is written as it comes: pages that a commit changed again after
// they went to the file, and then the headers behind them.
func (j *journal) gather(t *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	appended := j.committing && at >= j.end && n <= maxGathered
	if !appended || len(j.data)+int(n) > maxGathered || at != j.end {
		if code := j.flush(t, file); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	if at == 0 {
		j.end = 0 // the journal begins anew
	}
	j.end = max(j.end, at+int64(n))
	if n == frameHeader {
		j.last = binary.BigEndian.Uint32(libc.GoBytes(data, frameHeader)[4:]) != 0
	}
	if !appended {
		return j.write(t, file, data, n, at)
	}
	j.data = append(j.data, libc.GoBytes(data, int(n))...)
	if n != frameHeader && j.last {
		j.last = false
		return j.flush(t, file)
	}
	return sqlite3.SQLITE_OK
}

// flush writes what was gathered.
func (j *journal) flush(t *libc.TLS, file uintptr) int32 {
	if len(j.data) == 0 {
		return sqlite3.SQLITE_OK
	}
	data := j.data
	j.data = data[:0]
	return j.write(t, file, uintptr(unsafe.Pointer(unsafe.SliceData(data))), int32(len(data)), j.end-int64(len(data)))
}

// flushed does what can be done only when all is written.
func (j *journal) flushed(t *libc.TLS, file uintptr, then func() int32) int32 {
	if code := j.flush(t, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return then()
}
