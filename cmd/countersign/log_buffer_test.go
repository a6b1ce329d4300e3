package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// A log that nobody reads holds nobody up, and when it is read it has what was
// logged meanwhile.
func TestServe_GoesOnWhileNobodyReadsItsLog(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "a.db")
	log, stderr := io.Pipe()
	defer log.Close()
	stdout, code := newTranscript(), make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		code <- run(ctx, []string{"serve", "--db", db, "--listen", "127.0.0.1:0"}, noEnvironment, strings.NewReader(""), stdout, stderr)
		_ = stderr.Close()
	}()
	base := stdout.await(t, 1, listening.String())[1]
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", db)
	const requests = 20
	for range requests {
		if status, body := get(t, base+"/api/v1/confirms", key); status != http.StatusOK {
			t.Fatalf("status %d: %s", status, body)
		}
	}
	read := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(log)
		read <- string(text)
	}()
	stop()
	if got := <-code; got != exitDone {
		t.Errorf("exit code %d", got)
	}
	text := <-read
	if got := strings.Count(text, `"msg":"request"`); got != requests {
		t.Errorf("%d requests were logged, want %d:\n%s", got, requests, text)
	}
	for line := range strings.Lines(text) {
		checkLogLine(t, strings.TrimSuffix(line, "\n"))
	}
	if !strings.HasSuffix(text, "\"the server has stopped\"}\n") {
		t.Errorf("the log lacks its end:\n%s", text)
	}
}

// What finds no room is lost, and the log says how much when it is read again.
func TestBacklog_CountsWhatItLoses(t *testing.T) {
	t.Parallel()
	const bound, lines = 100, 1000
	log, w := io.Pipe()
	b := newLogBuffer(w, bound)
	for i := range lines {
		fmt.Fprintf(b, "{\"n\":%d}\n", i)
	}
	lost := b.lost.Load()
	go func() {
		b.Close()
		_ = w.Close()
	}()
	kept, said, last := int64(0), int64(0), -1
	for s := bufio.NewScanner(log); s.Scan(); {
		var line struct {
			N     *int
			Lines int64
			Level string
		}
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		switch {
		case line.N == nil && line.Level == "WARN":
			said += line.Lines
		case line.N == nil || *line.N <= last:
			t.Errorf("%s after line %d", s.Text(), last)
		default:
			kept, last = kept+1, *line.N
		}
	}
	if kept == 0 || kept > 2*bound/int64(len("{\"n\":0}\n")) {
		t.Errorf("%d lines were kept", kept)
	}
	if said != lost || kept+lost != lines {
		t.Errorf("%d lines were kept and %d lost, of %d; the log says %d", kept, lost, lines, said)
	}
}

// What cannot be written is lost too.
func TestBacklog_CountsWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := &fullDisk{full: true}
	b := newLogBuffer(full, maxBufferedLog)
	b.write([]byte("one\ntwo\n"))
	full.full = false
	b.write([]byte("three\n"))
	b.Close()
	text := full.String()
	if !strings.HasPrefix(text, "three\n{") || !strings.Contains(text, `"lines":2}`) || strings.Count(text, "\n") != 2 {
		t.Errorf("the log is %q", text)
	}
}

// Lines are written together as far as a pipe takes them at once, and never in
// parts.
func TestBacklog_WritesWholeLines(t *testing.T) {
	t.Parallel()
	line := func(n int) string { return strings.Repeat("a", n-1) + "\n" }
	for _, tt := range []struct {
		name  string
		lines []string
		want  []int // bytes of each write
	}{
		{"one", []string{line(10)}, []int{10}},
		{"what fits", []string{line(1000), line(1000), line(2096)}, []int{4096}},
		{"what does not", []string{line(1000), line(3000), line(97)}, []int{4000, 97}},
		{"a long one", []string{line(5000), line(10)}, []int{5000, 10}},
		{"a long one behind another", []string{line(10), line(5000), line(10), line(10)}, []int{10, 5000, 20}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got sizes
			new(logBuffer{w: &got}).write([]byte(strings.Join(tt.lines, "")))
			if diff := cmp.Diff(tt.want, []int(got)); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// sizes are those of what was written.
type sizes []int

func (s *sizes) Write(p []byte) (int, error) {
	*s = append(*s, len(p))
	return len(p), nil
}

// fullDisk takes nothing while it is full.
type fullDisk struct {
	bytes.Buffer
	full bool
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.full {
		return 0, errors.New("no space left on device")
	}
	return d.Buffer.Write(p)
}

// The end is not put off by a reader who does not read; one who has read all
// gets what is said later.
func TestBacklog_Ends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, w := io.Pipe()
		b := newLogBuffer(w, maxBufferedLog)
		fmt.Fprintln(b, "one")
		b.Close()
		fmt.Fprintln(b, "two")
		_ = log.Close()
	})
	var log bytes.Buffer
	b := newLogBuffer(&log, maxBufferedLog)
	fmt.Fprintln(b, "one")
	b.Close()
	fmt.Fprintln(b, "two")
	if diff := cmp.Diff("one\ntwo\n", log.String()); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}
