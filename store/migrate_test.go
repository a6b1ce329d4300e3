package store

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
	"countersign/store/ledger"
	"countersign/store/postgres"
	"countersign/store/postgrestest"
	"countersign/store/sqlite"
	"countersign/store/storetest"
)

func TestSchemasRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, change, want string
	}{
		{"newer", "INSERT INTO schema_migrations SELECT MAX(number) + 1, 'future', 'x', 0 FROM schema_migrations", "newer than this program's"},
		{"changed", "UPDATE schema_migrations SET checksum = 'x'", "is not this program's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, path string) {
				if err := openTest(t, path, Options{}).Close(); err != nil {
					t.Fatal(err)
				}
				if err := storetest.Meddle(t, path, tt.change); err != nil {
					t.Fatal(err)
				}
				for name, open := range map[string]func() error{
					"Open":            func() error { _, err := Open(context.Background(), path, placed(path, Options{})); return err },
					"MigrationStatus": func() error { _, err := MigrationStatus(context.Background(), path); return err },
				} {
					if err := open(); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), Label(path)) {
						t.Errorf("%s: error %v, want %q and the database", name, err, tt.want)
					}
				}
			})
		})
	}
}

func TestManyOpenOneNewFile(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := Open(context.Background(), path, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Ready(context.Background()); err != nil {
				t.Errorf("Ready: %v", err)
			}
			if err := db.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	wg.Wait()
}

func TestMigrationStatus(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	numbersApplied := func() (applied []time.Time) {
		status, err := MigrationStatus(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range status {
			applied = append(applied, m.AppliedAt)
		}
		return applied
	}
	all := make([]time.Time, len(new(sqlite.Driver).Migrations()))
	if diff := cmp.Diff(all, numbersApplied()); diff != "" {
		t.Errorf("no file (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("asking for the status made the file")
	}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	openTest(t, path, Options{Now: func() time.Time { return now }})
	for i := range all {
		all[i] = now
	}
	if diff := cmp.Diff(all, numbersApplied()); diff != "" {
		t.Errorf("migrated (-want +got):\n%s", diff)
	}
}

func TestFilesAreTheirOwners(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openTest(t, path, Options{})
	if err := db.Tx(context.Background(), addRole("r")); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o, want 600", "database"+suffix, mode)
		}
	}
}

// The triggers guard against faults of the program, not against the operator.
func TestAppendOnlyTables(t *testing.T) {
	both(t, func(t *testing.T, path string) {
		openTest(t, path, Options{})
		err := storetest.Meddle(t, path, `
			INSERT INTO log (seq, entry, hash, type) VALUES (0, x'00', x'00', 't');
			INSERT INTO confirms (confirm_id, canonical_id, target_type, status, requested_by, role_registered, frame_index, actions, imported, locked, received_at, requested_seq, decided_seq, entry_seq)
				VALUES ('c', 'c', 'other', 'pending', 'system', 0, 0, 0, 0, 0, 0, 0, 0, 0);
			INSERT INTO confirm_contents (requested_seq, salt, content, entry_seq) VALUES (0, x'00', x'00', 0);
			INSERT INTO decisions (decision_id, requested_seq, number, status, cause, decided_by, decided_at, seq, entry_seq) VALUES ('d', 0, 0, 'approved', 'human', 'system', 0, 0, 0)`)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ text, want string }{
			{"UPDATE log SET type = 'x'", "append-only"},
			{"DELETE FROM log", "append-only"},
			{"UPDATE confirm_contents SET content = x'01'", "never changes"},
			{"UPDATE decisions SET status = 'rejected'", "only ever appended"},
		} {
			if err := storetest.Meddle(t, path, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
			}
		}
	})
}

