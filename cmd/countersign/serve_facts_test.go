package main

import (
	"database/sql"
	"testing"
	"time"
)

// A server follows what is decided by itself.
func TestServe_MakesFacts(t *testing.T) {
	t.Parallel()
	r := start(t)
	db, err := sql.Open("sqlite", "file:"+r.db+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it only read
	for late, n := time.After(patience), 0; n == 0; {
		if err := db.QueryRow("SELECT COUNT(*) FROM volatile_facts").Scan(&n); err != nil {
			t.Fatal(err)
		}
		select {
		case <-late:
			t.Fatal("there is no watermark")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
