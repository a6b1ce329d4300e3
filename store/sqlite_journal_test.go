package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"modernc.org/libc"
)

// What is committed through a gathered journal is what is committed without one:
// for others who read it, for others who write in between, and in a copy of the
// files taken at once, as after a crash. The cache is so small that pages go to
// the journal before the commit, are read back from it and changed there.
func TestJournal_KeepsWhatIsCommitted(t *testing.T) {
	t.Parallel()
	for _, hasty := range []bool{false, true} {
		t.Run(fmt.Sprintf("hasty %v", hasty), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			open := func(name string) *sqliteSession {
				t.Helper()
				d := &sqlite{path: filepath.Join(dir, name), hasty: hasty}
				if err := d.create(); err != nil {
					t.Fatal(err)
				}
				s, err := d.open(d.path, d.writeSettings())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.close() })
				do(t, s, "PRAGMA cache_size(10)")
				return s
			}
			gathered, plain := open("gathered.db"), open("plain.db")
			if err := gathered.gatherJournal(); err != nil {
				t.Fatal(err)
			}
			j := gathered.journal
			sync := j.sync
			j.sync = func(tls *libc.TLS, file uintptr, flags int32) int32 {
				if len(j.data) > 0 {
					t.Errorf("%d bytes are not written before the sync", len(j.data))
				}
				return sync(tls, file, flags)
			}
			beside := open("gathered.db") // as another process
			for _, s := range []*sqliteSession{gathered, plain} {
				do(t, s, "CREATE TABLE t (n INTEGER PRIMARY KEY, v BLOB)")
				do(t, s, "CREATE INDEX i ON t (v)")
			}
			random := rand.New(rand.NewPCG(3, 4))
			for i := range 80 {
				writer := gathered
				if random.IntN(5) == 0 {
					writer = beside
				}
				both := []*sqliteSession{writer, plain}
				for _, s := range both {
					do(t, s, "BEGIN IMMEDIATE")
				}
				for range random.IntN(12) {
					n, from := random.IntN(60), random.IntN(60)
					value := bytes.Repeat([]byte{byte(random.IntN(256))}, random.IntN(9000))
					text := []string{
						"INSERT OR REPLACE INTO t (n, v) VALUES ($1, $2)", "UPDATE t SET v = $2 WHERE n BETWEEN $1 AND $1 + 9 AND $3 > 0",
						"DELETE FROM t WHERE n = $3", "SAVEPOINT s", "UPDATE t SET v = v || v WHERE n = $1 AND length(v) < 9000",
					}[random.IntN(5)]
					for _, s := range both {
						do(t, s, text, n, value, from)
						if text == "SAVEPOINT s" {
							do(t, s, "UPDATE t SET v = $1", value)
							do(t, s, "ROLLBACK TO s")
							do(t, s, "RELEASE s")
						}
					}
				}
				end := []string{"COMMIT", "COMMIT", "ROLLBACK"}[random.IntN(3)]
				for _, s := range both {
					finish(t, s, end)
				}
				want := held(t, plain)
				if diff := cmp.Diff(want, held(t, beside)); diff != "" {
					t.Fatalf("%d: another connection reads (-want +got):\n%.500s", i, diff)
				}
				copied := crashed(t, dir, "gathered.db")
				if diff := cmp.Diff(want, held(t, copied)); diff != "" {
					t.Fatalf("%d: a copy has (-want +got):\n%.500s", i, diff)
				}
				_ = copied.close()
				switch random.IntN(20) {
				case 0:
					do(t, beside, "PRAGMA wal_checkpoint(PASSIVE)")
				case 1:
					do(t, gathered, "PRAGMA wal_checkpoint(TRUNCATE)")
				}
			}
			if diff := cmp.Diff(held(t, plain), held(t, gathered)); diff != "" {
				t.Errorf("the connection itself reads (-want +got):\n%.500s", diff)
			}
		})
	}
}

// What a transaction wrote and rolled back never goes to the file later: its
// place there belongs to whoever commits next.
func TestJournal_LosesWhatIsRolledBack(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{8, 12, 38, 39, 59} { // one page each, more than the cache holds
		t.Run(fmt.Sprintf("%d pages", rows), func(t *testing.T) {
			t.Parallel()
			d := &sqlite{path: filepath.Join(t.TempDir(), "gathered.db")}
			if err := d.create(); err != nil {
				t.Fatal(err)
			}
			open := func() *sqliteSession {
				t.Helper()
				s, err := d.open(d.path, d.writeSettings())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.close() })
				return s
			}
			gathered, beside := open(), open()
			do(t, gathered, "PRAGMA cache_size(10)")
			if err := gathered.gatherJournal(); err != nil {
				t.Fatal(err)
			}
			fill := func(s *sqliteSession, rows int, value byte) {
				t.Helper()
				do(t, s, "BEGIN IMMEDIATE")
				for n := range rows {
					do(t, s, "INSERT OR REPLACE INTO t VALUES ($1, $2)", n, bytes.Repeat([]byte{value}, 3000))
				}
			}
			do(t, beside, "CREATE TABLE t (n INTEGER PRIMARY KEY, v BLOB)")
			fill(beside, 60, 1)
			finish(t, beside, "COMMIT")
			do(t, beside, "PRAGMA wal_checkpoint(TRUNCATE)") // nothing is read from the journal
			fill(gathered, rows, 2)
			finish(t, gathered, "ROLLBACK")
			fill(beside, 60, 3)
			finish(t, beside, "COMMIT")
			want := held(t, beside)
			if diff := cmp.Diff(want, held(t, gathered)); diff != "" {
				t.Errorf("the connection itself reads (-want +got):\n%.500s", diff)
			}
			if diff := cmp.Diff(want, held(t, open())); diff != "" {
				t.Errorf("another connection reads (-want +got):\n%.500s", diff)
			}
		})
	}
}

func do(t *testing.T, s *sqliteSession, text string, args ...any) {
	t.Helper()
	if err := s.run(text, args, nil); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// finish commits as the writer does, or rolls back.
func finish(t *testing.T, s *sqliteSession, end string) {
	t.Helper()
	err := error(nil)
	if end == "COMMIT" {
		_, err = s.commit(true)
	} else {
		err = s.script(end)
	}
	if err != nil {
		t.Fatalf("%s: %v", end, err)
	}
}

// held is what a database holds, and says that it is sound.
func held(t *testing.T, s *sqliteSession) (rows []string) {
	t.Helper()
	add := func(r row) error {
		var text string
		err := r.Scan(&text)
		rows = append(rows, text)
		return err
	}
	for _, text := range []string{"PRAGMA integrity_check", "SELECT n || ' ' || length(v) || ' ' || COALESCE(hex(substr(v, 1, 1)), '') FROM t ORDER BY n"} {
		if err := s.run(text, nil, add); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return rows
}

// crashed opens a copy of a database and its journal as they are.
func crashed(t *testing.T, dir, name string) *sqliteSession {
	t.Helper()
	place := filepath.Join(t.TempDir(), name)
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, name+end))
		if err == nil {
			err = os.WriteFile(place+end, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	d := &sqlite{path: place}
	s, err := d.open(place, d.writeSettings())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