// Who starts while another node migrates says so and waits, however long that
// takes. Where there is nothing to migrate, nobody waits for whoever has the lock.
func TestMigrate_WaitsForWhoMigrates(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	said, ended := make(signals), make(chan error, 1)
	c := newcomer(t, url, "SET lock_timeout = 1")
	try := func() {
		ended <- migrate(t.Context(), c, Options{Now: time.Now, Logger: slog.New(slog.NewTextHandler(said, nil))})
	}
	release := lockPostgreSQL(t, url)
	go try()
	select {
	case text := <-said:
		if !strings.Contains(text, "waits until it is done") {
			t.Errorf("logged %q", text)
		}
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	}
	release()
	if err := <-ended; err != nil {
		t.Errorf("after the other was done: %v", err)
	}
	defer lockPostgreSQL(t, url)()
	if try(); !isLocked(<-ended) {
		t.Error("with nothing to migrate it waited")
	}
}

// Who waits so ends when it is told to, and not when the lock is free.
func TestMigrate_EndsWaiting(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	c := newcomer(t, url, "SET lock_timeout = 0")
	ctx, stop := context.WithCancel(t.Context())
	defer lockPostgreSQL(t, url)()
	ended := make(chan error, 1)
	go func() { ended <- migrate(ctx, c, Options{Now: time.Now}) }()
	awaitWaiter(t, url)
	stop()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	case <-time.After(time.Minute):
		t.Fatal("it still waits")
	}
}

