package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// attempt runs a command that may fail.
func attempt(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	code = run(ctx, args, noEnvironment, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// vkeyOf is the key that a server says it signs with.
func vkeyOf(t *testing.T, r *running) string {
	t.Helper()
	line := r.stderr.await(t, 1, `(?m)^.*"the log is signed".*$`)[0]
	var logged struct{ VKey string }
	if err := json.Unmarshal([]byte(line), &logged); err != nil || logged.VKey == "" {
		t.Fatalf("%s: %v", line, err)
	}
	return logged.VKey
}

// A database that was restored from a backup is not served by accident; with
// the operator's word it is, in a new epoch.
func TestServe_AcceptsARestoreOnlyWhenTold(t *testing.T) {
	t.Parallel()
	r := start(t)
	invoke(t, "user", "add", "kim", "--role", "reviewer", "--db", r.db)
	vkey := vkeyOf(t, r)
	copied := filepath.Join(t.TempDir(), "copy.db")
	invoke(t, "backup", copied, "--db", r.db)
	invoke(t, "evidence", "verify", "--db", copied, "--vkey", vkey)
	invoke(t, "evidence", "verify", "--db", r.db) // while it runs
	invoke(t, "user", "disable", "kim", "--db", r.db)
	r.stop(t)
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(r.db + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.Rename(copied, r.db); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := attempt(t, "serve", "--db", r.db, "--listen", "127.0.0.1:0")
	if code != exitFailed || !strings.Contains(stderr, "rollback detected") || !strings.Contains(stderr, "--accept-restore") {
		t.Errorf("served with exit code %d: %s", code, stderr)
	}
	again := start(t, "--db", r.db, "--accept-restore")
	if got := vkeyOf(t, again); got == vkey {
		t.Error("the new epoch has the old key")
	}
	again.stop(t)
	if got := invoke(t, "evidence", "verify", "--db", r.db); !strings.HasPrefix(got, "verified") {
		t.Error(got)
	}

	if err := os.Remove(r.db + ".key"); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = attempt(t, "serve", "--db", r.db, "--listen", "127.0.0.1:0")
	if code != exitFailed || !strings.Contains(stderr, "signing key is missing") {
		t.Errorf("without its key served with exit code %d: %s", code, stderr)
	}
}

// An auditor needs this program, the bundle and a key they were given.
func TestEvidence_BundleVerifiesWithTheProgramAlone(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+"/api/v1/confirms",
		strings.NewReader(`{"confirm_id":"c-1","target_type":"other","actions":[{"name":"execute_trade","args":{"quantity":100}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d, %v", response.StatusCode, err)
	}
	vkey := vkeyOf(t, r)
	bundle := filepath.Join(t.TempDir(), "bundle.json")
	invoke(t, "evidence", "export", "--confirm", "c-1", "--out", bundle, "--db", r.db)
	r.stop(t)
	if got := invoke(t, "evidence", "verify", "--bundle", bundle, "--vkey", vkey, "--db", filepath.Join(t.TempDir(), "none.db")); !strings.HasPrefix(got, "verified") {
		t.Error(got)
	}
	invoke(t, "user", "add", "auditor", "--role", "reviewer", "--db", r.db)
	code, out, _ := attempt(t, "evidence", "verify", "--bundle", bundle, "--vkey", vkey, "--checkpoint", r.db+".head")
	if code != int(exitUnknown) || !strings.Contains(out, "leave --checkpoint out") || !strings.Contains(out, "run beside the database: countersign evidence verify --checkpoint FILE") {
		t.Errorf("with a checkpoint of another size: exit code %d, and it does not say what to do: %s", code, out)
	}
	data, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bundle, bytes.Replace(data, []byte(`execute`), []byte(`exesute`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		want int
	}{
		"changed":   {[]string{"--bundle", bundle, "--vkey", vkey}, int(exitTampered)},
		"no key":    {[]string{"--bundle", bundle}, int(exitUnknown)},
		"no bundle": {[]string{"--bundle", bundle + "x", "--vkey", vkey}, int(exitUnknown)},
	} {
		code, out, _ := attempt(t, append([]string{"evidence", "verify"}, tt.args...)...)
		if code != tt.want || name == "no key" && !strings.Contains(out, vkey) {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, tt.want, out)
		}
	}
}

// A backup that was changed is not accepted as a restore: it would be signed as it
// is. One that was not is, also when the head file or the key is gone.
func TestN6_AcceptRestoreRefusesAChangedBackup(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+"/api/v1/confirms",
		strings.NewReader(`{"confirm_id":"c-1","target_type":"other","required_role":"admin","actions":[{"name":"execute_trade","args":{"quantity":100}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d, %v", response.StatusCode, err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	invoke(t, "backup", backup, "--db", r.db)
	invoke(t, "user", "add", "later", "--role", "reviewer", "--db", r.db)
	r.stop(t)

	// restored puts a changed copy, a key and a head file where none are.
	restored := func(change string, files ...string) string {
		t.Helper()
		db := filepath.Join(t.TempDir(), "countersign.db")
		copyTo(t, db, backup)
		for _, suffix := range files {
			copyTo(t, db+suffix, r.db+suffix)
		}
		if change != "" {
			changeFile(t, db, change)
		}
		return db
	}
	for name, db := range map[string]string{
		"a column of a pending confirm": restored("UPDATE confirms SET required_role = NULL", ".key", ".head"),
		"without the head file":         restored("UPDATE confirms SET expires_at = NULL", ".key"),
		"without the key":               restored("UPDATE users SET password = 'x'; UPDATE roles SET capabilities = '[\"*\"]'", ".head"),
		"a row of the log":              restored("DROP TRIGGER log_no_update; UPDATE log SET type = NULL WHERE seq = 3", ".key", ".head"),
	} {
		code, out, stderr := attempt(t, "serve", "--db", db, "--listen", "127.0.0.1:0", "--accept-restore")
		if code != int(exitTampered) || !strings.Contains(out, "tampered") || !strings.Contains(stderr, "so it is not served") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, stderr)
		}
	}
	for name, db := range map[string]string{
		"as it was":             restored("", ".key", ".head"),
		"without the head file": restored("", ".key"),
		"without the key":       restored("", ".head"),
	} {
		again := start(t, "--db", db, "--accept-restore")
		again.stop(t)
		if got := invoke(t, "evidence", "verify", "--db", db); !strings.HasPrefix(got, "verified") {
			t.Errorf("%s: %s", name, got)
		}
	}

	// A copy that somebody has signed with a key of their own is refused while the
	// operator has one.
	db := restored("", ".head")
	copyTo(t, db+".key", start(t).db+".key")
	if code, out, _ := attempt(t, "serve", "--db", db, "--listen", "127.0.0.1:0", "--accept-restore"); code != int(exitTampered) {
		t.Errorf("under another key: exit code %d\n%s", code, out)
	}
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// changeFile changes a SQLite database as something else would.
func changeFile(t *testing.T, file, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec(text)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
