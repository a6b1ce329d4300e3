package ledger

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
	"countersign/store/storetest"
)

// A disk that has room for the probe and for no change is not said to be writable:
// whoever distributes requests must not send them here. It is, once a change was
// stored, or when nobody has tried for a while.
func TestWritable_AfterAChangeThatDidNotFit(t *testing.T) {
	db := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		l := db.open(t, Options{Now: time.Now})
		writable := func(when string, want bool) {
			t.Helper()
			if err := l.Writable(t.Context()); (err == nil) != want {
				t.Errorf("%s: %v", when, err)
			}
		}
		room := func(pages string) {
			l.Pause(func(s *driver.Session) {
				if err := s.Conn.Script("PRAGMA max_page_count = " + pages); err != nil {
					t.Error(err)
				}
			})
		}
		grow := func(id string) error {
			return l.Write(t.Context(), func(x *Tx) error {
				return x.Append(&evidence.Entry{Type: "role.created", ObjectID: id, Name: strings.Repeat("x", 1<<20)})
			})
		}
		writable("at first", true)
		room("1") // more pages than there are are not allowed any more
		if err := grow("a"); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
			t.Fatalf("the disk was not full: %v", err)
		}
		writable("after a change that did not fit", false)
		time.Sleep(refusedLately)
		writable("when nobody has tried for a while", true)
		if err := grow("b"); err == nil {
			t.Fatal("the disk was not full")
		}
		room("100000")
		writable("before a change was stored", false)
		if err := grow("c"); err != nil {
			t.Fatal(err)
		}
		writable("after one that was", true)
	})
}

// Nothing can be stored while the log is not the one that was signed, whether
// anybody has tried or not, and however long ago. When it is, something can.
func TestWritable_WhileTheLogIsNotTheOneThatWasSigned(t *testing.T) {
	both(t, func(t *testing.T, db database) {
		var minutes atomic.Int64
		l := db.open(t, Options{Now: func() time.Time { return time.UnixMicro(0).Add(time.Duration(minutes.Add(1)) * time.Minute) }})
		change := func(texts ...string) {
			t.Helper()
			for _, text := range texts {
				if err := storetest.Meddle(t, db.url, text); err != nil {
					t.Fatal(err)
				}
			}
			l.runBetweenGroups(l.catchUp)
		}
		writable := func(when string, want error) {
			t.Helper()
			if err := l.Writable(t.Context()); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", when, err, want)
			}
		}
		if err := add(t, l, "first"); err != nil {
			t.Fatal(err)
		}
		change("CREATE TABLE old_head AS SELECT * FROM log_head")
		if err := add(t, l, "second"); err != nil {
			t.Fatal(err)
		}
		writable("at first", nil)
		change("CREATE TABLE new_head AS SELECT * FROM log_head", "CREATE TABLE new_log AS SELECT * FROM log", "DROP TRIGGER log_no_delete",
			"DELETE FROM log WHERE seq > 0; UPDATE log_head SET size = 1, checkpoint = (SELECT checkpoint FROM old_head)")
		writable("put back", ErrRollback)
		if err := add(t, l, "third"); !errors.Is(err, ErrRollback) {
			t.Errorf("error %v, want %v", err, ErrRollback)
		}
		writable("long after a change was refused", ErrRollback)
		change("INSERT INTO log SELECT * FROM new_log WHERE seq > 0; UPDATE log_head SET size = 2, checkpoint = (SELECT checkpoint FROM new_head)")
		writable("as it was", nil)
		if err := add(t, l, "fourth"); err != nil {
			t.Error(err)
		}
	})
}

// Who has heard that the database cannot be read hears too that it came back as
// another: that is worse.
func TestRollback_IsLoggedAfterAnOutage(t *testing.T) {
	both(t, func(t *testing.T, db database) {
		var log bytes.Buffer
		l := db.open(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		for _, id := range []string{"first", "second"} {
			if err := add(t, l, id); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{"DROP TRIGGER log_no_delete", "DELETE FROM log WHERE seq > 0"} {
			if err := storetest.Meddle(t, db.url, text); err != nil {
				t.Fatal(err)
			}
		}
		l.runBetweenGroups(func() {
			l.logOnce(errors.New("an outage"))
			l.catchUp()
			l.catchUp()
			if n := strings.Count(log.String(), ErrRollback.Error()); n != 1 {
				t.Errorf("it was logged %d times, want once:\n%s", n, &log)
			}
		})
	})
}