// newcomer is a connection that writes, with a setting.
func newcomer(t *testing.T, url, setting string) *driver.Session {
	t.Helper()
	d, err := driverOf(url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := driver.Open(t.Context(), d, driver.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // it may be gone
	if err := c.Script(setting); err != nil {
		t.Fatal(err)
	}
	return c
}

// lockPostgreSQL takes the lock of whoever writes.
func lockPostgreSQL(t *testing.T, url string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err == nil {
		_, err = conn.Exec(t.Context(), (&postgres.Driver{}).SQL().Begin)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// awaitWaiter waits until somebody waits for that lock.
func awaitWaiter(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	late := time.After(time.Minute)
	for waiting := false; !waiting; {
		const text = `SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
			WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted)`
		if err := conn.QueryRow(t.Context(), text).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		select {
		case <-late:
			t.Fatal("nobody waits")
		default:
		}
	}
}

// signals gives what is written to it to whoever waits for it.
type signals chan string

func (s signals) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// Who gives up waiting at the moment at which the other is done goes on too.
func TestMigrate_IsDoneByAnother(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	c, other := newcomer(t, url, ""), newcomer(t, url, "")
	c.Conn = &overtaken{c.Conn, func() error { return migrate(t.Context(), other, Options{Now: time.Now}) }}
	if err := migrate(t.Context(), c, Options{Now: time.Now}); err != nil {
		t.Error(err)
	}
}

// overtaken is a session that gets the lock when the other is done that had it, but
// for the first time, when it has just given up.
type overtaken struct {
	driver.Conn
	other func() error
}

func (s *overtaken) Script(text string) error {
	if other := s.other; other != nil && text == (&postgres.Driver{}).SQL().Begin {
		s.other = nil
		return errors.Join(other(), driver.ErrLockTimeout)
	}
	return s.Conn.Script(text)
}

// A database is verified before it is migrated: what was changed before an upgrade
// is not signed after it.
func TestN11_MigrationVerifiesFirst(t *testing.T) {
	for _, tt := range []struct {
		name, change string
		withoutKey   bool
		want         string
	}{
		{name: "as it was signed"},
		{name: "a row", change: "UPDATE roles SET name = 'other'", want: "it was changed after it was signed"},
		{name: "a row is gone", change: "DELETE FROM roles", want: "it was changed after it was signed"},
		{name: "the schema", change: "ALTER TABLE roles ADD COLUMN more TEXT", want: "it was changed after it was signed"},
		{name: "the record of migrations", change: "UPDATE schema_migrations SET checksum = 'x'", want: "is not this program's"},
		{name: "without the key", withoutKey: true, want: "cannot be verified before it is migrated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, url := range []string{filepath.Join(t.TempDir(), "test.db"), postgrestest.Database(t)} {
				o := Options{SigningKey: filepath.Join(t.TempDir(), "key"), Head: filepath.Join(t.TempDir(), "head")}
				writeBefore(t, url, o)
				if tt.change != "" {
					if err := storetest.Meddle(t, url, tt.change); err != nil {
						t.Fatal(err)
					}
				}
				if tt.withoutKey {
					if err := os.Remove(o.SigningKey); err != nil {
						t.Fatal(err)
					}
				}
				c := migrating(t, url, 2)
				err := migrate(t.Context(), c, o)
				if (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: error %v, want %q", c.Driver.Name(), err, tt.want)
				}
				there, err := (&reader{Reader: &ledger.Reader{Conn: c}}).strings(c.Driver.SQL().Columns, "roles")
				if migrated := slices.Contains(there, "description"); err != nil || migrated != (tt.want == "") {
					t.Errorf("%s: migrated %v (%v)", c.Driver.Name(), migrated, err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// twoSteps are the migrations of a program that had no descriptions of roles, and
// of the next one, which adds them.
func twoSteps(t *testing.T, d driver.Driver) []Migration {
	t.Helper()
	column := "TEXT"
	if _, ok := d.(*postgres.Driver); ok {
		column = `TEXT COLLATE "C"`
	}
	before := d.Migrations()[0]
	text := strings.Replace(before.Text, "    description  "+column+",\n", "", 1)
	if text == before.Text {
		t.Fatal("the column was not found")
	}
	before.Text, before.Checksum = text, "before"
	return []Migration{before, {Number: 2, Name: "descriptions", Checksum: "after", Text: "ALTER TABLE roles ADD COLUMN description " + column}}
}

// migrating is a connection of a program with so many of the two steps.
func migrating(t *testing.T, url string, steps int) *driver.Session {
	t.Helper()
	d, err := driverOf(url)
	if err != nil {
		t.Fatal(err)
	}
	list := twoSteps(t, d)[:steps]
	switch d := d.(type) {
	case *sqlite.Driver:
		d.Steps = list
	case *postgres.Driver:
		d.Steps = list
	}
	if err := d.Create(); err != nil {
		t.Fatal(err)
	}
	c, err := driver.Open(t.Context(), d, driver.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// writeBefore makes a database as the program before wrote it, with a role.
func writeBefore(t *testing.T, url string, o Options) {
	t.Helper()
	c := migrating(t, url, 1)
	if err := migrate(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(t.Context(), c, ledger.Options{Fatal: func(err error) { t.Error(err) }, Logger: slog.New(slog.DiscardHandler), SigningKey: o.SigningKey, Head: o.Head})
	if err != nil {
		t.Fatal(err)
	}
	l.Start(t.Context())
	err = l.Write(t.Context(), func(x *ledger.Tx) error {
		before := newTable(roles.name, roles.keys, func(r *domain.Role) []column {
			return slices.DeleteFunc(roles.fields(r), func(c column) bool { return c.name == "description" })
		})
		if err := before.insert(&tx{reader{Reader: x.Log, use: new(cacheUse)}, x}, &domain.Role{ID: "r", Name: "r"}); err != nil {
			return err
		}
		return x.Append(&evidence.Entry{Type: "role.created", ObjectID: "r"})
	})
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
}

// A database of a schema that this program has changed in place is refused: its
// migration of that number has another text.
func TestN11_EarlierSchemasAreRefused(t *testing.T) {
	t.Parallel()
	for _, url := range []string{filepath.Join(t.TempDir(), "test.db"), postgrestest.Database(t)} {
		o := Options{SigningKey: filepath.Join(t.TempDir(), "key"), Head: filepath.Join(t.TempDir(), "head")}
		writeBefore(t, url, o)
		for name, open := range map[string]func() error{
			"Open":            func() error { _, err := Open(t.Context(), url, o); return err },
			"MigrationStatus": func() error { _, err := MigrationStatus(t.Context(), url); return err },
		} {
			if err := open(); err == nil || !strings.Contains(err.Error(), "its migration 1 (initial) is not this program's") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}
