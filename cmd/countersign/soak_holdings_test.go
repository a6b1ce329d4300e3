package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// held is what a process holds. Of the memory, in KiB, what is mapped of files is
// left out: it is the cache of the machine and grows with the database.
type held struct{ memory, files, sockets, goroutines int }

func holdings(t *testing.T, p *process) (h held) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	files, err := os.ReadDir(dir + "fd")
	if err != nil {
		t.Fatal(err)
	}
	h.files = len(files)
	for _, file := range files {
		target, err := os.Readlink(dir + "fd/" + file.Name())
		if err == nil && strings.HasPrefix(target, "socket:") { // else it was closed meanwhile
			h.sockets++
		}
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		if name == "RssAnon" {
			if h.memory, err = strconv.Atoi(number); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.goroutines = goroutines(t, p)
	return h
}

var (
	metricsServed   = regexp.MustCompile(`"msg":"metrics are served","address":"([^"]+)"`)
	goroutinesGauge = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)
)

// goroutines asks a server with metrics, on a connection that is not kept.
func goroutines(t *testing.T, p *process) int {
	t.Helper()
	address := p.stderr.await(t, 1, metricsServed.String())[1]
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	status, text, err := fetches(t.Context(), client, "", http.MethodGet, "http://"+address+"/metrics", "")
	found := goroutinesGauge.FindSubmatch(text)
	if err != nil || found == nil {
		t.Fatalf("no goroutines in the metrics: status %d %v", status, err)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// startsLate is how many files and goroutines a server adds with its first
// requests: each reading connection opens the journal when it first reads. It is
// far below what so many agents would leave behind.
const startsLate = 8

// quiet waits until a server that nobody uses any more holds no more connections,
// goroutines and files than before anybody did.
func (l *longRun) quiet(idle held) (now held) {
	for late := time.Now().Add(patience); ; {
		if now = holdings(l.t, l.server); now.sockets <= idle.sockets && now.goroutines <= idle.goroutines+startsLate && now.files <= idle.files+startsLate {
			return now
		}
		if time.Now().After(late) {
			l.violated("it held %+v before anybody came, and %+v after all had left", idle, now)
			return now
		}
		pass(l.t.Context(), 50*time.Millisecond)
	}
}
