package store

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A copy has its name only when it is whole, so that a program that is killed
// while it copies leaves nothing that passes for one.
func TestBackup_HasItsNameWhenItIsWhole(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	directory := t.TempDir()
	events, err := syscall.InotifyInit()
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(events)
	if _, err := syscall.InotifyAddWatch(events, directory, syscall.IN_MODIFY); err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(context.Background(), filepath.Join(directory, "whole")); err != nil {
		t.Fatal(err)
	}
	happened := make([]byte, 1<<16)
	n, err := syscall.Read(events, happened)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(happened[:n]), "whole\x00") {
		t.Error("the copy was written under its name")
	}
	if files, err := filepath.Glob(filepath.Join(directory, "*")); err != nil || len(files) != 1 {
		t.Errorf("it left %v (%v)", files, err)
	}
}
