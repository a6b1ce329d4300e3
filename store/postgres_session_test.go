package store

import (
	"context"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store/driver"
	"countersign/store/postgres"
	"countersign/store/postgrestest"
)

// A migration may take longer than a statement that somebody waits for.
func TestMigrate_TakesWhatItTakes(t *testing.T) {
	t.Parallel()
	d, err := driverOf(postgrestest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := driver.Open(t.Context(), d, driver.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	s := c.Conn.(*postgres.Conn)
	if err := s.Script("SET statement_timeout = '1ms'"); err != nil {
		t.Fatal(err)
	}
	s.Timeout = time.Nanosecond
	if err := migrate(t.Context(), c, Options{Now: time.Now}); err != nil {
		t.Error(err)
	}
	if s.Timeout != time.Nanosecond {
		t.Errorf("the bound of what comes later is %v", s.Timeout)
	}
}

// A server that does not answer keeps nobody from closing the database.
func TestClose_GivesUpAServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	hang := func(c *driver.Session, begun chan<- struct{}) error {
		c.Conn.(*postgres.Conn).Timeout = 0
		close(begun)
		_, err := c.Exec("SELECT pg_sleep(3600)")
		return err
	}
	for name, wait := range map[string]func(db *DB, begun chan<- struct{}) error{
		"a reader": func(db *DB, begun chan<- struct{}) error {
			return db.view(context.Background(), func(r *reader) error { return hang(r.Conn, begun) })
		},
		"a writer": func(db *DB, begun chan<- struct{}) error {
			return db.Tx(context.Background(), func(x domain.Tx) error { return hang(x.(*tx).Conn, begun) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t, tempDatabase(t), Options{})
			begun, ended := make(chan struct{}), make(chan error, 1)
			go func() { ended <- wait(db, begun) }()
			<-begun
			closed := make(chan error, 1)
			go func() { closed <- db.Close() }()
			select {
			case err := <-closed:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Fatal("it is still not closed")
			}
			if err := <-ended; domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
				t.Errorf("error %v, want %s", err, domain.CodeEvidenceUnavailable)
			}
		})
	}
}
