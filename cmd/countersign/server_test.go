package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/store"
	"countersign/web/client"
)

func TestSlowCommitsAreLogged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		group store.Group
		want  bool
	}{
		{"quick", store.Group{Members: 7, Took: 3 * time.Millisecond, Waited: time.Millisecond}, false},
		{"slow to commit", store.Group{Members: 7, Took: 1500 * time.Millisecond}, true},
		{"slow to have its turn", store.Group{Members: 7, Took: 300 * time.Millisecond, Waited: 800 * time.Millisecond}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			logged := newTranscript()
			s := &server{logger: newLogger(logged, slog.LevelInfo)}
			s.onCommit(test.group)
			line := logged.String()
			if got := strings.Contains(line, `"level":"WARN","msg":"slow commit"`) && strings.Contains(line, `"transactions":7`); got != test.want {
				t.Errorf("logged %q", line)
			}
		})
	}
}

// A database that does not answer keeps nobody from stopping the server in time.
func TestServe_StopsInSpiteOfADatabaseThatHangs(t *testing.T) {
	t.Parallel()
	db := tempPostgreSQL(t)
	var key strings.Builder
	if code := run(t.Context(), []string{"key", "create", "bot", "--role", "executor", "--db", db}, environment(db), strings.NewReader(""), &key, io.Discard); code != exitDone {
		t.Fatalf("key create: exit code %d", code)
	}
	files := placed(db, store.Options{})
	r := start(t, "--db", db, "--signing-key", files.SigningKey, "--head", files.Head)
	agent := client.New(r.base, strings.TrimSpace(key.String()))
	if err := agent.Call(t.Context(), http.MethodPost, "/api/v1/confirms", object{"target_type": "other", "timeout": 1, "actions": []object{{"name": "pay", "args": object{}}}}, &posted{}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE confirms"); err != nil {
		t.Fatal(err)
	}
	late := time.Now().Add(patience)
	for waits := 0; waits == 0; { // the clock does, when the deadline comes
		if err := tx.QueryRow(t.Context(), "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'confirms'::regclass").Scan(&waits); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(late) {
			t.Fatal("nothing waits for the database")
		}
	}
	r.stop(t)
}
