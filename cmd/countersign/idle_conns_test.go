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

	"github.com/coder/websocket"

	"countersign/domain"
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
	conn, err := p.connect(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (p *process) connect(text string) (net.Conn, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err == nil {
		_, err = io.WriteString(conn, text)
	}
	return conn, err
}

// asking is the text of a request for an address.
func asking(path, key string, more ...string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key + "\r\n" + strings.Join(more, "") + "\r\n"
}

// What waiting agents may hold, in KiB: each, and what the server opens for the first
// of them. With 5,000 it is less than 40 KiB for each.
const (
	eachWaiting  = 35
	firstWaiting = 16 << 10
)

// TestB2_WaitingAgentsTakeLittleMemory, each on a connection of its own. Little garbage
// is left lying, to measure what they hold.
func TestB2_WaitingAgentsTakeLittleMemory(t *testing.T) {
	t.Parallel()
	n := sized(1000, 5000)
	each := func(do func(i int)) {
		const workers = 16
		var working sync.WaitGroup
		for worker := range workers {
			working.Go(func() {
				for i := worker; i < n; i += workers {
					do(i)
				}
			})
		}
		working.Wait()
	}
	for kind, path := range map[string]string{"long-poll": "/api/v1/confirms/c-%d/outcome?wait=60", "sse": "/api/v1/sessions/c-%d/events"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			file := tempDB(t)
			asker, _ := furnished(t, file)
			p := spawn(t, file)
			each(func(i int) {
				status, err := asks(t.Context(), http.DefaultClient, asker, http.MethodPost, p.base+"/api/v1/confirms",
					fmt.Sprintf(`{"confirm_id":"c-%d","timeout":3600,"target_type":"other","session_id":"c-%d","actions":[{"name":"pay","args":{}}]}`, i, i), nil)
				if err != nil || status != http.StatusCreated {
					t.Errorf("post: %d %v", status, err)
				}
			})
			if err := p.conclude(t, false); err != nil {
				t.Fatal(err)
			}
			p = spawnAs(t, []string{"env", "GOGC=10", "countersign"}, file, "--metrics", "127.0.0.1:0") // whose memory holds nothing of what was posted
			p.awaitGauge(t, kind, 0)
			before := p.memory(t)
			each(func(i int) {
				conn, err := p.connect(asking(fmt.Sprintf(path, i), asker))
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(func() { _ = conn.Close() })
			})
			p.awaitGauge(t, kind, n)
			took := p.memory(t) - before
			t.Logf("%d KiB, %.1f for each of %d", took, float64(took)/float64(n), n)
			if most := firstWaiting + n*eachWaiting; took > most {
				t.Errorf("%d KiB for %d that wait, at most %d", took, n, most)
			}
		})
	}
}

// largest follows the memory of a process until stop, which gives the most it had,
// in MiB.
func (p *process) largest(t *testing.T) (stop func() int) {
	most, ended := make(chan int), make(chan struct{})
	go func() {
		kib := 0
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				kib = max(kib, p.memory(t))
			case <-ended:
				most <- kib >> 10
				return
			}
		}
	}()
	return func() int {
		close(ended)
		return <-most
	}
}

// mostMemory is what a process may take in MiB, whatever is not read or not sent to
// its end.
const mostMemory = 300

// TestB2_UnreadStreams: streams of a long session that nobody reads take little
// memory, and end.
func TestB2_UnreadStreams(t *testing.T) {
	t.Parallel()
	confirms, text := sized(100, 400), strings.Repeat("x", 250_000)
	file := tempDB(t)
	asker, _ := furnished(t, file)
	p := spawn(t, file, "--metrics", "127.0.0.1:0")
	for range confirms {
		status, err := asks(t.Context(), http.DefaultClient, asker, http.MethodPost, p.base+"/api/v1/confirms",
			`{"timeout":3600,"target_type":"other","session_id":"s","actions":[{"name":"pay","args":{"text":"`+text+`"}}]}`, nil)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("post: %d %v", status, err)
		}
	}
	largest := p.largest(t)
	const streams = 40
	for i := range streams {
		if i%2 == 0 {
			p.dial(t, asking("/api/v1/sessions/s/events", asker, "Last-Event-ID: -1\r\n"))
		} else {
			p.dial(t, asking("/api/v1/sessions/s/ws?last_event_id=-1", asker,
				"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"))
		}
	}
	p.awaitGauge(t, "sse", streams/2)
	p.awaitGauge(t, "websocket", streams/2)
	p.awaitGauge(t, "sse", 0)
	p.awaitGauge(t, "websocket", 0)
	if mib := largest(); mib > mostMemory {
		t.Errorf("the server took %d MiB", mib)
	} else {
		t.Logf("the server took %d MiB", mib)
	}
}

