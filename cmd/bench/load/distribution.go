package load

import (
	"slices"
	"time"
)

// Distribution sums up durations.
type Distribution struct {
	N                  int
	P50, P90, P99, Max time.Duration
}

func distribution(samples []time.Duration) (d Distribution) {
	if len(samples) == 0 {
		return d
	}
	slices.Sort(samples)
	at := func(q float64) time.Duration { return samples[int(q*float64(len(samples)-1))] }
	return Distribution{N: len(samples), P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: samples[len(samples)-1]}
}

// window is when what is done counts.
type window struct{ from, to time.Time }

func (j *Job) window() window {
	from := time.Now().Add(j.Warm)
	return window{from, from.Add(j.Window)}
}

// counts says whether something that ended at t does.
func (w window) counts(t time.Time) bool { return !t.Before(w.from) && t.Before(w.to) }

func (w window) took() time.Duration { return w.to.Sub(w.from) }
