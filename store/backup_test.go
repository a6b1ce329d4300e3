package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBackup(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openTest(t, path, Options{})
	if err := db.Tx(context.Background(), addRole("kept")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "it's a copy?.db")
	if err := db.Backup(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %o, want 600", mode)
	}
	if err := db.Tx(context.Background(), addRole("later")); err != nil {
		t.Fatal(err)
	}
	restored := openTest(t, file, Options{SigningKey: keyOf(path)})
	if diff := cmp.Diff([]string{"kept"}, roleIDs(t, restored)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"kept"}, loggedObjects(t, restored)); diff != "" {
		t.Errorf("restored log (-want +got):\n%s", diff)
	}

	if err := db.Backup(context.Background(), file); err == nil {
		t.Error("a backup over an existing file succeeded")
	}
	if diff := cmp.Diff([]string{"kept"}, roleIDs(t, restored)); diff != "" {
		t.Errorf("after the refused backup (-want +got):\n%s", diff)
	}
}

// Of several that make the same file at once one does, and the others are refused.
func TestBackup_ReplacesNoneMadeMeanwhile(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	file := filepath.Join(t.TempDir(), "copy.db")
	answers := make(chan error, 4)
	for range cap(answers) {
		go func() { answers <- db.Backup(context.Background(), file) }()
	}
	made := 0
	for range cap(answers) {
		if err := <-answers; err == nil {
			made++
		} else if !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d say that they made it, want 1", made)
	}
}

// A backup that is put in a file's place while that one's journal lies beside it
// is damaged by it.
func TestOpen_SaysWhatToDoAboutDamage(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	if err := os.WriteFile(path, bytes.Repeat([]byte("no database"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path, Options{})
	if err == nil {
		t.Fatal("it was opened", db.Close())
	}
	for _, advice := range []string{"Put a backup in its place.", "remove " + path + "-wal and " + path + "-shm"} {
		if !strings.Contains(err.Error(), advice) {
			t.Errorf("%v does not say %q", err, advice)
		}
	}
}