// TestB3_WordsIntoAStream take next to no processor time.
func TestB3_WordsIntoAStream(t *testing.T) {
	t.Parallel()
	file := tempDB(t)
	asker, _ := furnished(t, file)
	p := spawn(t, file, "--metrics", "127.0.0.1:0")
	conn := p.dial(t, asking("/api/v1/sessions/s/events", asker))
	p.awaitGauge(t, "sse", 1)
	before := p.processorTime(t)
	words := make([]byte, 64<<10)
	for range 8 << 20 / len(words) {
		if _, err := conn.Write(words); err != nil {
			break // it was closed
		}
	}
	p.awaitGauge(t, "sse", 0)
	if used := p.processorTime(t) - before; used > 500*time.Millisecond {
		t.Errorf("they took %v", used)
	}
}

// processorTime is what a process has used.
func (p *process) processorTime(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	ticks := 0
	for _, field := range strings.Fields(rest)[11:13] { // utime, stime
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// TestN10_UnfinishedBodies of one key take little memory, and keep nobody else from
// posting.
func TestN10_UnfinishedBodies(t *testing.T) {
	t.Parallel()
	file := tempDB(t)
	var greedy, other string
	opened(t, file, func(h *house) {
		greedy, _ = h.key(domain.KeyInput{Name: "greedy", Roles: []string{"planner"}})
		other, _ = h.key(domain.KeyInput{Name: "other", Roles: []string{"planner"}})
	})
	p := spawn(t, file)
	largest := p.largest(t)
	body := `{"plan_id":"%s","context_id":"c","title":"t","objective":"o","x":"` + strings.Repeat("x", 4_000_000)
	head := "POST /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + greedy + "\r\nContent-Type: application/json\r\nContent-Length: 4194304\r\n\r\n"
	const conns, read = 90, 2
	refused := make(chan bool, conns)
	for i := range conns {
		conn := p.dial(t, head)
		go func() { _, _ = fmt.Fprintf(conn, body, fmt.Sprint(i)) }() // it may be refused meanwhile
		go func() {
			line, _ := bufio.NewReader(conn).ReadString('\n')
			refused <- strings.Contains(line, " 429 ")
		}()
	}
	for i := range 5 {
		status, err := asks(t.Context(), http.DefaultClient, other, http.MethodPost, p.base+"/api/v1/plans",
			fmt.Sprintf(`{"plan_id":"p-%d","context_id":"c","title":"t","objective":"o","x":"%s","steps":[{"step_id":"s1","description":"d"}]}`, i, strings.Repeat("x", 1_000_000)), nil)
		if err != nil || status != http.StatusCreated {
			t.Errorf("another key's plan: %d %v", status, err)
		}
	}
	for range conns - read {
		if !<-refused {
			t.Error("a connection ended without saying why")
		}
	}
	if mib := largest(); mib > mostMemory {
		t.Errorf("the server took %d MiB", mib)
	} else {
		t.Logf("the server took %d MiB", mib)
	}
}

// TestServe_StopEndsStreams as they end otherwise: nobody is cut off.
func TestServe_StopEndsStreams(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := invoke(t, "key", "create", "bot", "--role", "executor", "--db", r.db)
	var streams []*http.Response
	for range 20 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/api/v1/sessions/s/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		streams = append(streams, answer)
	}
	socket, _, err := websocket.Dial(t.Context(), strings.Replace(r.base, "http", "ws", 1)+"/api/v1/sessions/s/ws",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + key}}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	closed := make(chan error, 1)
	go func() {
		_, _, err := socket.Read(t.Context())
		closed <- err
	}()
	r.stop(t)
	for _, stream := range streams {
		if text, err := io.ReadAll(stream.Body); err != nil {
			t.Errorf("a stream was cut off after %q: %v", text, err)
		}
	}
	if err := <-closed; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the socket was closed with %v", err)
	}
}
