package main

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
)

// line is one value that was measured.
type line struct {
	Round   int     `json:"round"`
	Measure string  `json:"measure"`
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"`
}

// figures are all values of a run.
type figures []line

// write writes each value as a line of JSON.
func (f figures) write(path string) (err error) {
	defer catch(&err)
	file := must(os.Create(path))
	for _, l := range f {
		check(json.NewEncoder(file).Encode(l))
	}
	return file.Close()
}

// byRound returns the values of a figure: the most, where a round has several.
func (f figures) byRound(name string) map[int]float64 {
	values := map[int]float64{}
	for _, l := range f {
		if l.Name == name {
			values[l.Round] = max(values[l.Round], l.Value)
		}
	}
	return values
}

// ratios divides the values of two figures round by round.
func ratios(of, to map[int]float64) map[int]float64 {
	values := map[int]float64{}
	for round, v := range of {
		if by := to[round]; by != 0 {
			values[round] = v / by
		}
	}
	return values
}

// spread sums up the values of all rounds.
type spread struct{ median, least, most float64 }

func spreadOf(values map[int]float64) spread {
	if len(values) == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted, n := slices.Sorted(maps.Values(values)), len(values)
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// noisyRounds returns the rounds in which the ground moved by more than a
// quarter.
func (f figures) noisyRounds() (rounds []int) {
	for _, name := range []string{"fdatasync of 4 KiB, 1 client, p50", "no-op POST, 16 clients"} {
		values := f.byRound(name)
		median := spreadOf(values).median
		for round, v := range values {
			if v > median*1.25 || v < median*0.75 {
				rounds = append(rounds, round)
			}
		}
	}
	slices.Sort(rounds)
	return slices.Compact(rounds)
}
