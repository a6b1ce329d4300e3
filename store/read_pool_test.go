package store

import (
	"crypto/rand"
	"errors"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store/storetest"
)

// Who finds that the server lets in no more waits for a connection that there is.
func TestReadPool_WaitForTheConnected(t *testing.T) {
	t.Parallel()
	all := tempDatabase(t)
	role := "few_" + strings.ToLower(rand.Text())
	for _, text := range []string{
		"CREATE ROLE " + role + " LOGIN PASSWORD 'few' CONNECTION LIMIT 3", // one that writes, one that listens, one that reads
		"GRANT ALL ON SCHEMA public TO " + role, "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role,
	} {
		if err := storetest.Meddle(t, all, text); err != nil {
			t.Fatal(err)
		}
	}
	name, err := url.Parse(all)
	if err != nil {
		t.Fatal(err)
	}
	name.User = url.UserPassword(role, "few")
	outside.Store(name.String(), t.TempDir())
	db := openTest(t, name.String(), Options{})
	read := func(r domain.Reader) error { _, err := r.Roles(); return err }
	others := make(chan error, 3)
	err = db.View(t.Context(), func(r domain.Reader) error {
		for range cap(others) {
			go func() { others <- db.View(t.Context(), read) }()
		}
		rested := func() bool { return db.readers.resting.Load() > 0 }
		for late := time.Now().Add(time.Minute); !rested(); runtime.Gosched() {
			if time.Now().After(late) {
				t.Fatal("nobody was refused")
			}
		}
		return read(r)
	})
	for range cap(others) {
		err = errors.Join(err, <-others)
	}
	if err != nil {
		t.Error(err)
	}
}
