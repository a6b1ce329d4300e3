package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// figures are the values that were measured, by name and round.
type figures struct {
	file   *os.File
	lines  *json.Encoder
	err    error // the first of writing
	order  []string
	values map[string]map[int]float64
	units  map[string]string
}

func newFigures(path string) (*figures, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	return &figures{file: file, lines: json.NewEncoder(file), values: map[string]map[int]float64{}, units: map[string]string{}}, err
}

// line is a value in the file.
type line struct {
	Round int     `json:"round"`
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

func (f *figures) set(round int, name, unit string, value float64) {
	if f.values[name] == nil {
		f.values[name], f.units[name] = map[int]float64{}, unit
		f.order = append(f.order, name)
	}
	f.values[name][round] = value
	f.err = errors.Join(f.err, f.lines.Encode(line{round + 1, name, unit, value}))
}

func (f *figures) close() error { return errors.Join(f.err, f.file.Close()) }

// spread is what became of a value over the rounds.
type spread struct {
	n                   int
	median, least, most float64
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return spread{n: n, median: (values[(n-1)/2] + values[n/2]) / 2, least: values[0], most: values[n-1]}
}

// over evaluates a formula in every round that has all values it needs.
func (f *figures) over(formula formula) spread {
	rounds := map[int]bool{}
	for _, values := range f.values {
		for round := range values {
			rounds[round] = true
		}
	}
	var values []float64
	for round := range rounds {
		complete := true
		value := formula(func(name string) float64 {
			v, there := f.values[name][round]
			complete = complete && there
			return v
		})
		if complete && !math.IsNaN(value) && !math.IsInf(value, 0) {
			values = append(values, value)
		}
	}
	return spreadOf(values)
}

// noisy are the rounds in which the ground moved by more than a quarter.
func (f *figures) noisy() (rounds []int) {
	for _, name := range []string{"fdatasync p50", "no-op POST, 16 clients"} {
		middle := f.over(value(name)).median
		for round, v := range f.values[name] {
			if (v > middle*1.25 || v < middle*0.75) && !slices.Contains(rounds, round+1) {
				rounds = append(rounds, round+1)
			}
		}
	}
	slices.Sort(rounds)
	return rounds
}

// write prints every value as a Markdown table.
func (f *figures) write(w io.Writer) {
	fmt.Fprintln(w, "| measured | unit | median | min | max |\n|---|---|--:|--:|--:|")
	for _, name := range slices.Sorted(slices.Values(f.order)) {
		s := f.over(value(name))
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", name, f.units[name], number(s.median), number(s.least), number(s.most))
	}
	if rounds := f.noisy(); len(rounds) > 0 {
		fmt.Fprintf(w, "\nNoisy rounds, in which the ground moved by more than a quarter: %v.\n", rounds)
	}
}

// number writes three digits that count.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
