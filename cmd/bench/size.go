package main

import "time"

// size is how much is measured.
type size struct {
	rounds   int
	clients  []int // at the same time
	warm     time.Duration
	window   time.Duration // at least 20 times the longest p50
	sustain  time.Duration // of security's R12
	paced    time.Duration // that decisions arrive at a steady pace
	confirms int           // in the large database
	few      int           // in the small one
	waiting  int           // agents at the same time
	some     int           // the same, fewer
	burst    int           // decisions at the same moment
	plans    int
	steps    int // of each plan
	sample   int // confirms whose rows are written raw
	decided  int // confirms, at least, of which the bytes are counted
}

var fullSize = size{
	rounds: 5, clients: []int{1, 16, 128}, warm: 500 * time.Millisecond, window: 2 * time.Second, sustain: time.Minute, paced: 30 * time.Second,
	confirms: 1_000_000, few: 1_000, waiting: 10_000, some: 1_000, burst: 1_000, plans: 20, steps: 500, sample: 10_000, decided: 10_000,
}

var quickSize = size{
	rounds: 1, clients: []int{1, 16, 128}, warm: 50 * time.Millisecond, window: 200 * time.Millisecond, sustain: 500 * time.Millisecond, paced: time.Second,
	confirms: 2_000, few: 200, waiting: 100, some: 10, burst: 50, plans: 2, steps: 100, sample: 200, decided: 200,
}
