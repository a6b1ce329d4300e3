package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"countersign/domain"
	"countersign/store"
)

// cutsPerRecording bounds how long a recording is used: what it says about
// pending confirms is true until they expire.
const cutsPerRecording = 100

// TestBarR2_PowerCut cuts the power at any point of a server's life, on paper:
// from every write and every sync of a server under load it makes the disks
// that a cut may leave. What was answered is on each of them. On those of a
// server whose commits do not wait for the disk it is not, and the harness
// sees that.
func TestBarR2_PowerCut(t *testing.T) {
	t.Parallel()
	b, cuts := newBar(t, "R2", 25, 2_000)
	if !traceable(t) {
		return
	}
	checked := 0
	for from := 0; from < cuts; from += cutsPerRecording {
		r := b.recorded("countersign", from)
		for i := from; i < min(from+cutsPerRecording, cuts); i++ {
			checked += b.cut(r, i)
			b.n.Add(1)
		}
	}
	b.figure("acknowledgements_checked", checked)

	var losing, lost, noticed int
	r := b.recorded(hasty, cuts)
	controls := sized(10, cutsPerRecording)
	for i := range controls {
		n, rollback := b.loses(r, cuts+i)
		lost += n
		if n > 0 {
			losing++
		}
		if rollback {
			noticed++
		}
	}
	b.figure("normal_cuts", controls)
	b.figure("normal_cuts_with_loss", losing)
	b.figure("normal_lost", lost)
	b.figure("normal_rollback_noticed", noticed)
	if lost == 0 {
		b.violated("nothing was lost where commits do not wait for the disk: the harness sees nothing")
	}
}

// recorded puts a server under load, stops it, and gives what it did.
func (b *bar) recorded(program string, part int) *recording {
	t := b.t
	t.Helper()
	file, trace := tempDB(t), filepath.Join(t.TempDir(), "trace")
	asker, decider := furnished(t, file)
	r, err := record(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	p := spawnAs(t, traced(program, trace, "-y", "-xx", "-s", "1048576", "-e", diskCalls), file)
	done := &acknowledged{created: map[string]string{}, decided: map[string]domain.Status{}}
	created := make(chan struct{}, 8)
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for i := range 8 {
		random := b.random(part*8 + i)
		writing.Go(func() { done.write(ctx, p.base, asker, decider, fmt.Sprint("c-", i), random, created) })
	}
	for range sized(100, 800) {
		<-created
	}
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Fatalf("the server ended with %v:\n%s", err, p.stderr)
	}
	stop()
	writing.Wait()
	if err := errors.Join(r.listen(trace), os.Remove(trace)); err != nil { // it is large
		t.Fatal(err)
	}
	told := r.told(len(r.events))
	for key := range done.created {
		if told.created[key] == "" {
			t.Fatalf("the recording lacks the answer on %s", key)
		}
	}
	for key := range done.decided {
		if told.decided[key] == "" {
			t.Fatalf("the recording lacks the decision on %s", key)
		}
	}
	return r
}

// disk makes a disk as a power cut may leave it, and gives what had been
// answered until then.
func (b *bar) disk(r *recording, part int) (file string, told *acknowledged, about string) {
	random := b.random(-1 - part)
	at := random.IntN(len(r.events) + 1)
	keep := []float64{0, 0.1, 0.5, 0.9, 1}[random.IntN(5)]
	dir, err := os.MkdirTemp(b.t.TempDir(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	for name, data := range r.cut(at, keep, random) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	return filepath.Join(dir, "countersign.db"), r.told(at), fmt.Sprintf("cut %d before event %d, keeping %v", part, at, keep)
}

// cut holds one power cut to the promise. It gives how many answers it checked.
func (b *bar) cut(r *recording, part int) int {
	file, told, about := b.disk(r, part)
	defer os.RemoveAll(filepath.Dir(file))
	h, err := reopen(b.t, file)
	if err != nil {
		b.violated("%s: %v", about, err)
		return 0
	}
	before := b.violations.Load()
	told.check(b, h)
	if err := h.db.Close(); err != nil {
		b.violated("close: %v", err)
	}
	if err := verified(b.t, file); err != nil {
		b.violated("verify: %v", err)
	}
	if b.violations.Load() > before {
		b.t.Log("that was ", about)
	}
	return len(told.created) + len(told.decided)
}

// loses counts what a power cut takes from a server that must lose, and says
// whether the head file told of it at the start.
func (b *bar) loses(r *recording, part int) (lost int, rollback bool) {
	file, told, about := b.disk(r, part)
	defer os.RemoveAll(filepath.Dir(file))
	h, err := reopen(b.t, file)
	if rollback = errors.Is(err, store.ErrRollback); rollback {
		if err := os.Remove(store.HeadFile(file, "")); err != nil {
			b.t.Fatal(err)
		}
		h, err = reopen(b.t, file)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", about, err)
	}
	lost = len(told.lost(h))
	if err := h.db.Close(); err != nil {
		b.t.Fatal(err)
	}
	return lost, rollback
}
