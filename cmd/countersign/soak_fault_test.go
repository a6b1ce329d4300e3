package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fault is a way in which a disk fails.
type fault struct {
	name   string
	calls  string // the system calls that fail; none: the disk is a small one
	error  string
	within int  // calls of one thread before it fails, at most
	times  int  // it fails, at most; 0: for ever
	full   bool // the server survives it
}

// faults are tried one after the other, again and again. A server survives a
// disk that is full. After the others it must end when it tried to commit.
var faults = []fault{
	{name: "full disk", full: true},
	{name: "a write fails", calls: "pwrite64", error: "EIO", within: 150, times: 1},
	{name: "a sync fails", calls: "fsync,fdatasync", error: "EIO", within: 15, times: 1},
	{name: "no space for some writes", calls: "pwrite64", error: "ENOSPC", within: 150, times: 5, full: true},
	{name: "all syncs fail", calls: "fsync,fdatasync", error: "EIO", within: 15},
	{name: "all writes fail", calls: "pwrite64", error: "EIO", within: 150},
	{name: "the disk is read only", calls: "pwrite64,fsync,fdatasync", error: "EROFS", within: 150},
}

// possible lists the faults that this machine lets a test make.
func possible(t *testing.T) (list []fault) {
	small, traced := mountable(t), traceable(t)
	for _, f := range faults {
		if f.calls == "" && small || f.calls != "" && traced {
			list = append(list, f)
		}
	}
	return list
}

// options are those of strace. Where space lacks, it does for the database and
// its log; other failures strike whatever is written.
func (f fault) options(random *rand.Rand, file string) []string {
	first := 1 + random.IntN(f.within)
	when := fmt.Sprintf("%d+", first)
	if f.times > 0 {
		when = fmt.Sprintf("%d..%d", first, first+random.IntN(f.times))
	}
	options := []string{"-e", "trace=" + f.calls, "-e", fmt.Sprintf("inject=%s:error=%s:when=%s", f.calls, f.error, when)}
	if f.full {
		options = append(options, "-P", file, "-P", file+"-wal")
	}
	return options
}

// TestBarR6_FailingDisk lets the disk of a server under load fail at any point.
// What was answered as done is there, what was answered as not done is not, and
// only what was answered as unknown, or not at all, may be either. A server that
// does not know ends with an error; one whose disk was full goes on as soon as
// it is not.
func TestBarR6_FailingDisk(t *testing.T) {
	t.Parallel()
	b, size := newBar(t, "R6", 20, 500)
	faults := possible(t)
	if len(faults) == 0 {
		return
	}
	r := &faultRun{bar: b, template: tempDB(t), counts: map[string]int{}}
	r.asker, r.decider = furnished(t, r.template)
	for try := 0; int(b.n.Load()) < size; try++ {
		if try == 3*size {
			t.Fatal("the faults do not hit")
		}
		r.try(faults[try%len(faults)], try)
	}
	for name, count := range r.counts {
		b.figure(strings.ReplaceAll(name, " ", "_"), count)
	}
}

// faultRun tries faults on copies of one database.
type faultRun struct {
	*bar
	template       string
	asker, decider string
	counts         map[string]int
}

// try runs a server on a disk that fails, and then looks at what is there. It
// does not count where the server ended before its disk failed.
func (r *faultRun) try(f fault, part int) {
	t, random := r.t, r.random(part)
	d, trace := plainDisk(t), filepath.Join(t.TempDir(), "trace")
	if f.calls == "" {
		d = smallDisk(t, random)
	}
	defer d.release()
	file := filepath.Join(d.dir, filepath.Base(r.template))
	copyFiles(t, filepath.Dir(r.template), d.view)
	words := append(d.words, "countersign")
	if f.calls != "" {
		words = traced("countersign", trace, f.options(random, file)...)
	}

	p := launch(t, words, file)
	l := newLedger(r.bar, fmt.Sprintf("try %d, %s", part, f.name), d.makeSpace)
	started := p.listens(t)
	if started {
		l.load(t.Context(), p.base, r.asker, r.decider, random, f.full)
	}
	err := p.conclude(t, !started || l.uncertain())
	hit := l.refusals() > 0
	if f.calls != "" {
		calls, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		hit = strings.Contains(string(calls), "(INJECTED)")
	}
	if !hit && err == nil {
		return
	}
	switch {
	case !hit:
		l.violated("it ended with %v, and nothing had failed:\n%s", err, p.stderr)
	case !started && err == nil:
		l.violated("it did not start and says nothing:\n%s", p.stderr)
	case l.uncertain() && err == nil:
		l.violated("something is unknown, and it ended as if nothing were:\n%s", p.stderr)
	case f.full && err != nil:
		l.violated("it did not survive: %v\n%s", err, p.stderr)
	case f.full && !l.recovered:
		l.violated("it did not go on when there was space again:\n%s", p.stderr)
	}
	after := t.TempDir()
	copyFiles(t, d.view, after)
	l.check(filepath.Join(after, filepath.Base(file)))
	r.counts["acknowledged"] += l.acknowledgements()
	r.counts["refused"] += l.refusals()
	r.counts["unknown"] += l.unknown
	r.counts[f.name]++
	if err != nil {
		r.counts["ended_with_error"]++
	}
	r.n.Add(1)
}
