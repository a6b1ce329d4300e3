package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// memory is what a process has in memory, in KiB.
func (p *process) memory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if number, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(number), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return kib
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// awaitGauge waits until a server with metrics says so many wait in a way.
func (p *process) awaitGauge(t *testing.T, kind string, n int) {
	t.Helper()
	address := "http://" + p.stderr.await(t, 1, metricsServed.String())[1] + "/metrics"
	gauge := regexp.MustCompile(fmt.Sprintf(`(?m)^countersign_waits\{kind=%q\} (\d+)$`, kind))
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		_, text, err := fetches(t.Context(), http.DefaultClient, "", http.MethodGet, address, "")
		if err != nil {
			t.Fatal(err)
		}
		found := gauge.FindSubmatch(text)
		if found != nil && string(found[1]) == strconv.Itoa(n) {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%s of %s wait, want %d", found, kind, n)
		}
	}
}

// dial opens a connection to a server and sends a text on it.
func (p *process) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// asking is the text of a request for an address.
func asking(path, key string, more ...string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key + "\r\n" + strings.Join(more, "") + "\r\n"
}

// TestB2_WaitingAgentsTakeLittleMemory, each on a connection of its own.
func TestB2_WaitingAgentsTakeLittleMemory(t *testing.T) {
	const most = 40 // KiB for each
	n := sized(1000, 5000)
	for kind, path := range map[string]func(id string) string{
		"long-poll": func(id string) string { return "/api/v1/confirms/" + id + "/outcome?wait=60" },
		"sse":       func(id string) string { return "/api/v1/sessions/" + id + "/events" },
	} {
		t.Run(kind, func(t *testing.T) {
			file := tempDB(t)
			asker, _ := furnished(t, file)
			p := spawn(t, file, "--metrics", "127.0.0.1:0")
			var posting sync.WaitGroup
			const clients = 16
			for worker := range clients {
				posting.Go(func() {
					for i := worker; i < n; i += clients {
						status, err := asks(t.Context(), http.DefaultClient, asker, http.MethodPost, p.base+"/api/v1/confirms",
							fmt.Sprintf(`{"confirm_id":"c-%d","timeout":3600,"target_type":"other","session_id":"c-%d","actions":[{"name":"pay","args":{}}]}`, i, i), nil)
						if err != nil || status != http.StatusCreated {
							t.Errorf("post: %d %v", status, err)
						}
					}
				})
			}
			posting.Wait()
			p.signal(t, os.Interrupt)
			p = spawn(t, file, "--metrics", "127.0.0.1:0") // whose memory holds nothing of what was posted
			p.awaitGauge(t, kind, 0)
			before := p.memory(t)
			for i := range n {
				conn := p.dial(t, asking(path(fmt.Sprint("c-", i)), asker))
				if kind == "sse" {
					if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				}
			}
			p.awaitGauge(t, kind, n)
			each := float64(p.memory(t)-before) / float64(n)
			t.Logf("%s: %.1f KiB for each of %d", kind, each, n)
			if each > most {
				t.Errorf("%.1f KiB for each that waits, at most %d", each, most)
			}
		})
	}
}
