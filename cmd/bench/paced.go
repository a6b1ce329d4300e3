package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"countersign/cmd/bench/load"
)

// pace is how many decisions arrive in a second while commits must not be
// stalled by the journal being folded into the database.
const pace = 200

// paced measures the slowest commit while decisions arrive at a steady pace,
// and how often the journal, folded in to its end, was begun anew meanwhile.
func paced(ctx context.Context, r *round) error {
	dir, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	metrics, err := freeAddress()
	if err != nil {
		return err
	}
	p, err := r.serveBy(ctx, dir, r.binary, append(serveWords(dir, "127.0.0.1:0"), "--metrics", metrics)...)
	if err != nil {
		return err
	}
	defer p.kill()
	journal := filepath.Join(dir, database+"-wal")
	began, err := journalNumber(journal)
	if err != nil {
		return err
	}
	j := p.travelling(load.Trip, 16, r.size)
	j.Pace, j.Window = pace, r.size.paced
	done, err := r.load(ctx, j)
	if err != nil {
		return p.failed(err)
	}
	ended, err := journalNumber(journal)
	if err != nil {
		return err
	}
	while := fmt.Sprintf(", %d decisions/s", pace)
	r.set("decisions arrived"+while, "1/s", done.Rate())
	r.duration("slowest decision"+while, done.Decide.Max)
	r.set("journals folded in"+while, "", float64(ended-began))
	for name, histogram := range map[string]string{
		"slowest commit at most": "countersign_commit_seconds", "longest wait for a commit at most": "countersign_commit_wait_seconds",
	} {
		most, err := largest("http://"+metrics+"/metrics", histogram)
		if err != nil {
			return err
		}
		r.set(name+while, "ms", most*1000)
	}
	if err := p.stop(); err != nil {
		return err
	}
	return r.verify(ctx, dir)
}

// journalNumber is how often a journal was begun anew, which its header says;
// that happens only once all of it is in the database.
func journalNumber(path string) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	const header, number = 32, 12
	var text [header]byte
	if _, err := io.ReadFull(f, text[:]); errors.Is(err, io.EOF) {
		return 0, nil // nothing was written yet
	} else if err != nil {
		return 0, fmt.Errorf("the header of %s: %w", path, err)
	}
	return binary.BigEndian.Uint32(text[number:]), nil
}

// largest is the least bound, in seconds, that all observations of a histogram
// are within.
func largest(url, histogram string) (float64, error) {
	answer, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var bounds, counts []float64
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		rest, found := strings.CutPrefix(lines.Text(), histogram+`_bucket{le="`)
		bound, count, cut := strings.Cut(rest, `"} `)
		if !found || !cut {
			continue
		}
		b, err := strconv.ParseFloat(bound, 64)
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseFloat(count, 64)
		if err != nil {
			return 0, err
		}
		bounds, counts = append(bounds, b), append(counts, n)
	}
	if len(bounds) < 2 || counts[len(counts)-1] == 0 {
		return 0, fmt.Errorf("%s has nothing of %s", url, histogram)
	}
	for i, n := range counts[:len(counts)-1] {
		if n == counts[len(counts)-1] {
			return bounds[i], nil
		}
	}
	return 0, errors.New("an observation is beyond all bounds of " + histogram)
}
