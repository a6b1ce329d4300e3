package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBacklog is how much of the log waits for its reader at most, in bytes: some
	// thousand lines. As much again may be on its way.
	maxBacklog = 1 << 20
	// atomicWrite is how many bytes a pipe takes at once (PIPE_BUF): what others write into
	// it comes before or after, but not in between.
	atomicWrite = 4096
	// lastWords is how long the reader gets at the end, to take what is left.
	lastWords = 500 * time.Millisecond
)

// backlog has nobody who logs wait for who reads the log: a pipe that is full and
// a terminal that was stopped would hold every request up, and the writer of the
// database with it. Lines wait in memory instead. Those for which there is no
// room are lost and counted, as are those that cannot be written, and the log
// says so when it goes on.
type backlog struct {
	w       io.Writer
	bound   int
	mu      sync.Mutex
	waiting []byte        // whole lines
	more    chan struct{} // there are
	lost    atomic.Int64  // lines, of which the log has said
	told    int64         // so many
	stop    chan struct{}
	ended   chan struct{}
}

func newBacklog(w io.Writer, bound int) *backlog {
	b := &backlog{w: w, bound: bound, more: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	go b.run()
	return b
}

// Write takes lines, and never fails. After Close it waits for the reader, who
// has kept up.
func (b *backlog) Write(lines []byte) (int, error) {
	select {
	case <-b.ended:
		return b.w.Write(lines)
	default:
	}
	b.mu.Lock()
	if len(b.waiting)+len(lines) > b.bound {
		b.lost.Add(1)
	} else {
		b.waiting = append(b.waiting, lines...)
	}
	b.mu.Unlock()
	select {
	case b.more <- struct{}{}:
	default:
	}
	return len(lines), nil
}

// Close waits until all is written, but not for a reader who does not read.
func (b *backlog) Close() {
	close(b.stop)
	select {
	case <-b.ended:
	case <-time.After(lastWords):
	}
}

func (b *backlog) run() {
	defer close(b.ended)
	var spare []byte
	for stopped := false; !stopped; {
		select {
		case <-b.more:
		case <-b.stop:
			stopped = true
		}
		b.mu.Lock()
		lines := b.waiting
		b.waiting = spare[:0]
		b.mu.Unlock()
		b.write(lines)
		spare = lines
	}
}

// write writes lines, as many at once as those who share a pipe with others may,
// and then says how many were lost.
func (b *backlog) write(lines []byte) {
	for len(lines) > 0 {
		n := whole(lines)
		if _, err := b.w.Write(lines[:n]); err != nil {
			b.lost.Add(int64(bytes.Count(lines[:n], newline)))
		}
		lines = lines[n:]
	}
	lost := b.lost.Load()
	if lost == b.told {
		return
	}
	record := slog.NewRecord(time.Now(), slog.LevelWarn, "lines of the log were lost: they could not be written, or were not read in time", 0)
	record.Add("lines", lost-b.told)
	if slog.NewJSONHandler(b.w, nil).Handle(context.Background(), record) == nil {
		b.told = lost
	}
}

var newline = []byte("\n")

// whole is the length of the lines that are written at once: those that fit, at
// least one.
func whole(lines []byte) int {
	if len(lines) <= atomicWrite {
		return len(lines)
	}
	if n := bytes.LastIndex(lines[:atomicWrite], newline); n >= 0 {
		return n + 1
	}
	return bytes.Index(lines, newline) + 1
}
