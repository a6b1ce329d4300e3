package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/cmd/bench/load"
)

// TestMain lets the test binary be the server that the benchmark starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "noop" {
		main()
	}
	os.Exit(m.Run())
}

// TestBench measures all that needs no PostgreSQL at a tiny size: every answer is
// the one that belongs, what was acknowledged is read back, and goals have
// figures.
func TestBench(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	dir := must(os.MkdirTemp(filepath.Join("..", "..", ".build"), "bench-test-")) // temporary files may be in memory
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b := &bench{
		binary: filepath.Join(t.TempDir(), "countersign"), dir: dir, out: filepath.Join(dir, "bench.jsonl"), rounds: 1, stdout: &stdout,
		only: "ground,create,trip,native,waiting,inbox,plan,evidence,start,groups,decisions,deliver,policies",
		size: size{window: load.Window{Warm: 10 * time.Millisecond, Length: 50 * time.Millisecond}, minute: 50 * time.Millisecond,
			large: 60, small: 30, waiting: 20, burst: 10, undelivered: 20, idle: 20 * time.Millisecond, plans: 1, steps: 20, rows: 64},
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", b.binary, "../countersign").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := b.run(t.Context()); err != nil {
		t.Error(err)
	}
	for _, g := range goals {
		if _, verdict := g.judge(b.figures); verdict == "not measured" && !strings.HasPrefix(g.name, "PostgreSQL") {
			t.Errorf("no figure for %s", g.name)
		}
	}
	for _, name := range strings.Split(b.only, ",") {
		if !strings.Contains(stdout.String(), "\n## "+name+"\n") {
			t.Errorf("the report has nothing about %s", name)
		}
	}
}

// TestGoal_Judge: ratios are of values of the same round, and goals on either
// side of their limits are told apart.
func TestGoal_Judge(t *testing.T) {
	t.Parallel()
	f := figures{{1, "", "made", "", 50}, {2, "", "made", "", 500}, {3, "", "made", "", 90}, {1, "", "base", "", 100}, {2, "", "base", "", 2000}, {4, "", "base", "", 1}}
	for _, tt := range []struct {
		goal    goal
		want    spread
		verdict string
	}{
		{goal{figure: "made", sign: "≥", limit: 90}, spread{90, 50, 500}, "met"},
		{goal{figure: "made", sign: "≤", limit: 89}, spread{90, 50, 500}, "**missed**"},
		{goal{figure: "made", over: "base", sign: "≥", limit: 0.38}, spread{0.375, 0.25, 0.5}, "**missed**"},
		{goal{figure: "made", over: "base", sign: "≤", limit: 0.375}, spread{0.375, 0.25, 0.5}, "met"},
	} {
		if got, verdict := tt.goal.judge(f); got != tt.want || verdict != tt.verdict {
			t.Errorf("%+v is %v and %s, want %v and %s", tt.goal, got, verdict, tt.want, tt.verdict)
		}
	}
	if _, verdict := (goal{figure: "none"}).judge(f); verdict != "not measured" {
		t.Errorf("without a figure a goal is %s", verdict)
	}
}
