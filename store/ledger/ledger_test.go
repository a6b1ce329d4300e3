package ledger

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain/evidence"
	"countersign/store/driver"
	"countersign/store/postgres"
	"countersign/store/postgrestest"
	"countersign/store/sqlite"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Run(m)) }

// both runs a test on each database, new and empty.
func both(t *testing.T, test func(t *testing.T, db database)) {
	t.Parallel()
	for name, create := range map[string]func(*testing.T) database{"SQLite": tempFile, "PostgreSQL": tempDatabase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, create(t))
		})
	}
}

// database is a database of this program's schema, and the directory of its other files.
type database struct{ url, dir string }

func tempFile(t *testing.T) database {
	t.Helper()
	dir := t.TempDir()
	db := database{filepath.Join(dir, "test.db"), dir}
	if err := db.create(t); err != nil {
		t.Fatal(err)
	}
	return db
}

func tempDatabase(t *testing.T) database {
	t.Helper()
	return database{postgrestest.Made(t, func(url string) error { return database{url: url}.create(t) }), t.TempDir()}
}

// connect opens the session that writes.
func (db database) connect(t *testing.T) *driver.Session {
	t.Helper()
	var d driver.Driver = &sqlite.Driver{Path: db.url}
	if strings.HasPrefix(db.url, "postgres://") {
		server, err := postgres.New(db.url)
		if err != nil {
			t.Fatal(err)
		}
		d = server
	}
	if err := d.Create(); err != nil {
		t.Fatal(err)
	}
	s, err := driver.Open(t.Context(), d, driver.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (db database) create(t *testing.T) error {
	s := db.connect(t)
	var err error
	for _, m := range s.Driver.Migrations() {
		err = errors.Join(err, s.Script(m.Text))
	}
	return errors.Join(err, s.Close())
}

// start opens a ledger. A failure that ends the process fails the test.
func (db database) start(t *testing.T, o Options) *Ledger {
	t.Helper()
	o.SigningKey, o.Head = filepath.Join(db.dir, "key"), cmp.Or(o.Head, filepath.Join(db.dir, "head"))
	o.Fatal = func(err error) { t.Errorf("fatal: %v", err) }
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	l, err := New(t.Context(), db.connect(t), o)
	if err != nil {
		t.Fatal(err)
	}
	l.Start(t.Context())
	return l
}

// open is start, and closes the ledger when the test ends.
func (db database) open(t *testing.T, o Options) *Ledger {
	t.Helper()
	l := db.start(t, o)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

// appends is a transaction that appends an entry.
func appends(id string) func(*Tx) error {
	return func(x *Tx) error { return x.Append(&evidence.Entry{Type: "role.created", ObjectID: id}) }
}

func add(t *testing.T, l *Ledger, id string) error {
	t.Helper()
	return l.Write(t.Context(), appends(id))
}

// inOneGroup runs the transactions as one group.
func inOneGroup(l *Ledger, fns ...func(*Tx) error) (answers []error) {
	var group []*pendingTx
	for _, fn := range fns {
		group = append(group, &pendingTx{ctx: context.Background(), fn: fn})
	}
	l.runBetweenGroups(func() {
		if entries := l.observe(group, l.beginGroup()); len(entries) > 0 {
			l.publish(entries)
		}
	})
	for _, m := range group {
		answers = append(answers, m.err)
	}
	return answers
}

// logged returns the objects that the log names, in its order.
func logged(t *testing.T, l *Ledger) (ids []string) {
	t.Helper()
	err := l.Write(t.Context(), func(x *Tx) error {
		entries, err := x.Log.ProvenEntries("ORDER BY seq")
		for _, e := range entries {
			ids = append(ids, e.ObjectID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// A ledger that is closed waits for nobody's lock any more.
func TestClose_EndsWaitingForALock(t *testing.T) {
	t.Parallel()
	db := tempFile(t)
	l, other := db.start(t, Options{}), db.connect(t)
	if err := other.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting, answered := make(chan struct{}), make(chan error, 1)
	go l.runBetweenGroups(func() {
		close(waiting)
		answered <- l.beginGroup()
	})
	<-waiting
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-answered; !errors.Is(err, driver.ErrBusy) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that says that it was ended", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
