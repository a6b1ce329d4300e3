package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// memory is what a process holds, in bytes.
type memory struct{ rss, anonymous float64 }

// memoryOf reads what the kernel says a process holds. The pages of mapped
// database files are part of rss; anonymous is without any file's.
func memoryOf(pid int) (m memory, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 3 || words[2] != "kB" {
			continue
		}
		kib, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			return m, err
		}
		switch words[0] {
		case "Rss:":
			m.rss = kib * 1024
		case "Anonymous:":
			m.anonymous = kib * 1024
		}
	}
	return m, nil
}

// tick is the unit in which the kernel tells processor time.
const tick = 10 * time.Millisecond

// processorTime is what a process has used.
func processorTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(text, []byte(") ")) // the name may have spaces
	fields := bytes.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("no times of process %d", pid)
	}
	var ticks int64
	for _, field := range fields[11:13] { // of user and system
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// settle waits until a process has little more to do: ten thousand streams that
// are kept alive need some of a processor all the time.
func settle(pid int) error {
	const pause, calm = 500 * time.Millisecond, 5 * tick
	deadline := time.Now().Add(patience)
	before, err := processorTime(pid)
	for quiet := 0; err == nil && quiet < 2; {
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d does not come to rest", pid)
		}
		time.Sleep(pause)
		var now time.Duration
		if now, err = processorTime(pid); now-before > calm {
			quiet = 0
		} else {
			quiet++
		}
		before = now
	}
	return err
}

// systemReads is how often a process has asked the kernel to read.
func systemReads(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if n, found := strings.CutPrefix(line, "syscr: "); found {
			return strconv.ParseFloat(strings.TrimSpace(n), 64)
		}
	}
	return 0, fmt.Errorf("no reads of process %d", pid)
}

// machineTime is what all processors together have worked.
func machineTime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 {
		return 0, fmt.Errorf("no times in %q", first)
	}
	var ticks int64
	for i, field := range fields[1:9] {
		const idle, waiting = 3, 4
		if i == idle || i == waiting {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
