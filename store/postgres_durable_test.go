package store

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/store/driver"
	"countersign/store/postgres"
	"countersign/store/postgrestest"
)

// set changes settings, over a connection of its own.
func set(t *testing.T, url string, texts ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, text := range texts {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// turnOff turns a setting of the server off, and waits until it is.
func turnOff(t *testing.T, url, setting string) {
	t.Helper()
	set(t, url, "ALTER SYSTEM SET "+setting+" = off", "SELECT pg_reload_conf()")
	for late := time.Now().Add(time.Minute); ; {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		var value string
		err = errors.Join(conn.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&value), conn.Close(t.Context()))
		if err != nil || time.Now().After(late) {
			t.Fatalf("%s is %s: %v", setting, value, err)
		}
		if value == "off" {
			return
		}
	}
}

// Whatever the server, the database or the URL say, who writes waits for the
// disk, and nobody turns that off while it is connected.
func TestCommits_WaitForTheDiskOfAServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ database, url, want string }{
		"as it is by default":          {"", "", "on"},
		"off for the database":         {"off", "", "on"},
		"off in the URL":               {"", "?synchronous_commit=off", "on"},
		"more than the disk":           {"remote_apply", "", "remote_apply"},
		"more than the disk, and less": {"remote_apply", "?synchronous_commit=off", "on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Database(t)
			if tt.database != "" {
				config, err := pgx.ParseConfig(url)
				if err != nil {
					t.Fatal(err)
				}
				set(t, url, "ALTER DATABASE "+pgx.Identifier{config.Database}.Sanitize()+" SET synchronous_commit = "+tt.database)
			}
			d, err := postgres.New(url + tt.url)
			if err != nil {
				t.Fatal(err)
			}
			c, err := driver.Open(t.Context(), d, driver.ReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			var setting, source string
			if _, err := c.First("SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'", nil, &setting, &source); err != nil {
				t.Fatal(err)
			}
			if setting != tt.want || source != "session" {
				t.Errorf("synchronous_commit is %s, from the %s; want %s, from the session", setting, source, tt.want)
			}
		})
	}
}

// What cannot be turned on from here is refused where it could lose what was
// acknowledged whatever the disk, and said where it depends.
func TestOpen_OnAServerThatDoesNotWaitForItsDisk(t *testing.T) {
	t.Parallel()
	server, err := postgrestest.New()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	}()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	admin := server.URL("postgres")
	url, err := server.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file := tempFile(t)
	source := openTest(t, file, Options{})
	if err := errors.Join(add(t, source, "a"), source.Close()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, setting, refused, said string }{
		{"as it is", "", "", ""},
		{"pages that may be torn", "full_page_writes", "", "full_page_writes is off"},
		{"never", "fsync", "its fsync is off", ""},
	} {
		if tt.setting != "" {
			turnOff(t, admin, tt.setting)
		}
		var log bytes.Buffer
		dir := t.TempDir()
		db, err := Open(t.Context(), url, Options{
			SigningKey: filepath.Join(dir, "key"), Head: filepath.Join(dir, "head"), Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if refused := err != nil; refused != (tt.refused != "") || refused && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.refused)
		}
		if err == nil {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		if tt.refused != "" {
			if _, err := Move(t.Context(), file, url, Options{SigningKey: filepath.Join(dir, "moved"), Head: filepath.Join(dir, "moved.head")}); err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s: moved with error %v, want %q", tt.name, err, tt.refused)
			}
		}
		if got := log.String(); (got != "") != (tt.said != "") || !strings.Contains(got, tt.said) {
			t.Errorf("%s: logged %q, want %q", tt.name, got, tt.said)
		}
	}
}
