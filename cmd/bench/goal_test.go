package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		values []float64
		want   spread
	}{
		{"nothing", nil, spread{}},
		{"one", []float64{3}, spread{1, 3, 3, 3}},
		{"odd", []float64{9, 1, 4}, spread{3, 4, 1, 9}},
		{"even: between the two in the middle", []float64{1, 2, 4, 8}, spread{4, 3, 1, 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, spreadOf(tt.values), cmp.AllowUnexported(spread{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestJudge: ratios are of values of the same round, goals on either side of
// their limits are told apart, and what was not measured counts only where
// everything should have been.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		create, noop []float64 // by round
		page         float64   // ms
		missed       int
		lines        []string
	}{
		{"met", []float64{50, 500, 5}, []float64{100, 1000, 10}, 4, 0, []string{"≥ 0.400 | 0.500 | 0.500 | 0.500 | met", "≤ 5.00 | 4.00 | 4.00 | 4.00 | met"}},
		{"too little", []float64{30, 20, 90}, []float64{100, 100, 100}, 5, 1, []string{"≥ 0.400 | 0.300 | 0.200 | 0.900 | MISSED", "≤ 5.00 | 5.00 | 5.00 | 5.00 | met"}},
		{"too much, and rounds without a pair", []float64{50}, []float64{100, 1}, 6, 1, []string{"≥ 0.400 | 0.500 | 0.500 | 0.500 | met", "≤ 5.00 | 6.00 | 6.00 | 6.00 | MISSED"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := newFigures(filepath.Join(t.TempDir(), "figures.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for round, v := range tt.create {
				f.set(round, "create, 128 clients", "1/s", v)
			}
			for round, v := range tt.noop {
				f.set(round, "no-op POST, 128 clients", "1/s", v)
			}
			f.set(0, "inbox p99 while 16 create", "ms", tt.page)
			var said bytes.Buffer
			if missed := judge(&said, f, false); missed != tt.missed {
				t.Errorf("%d goals are missed, want %d", missed, tt.missed)
			}
			var got []string
			for line := range strings.Lines(said.String()) {
				if _, figures, found := strings.Cut(strings.TrimSuffix(line, " |\n"), " | "); found && strings.ContainsAny(figures, "≤≥") {
					got = append(got, figures)
				}
			}
			if diff := cmp.Diff(tt.lines, got); diff != "" {
				t.Error(diff)
			}
			if missed := judge(&said, f, true); missed != tt.missed+len(goals)-2 {
				t.Errorf("%d of %d goals are missed when all should have been measured", missed, len(goals))
			}
			if err := f.close(); err != nil {
				t.Error(err)
			}
		})
	}
}
