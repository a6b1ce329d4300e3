package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// held is what a process holds. Of the memory, in KiB, what is mapped of files is
// left out: it is the cache of the machine and grows with the database.
type held struct{ memory, files, sockets, threads int }

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
		for key, field := range map[string]*int{"RssAnon": &h.memory, "Threads": &h.threads} {
			if name != key {
				continue
			}
			if *field, err = strconv.Atoi(number); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

// opensLate is how many files a server opens with its first requests: each
// reading connection opens the journal when it first reads.
const opensLate = 8

// quiet waits until a server that nobody uses any more holds no more connections
// and files than before anybody did.
func (l *longRun) quiet(idle held) (now held) {
	for late := time.Now().Add(patience); ; {
		if now = holdings(l.t, l.server); now.sockets <= idle.sockets && now.files <= idle.files+opensLate {
			return now
		}
		if time.Now().After(late) {
			l.violated("it held %+v before anybody came, and %+v after all had left", idle, now)
			return now
		}
		pass(l.t.Context(), 50*time.Millisecond)
	}
}
