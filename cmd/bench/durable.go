package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// durable counts how often the server waits for the disk while it acknowledges,
// in a run of its own, for counting is slow. Grouping makes it fewer than the
// confirms, never for one client.
func durable(ctx context.Context, r *round) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		fmt.Fprintln(r.say, "durable was not measured: strace is missing")
		return nil
	}
	for _, n := range []int{1, 16} {
		dir, err := r.fresh()
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		trace := filepath.Join(dir, "trace")
		words := append([]string{"-D", "-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none", "-e", "trace=fdatasync,fsync", "-o", trace, r.binary},
			serveWords(dir, "127.0.0.1:0")...)
		p, err := r.serveBy(ctx, dir, strace, words...)
		if err != nil {
			return err
		}
		defer p.kill()
		done, err := r.repeat(ctx, n, http.StatusCreated, p.posting())
		if err != nil {
			return err
		}
		if err := p.stop(); err != nil {
			return err
		}
		text, err := os.ReadFile(trace)
		if err != nil {
			return err
		}
		r.set("journal syncs per created confirm, "+crew(n), "", float64(bytes.Count(text, []byte(database+"-wal>")))/float64(done.Done))
	}
	return nil
}
