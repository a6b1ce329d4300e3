package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// disk is a directory to keep a database in.
type disk struct {
	dir, view string   // as a server started by words sees it, and as the test does
	words     []string // that start a program
	release   func()
	makeSpace func() // after which it is not full any more
}

// plainDisk is one of the machine's.
func plainDisk(t *testing.T) *disk {
	dir := t.TempDir()
	return &disk{dir: dir, view: dir, release: func() {}, makeSpace: func() {}}
}

// Sizes of a small disk in KiB: what a new database needs, what is free beyond
// it at most, and what makeSpace frees.
const (
	diskNeeded = 768
	diskFree   = 1536
	diskFilled = 6 << 10
)

// mountable says whether this machine lets a test have a small disk.
func mountable(t *testing.T) bool {
	d, err := mount(t.TempDir(), diskNeeded)
	if err != nil {
		complain(t, "no small disk can be mounted here, space lacks by strace alone: %v", err)
		return false
	}
	d.release()
	return true
}

// smallDisk is one that soon is full.
func smallDisk(t *testing.T, random *rand.Rand) *disk {
	t.Helper()
	d, err := mount(t.TempDir(), diskNeeded+random.IntN(diskFree)+diskFilled)
	if err != nil {
		t.Fatal(err)
	}
	filling := filepath.Join(d.view, "filling")
	if err := os.WriteFile(filling, make([]byte, diskFilled<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	d.makeSpace = sync.OnceFunc(func() {
		if err := os.Remove(filling); err != nil {
			t.Error(err)
		}
	})
	return d
}

// mount mounts a file system in memory, in a name space that ends with the
// process that keeps it.
func mount(dir string, kib int) (*disk, error) {
	keeper := exec.Command("unshare", "-rm", "sh", "-c", `mount -t tmpfs -o "$0" tmpfs "$1" && echo ready && exec cat`,
		fmt.Sprintf("size=%dk", kib), dir)
	said := newTranscript()
	keeper.Stderr = said
	in, err := keeper.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := keeper.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := keeper.Start(); err != nil {
		return nil, err
	}
	end := func() error { return errors.Join(in.Close(), keeper.Wait()) }
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("%w: %s", errors.Join(err, end()), said)
	}
	pid := fmt.Sprint(keeper.Process.Pid)
	return &disk{dir: dir, view: filepath.Join("/proc", pid, "root", dir), release: func() { _ = end() },
		words: []string{"nsenter", "-t", pid, "-U", "-m", "--preserve-credentials"}}, nil
}

// copyFiles copies the files of a database, its index aside, which is made anew.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "countersign.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if volatile(file) {
			continue
		}
		copyFile(t, file, filepath.Join(to, filepath.Base(file)))
	}
}

// copyFile copies a file that nobody else may read.
func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
