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
	// maxBufferedLog bounds the buffer, in bytes: some thousand lines. As much
	// again may be in the write that is under way.
	maxBufferedLog = 1 << 20
	// atomicWrite is how many bytes a pipe takes at once (PIPE_BUF). Other writers'
	// lines come before or after them, never in between.
	atomicWrite = 4096
	// closeTimeout bounds how long Close waits while the last lines are written.
	closeTimeout = 500 * time.Millisecond
)

// logBuffer keeps a slow reader of the log from blocking the server. A full pipe
// or a stopped terminal would hold up every request, and the writer of the
// database with it. Lines wait in memory instead. Lines that do not fit, or
// cannot be written, are dropped and counted. The log reports the count when it
// goes on.
type logBuffer struct {
	w        io.Writer
	limit    int
	mu       sync.Mutex
	pending  []byte        // whole lines
	wake     chan struct{} // there are pending lines
	lost     atomic.Int64  // lines
	reported int64         // of the lost lines
	stop     chan struct{}
	ended    chan struct{}
}

func newLogBuffer(w io.Writer, limit int) *logBuffer {
	b := &logBuffer{w: w, limit: limit, wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	go b.run()
	return b
}

// Write buffers lines and never fails. After Close it writes them directly.
func (b *logBuffer) Write(lines []byte) (int, error) {
	select {
	case <-b.ended:
		return b.w.Write(lines)
	default:
	}
	b.mu.Lock()
	if len(b.pending)+len(lines) > b.limit {
		b.lost.Add(1)
	} else {
		b.pending = append(b.pending, lines...)
	}
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return len(lines), nil
}

// Close waits until everything is written, at most closeTimeout.
func (b *logBuffer) Close() {
	close(b.stop)
	select {
	case <-b.ended:
	case <-time.After(closeTimeout):
	}
}

func (b *logBuffer) run() {
	defer close(b.ended)
	var spare []byte
	for stopped := false; !stopped; {
		select {
		case <-b.wake:
		case <-b.stop:
			stopped = true
		}
		b.mu.Lock()
		lines := b.pending
		b.pending = spare[:0]
		b.mu.Unlock()
		b.write(lines)
		spare = lines
	}
}

// write writes lines in pieces that a pipe takes at once. Then it reports how
// many lines were lost.
func (b *logBuffer) write(lines []byte) {
	for len(lines) > 0 {
		n := wholeLines(lines)
		if _, err := b.w.Write(lines[:n]); err != nil {
			b.lost.Add(int64(bytes.Count(lines[:n], newline)))
		}
		lines = lines[n:]
	}
	lost := b.lost.Load()
	if lost == b.reported {
		return
	}
	record := slog.NewRecord(time.Now(), slog.LevelWarn, "log lines were lost: they could not be written, or were not read in time", 0)
	record.Add("lines", lost-b.reported)
	if slog.NewJSONHandler(b.w, nil).Handle(context.Background(), record) == nil {
		b.reported = lost
	}
}

var newline = []byte("\n")

// wholeLines returns the length of the lines that are written at once: as many as
// fit, and at least one.
func wholeLines(lines []byte) int {
	if len(lines) <= atomicWrite {
		return len(lines)
	}
	if n := bytes.LastIndex(lines[:atomicWrite], newline); n >= 0 {
		return n + 1
	}
	return bytes.Index(lines, newline) + 1
}
