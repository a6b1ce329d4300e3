package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// report writes the document of a run, and returns how many goals are missed. In
// a run of some measures a goal that was not measured is left out.
func (b *bench) report(took time.Duration) (document string, missed int) {
	var w strings.Builder
	fmt.Fprintf(&w, "<!-- Written by `make bench`. Do not edit. -->\n\n# What was measured\n\n")
	if b.quick {
		fmt.Fprintf(&w, "**Quick run: figures mean nothing.** It shows that everything can be measured.\n\n")
	}
	fmt.Fprintf(&w, "%s: %d processors (%s), %s, seed %d, %.0f minutes.\n\n", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), b.processor, runtime.Version(), b.seed, took.Minutes())
	fmt.Fprintf(&w, `The program runs with keys, capability checks and evidence on, over HTTP on the
machine that also runs the clients. Each value is the median of up to %d rounds,
beside the least and the most. Ratios are of values of the same round.
`, b.rounds)
	if rounds := b.figures.noisyRounds(); len(rounds) > 0 {
		fmt.Fprintf(&w, "\nIn rounds %v the machine itself changed by more than a quarter.\n", rounds)
	}
	measures[0].report(&w, b.figures)
	fmt.Fprintf(&w, "\n## Goals\n\n| goal | limit | median | min | max | | what it means |\n|---|--:|--:|--:|--:|---|---|\n")
	for _, g := range goals {
		s, verdict := g.judge(b.figures)
		if verdict == "not measured" && b.only != "" {
			continue
		}
		if verdict != "met" {
			missed++
		}
		fmt.Fprintf(&w, "| %s | %s %s | %s | %s | %s | %s | %s |\n", g.name, g.sign, number(g.limit), number(s.median), number(s.least), number(s.most), verdict, g.meaning)
	}
	fmt.Fprintf(&w, `
After a measure the server is killed (kill -9) and started again. Every request
that it acknowledged is read back, and the log verified; else the measure has no
result. Power cuts are tested, not measured: see [the tests](../countersign/TESTING.md).
`)
	for _, m := range measures[1:] {
		m.report(&w, b.figures)
	}
	return w.String(), missed
}

// report writes a table of the measure's figures.
func (m measure) report(w *strings.Builder, f figures) {
	seen := map[string]bool{}
	for _, l := range f {
		if l.Measure != m.name || seen[l.Name] {
			continue
		}
		if len(seen) == 0 {
			fmt.Fprintf(w, "\n## %s\n\n%s.\n\n| | unit | median | min | max |\n|---|---|--:|--:|--:|\n", m.name, strings.ToUpper(m.about[:1])+m.about[1:])
		}
		seen[l.Name] = true
		s := spreadOf(f.byRound(l.Name))
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", l.Name, l.Unit, number(s.median), number(s.least), number(s.most))
	}
}

// number writes at least three digits that count.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v == 0 || v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
