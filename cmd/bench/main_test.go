package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the program that it starts as its load and
// its servers.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{"load", "ground", "router"}, os.Args[1]) {
		main()
		return
	}
	os.Exit(m.Run())
}

// tiny is just enough to see every answer once.
var tiny = size{
	rounds: 1, warm: 10 * time.Millisecond, window: 200 * time.Millisecond, sustain: 300 * time.Millisecond, paced: 300 * time.Millisecond, clients: []int{1, 16},
	confirms: 60, few: 60, waiting: 20, some: 5, burst: 10, plans: 1, steps: 20, sample: 64, decided: 10,
}

// TestBench_Works runs the benchmark at a tiny size: every answer is the one
// that belongs, every confirm is read back, every database verifies, and what
// it prints and writes can be read.
func TestBench_Works(t *testing.T) {
	t.Parallel()
	build := filepath.Join("..", "..", ".build") // temporary files may be in memory
	if err := os.MkdirAll(build, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(build, "bench-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(t.TempDir(), "countersign")
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../countersign").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	out := filepath.Join(t.TempDir(), "bench.jsonl")
	var said bytes.Buffer
	b, err := newBench(options{binary: program, dir: dir, out: out, size: tiny, rounds: 1, seed: 1, only: smoke}, &said)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	values := readLines(t, out)
	for _, name := range []string{"read back, create, 1 client", "read back, create, 16 clients", "read back, round trip, 1 client", "no-op POST, 16 clients", "own router without a store, 16 clients", "rows raw, 64 a commit"} {
		if values[name] <= 0 {
			t.Errorf("%s is %v", name, values[name])
		}
	}
	for name := range values {
		if !strings.Contains(said.String(), "| "+name+" |") {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// smoke are the measures that take part in the test.
var smoke = []string{"noop", "disk", "create", "trip", "inbox", "plans", "room", "paced"}

func readLines(t *testing.T, path string) map[string]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	values := map[string]float64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		values[l.Name] = l.Value
	}
	return values
}
