package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"countersign/domain"
)

// badReceivers are destinations of which one hangs, one answers a gigabyte, and the
// others refuse connections, until they recover.
type badReceivers struct {
	*hook
	servers                  []*httptest.Server
	refusing                 []*closedPort
	isGood                   atomic.Bool // hanging and talkative ones have recovered
	hung, hangUps, gigabytes atomic.Int64
	isHanging, hasTalked     chan struct{} // each gets one for the first attempt
}

// refusers refuse connections at first. Every second one recovers.
const refusers = 10

func newBadReceivers(t *testing.T) *badReceivers {
	t.Helper()
	w := &badReceivers{hook: newHook(t), isHanging: make(chan struct{}, 1), hasTalked: make(chan struct{}, 1)}
	for _, answer := range []http.HandlerFunc{w.hang, w.talk} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if w.isGood.Load() {
				w.Config.Handler.ServeHTTP(rw, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body) // the end of the connection is only seen after it
			answer(rw, r)
		}))
		t.Cleanup(s.Close)
		w.servers = append(w.servers, s)
	}
	for range refusers {
		w.refusing = append(w.refusing, newClosedPort(t))
	}
	return w
}

// hang answers nothing until the sender gives up.
func (w *badReceivers) hang(_ http.ResponseWriter, r *http.Request) {
	w.hung.Add(1)
	signalOnce(w.isHanging)
	<-r.Context().Done()
	w.hangUps.Add(1)
}

// talk answers a gigabyte, or as much of it as is read.
func (w *badReceivers) talk(rw http.ResponseWriter, _ *http.Request) {
	block := make([]byte, 1<<20)
	for range 1 << 10 {
		if _, err := rw.Write(block); err != nil {
			signalOnce(w.hasTalked)
			return
		}
	}
	w.gigabytes.Add(1)
	signalOnce(w.hasTalked)
}

func signalOnce(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// ports are those that may be sent to.
func (w *badReceivers) ports() (list []uint16) {
	for _, s := range w.servers {
		list = append(list, s.Listener.Addr().(*net.TCPAddr).AddrPort().Port())
	}
	for _, p := range w.refusing {
		list = append(list, p.port)
	}
	return list
}

// closedPort is a port of 127.0.0.1 that refuses connections, and that nobody else gets.
type closedPort struct {
	fd   int
	port uint16
}

func newClosedPort(t *testing.T) *closedPort {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return &closedPort{fd, uint16(bound.(*syscall.SockaddrInet4).Port)}
}

// open has a handler answer at the port.
func (p *closedPort) open(t *testing.T, handler http.Handler) {
	t.Helper()
	if err := syscall.Listen(p.fd, 64); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(p.fd)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "port")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(handler)
	_ = s.Listener.Close() // nobody has connected to it
	s.Listener = listener
	s.StartTLS()
	t.Cleanup(s.Close)
}

// recover has all answer that ever do.
func (w *badReceivers) recover(t *testing.T) {
	w.isGood.Store(true)
	for i := 0; i < refusers; i += 2 {
		w.refusing[i].open(t, w.Config.Handler)
	}
}

// addTo adds them all as destinations. The name of one that never recovers says so.
func (w *badReceivers) addTo(t *testing.T, file string) {
	t.Helper()
	opened(t, file, func(house *house) {
		svc := domain.NewService(house.db, domain.Config{CheckAddress: w.sender(w.ports()...).CheckURL, Hasher: cheap()})
		for i, port := range w.ports() {
			name := fmt.Sprint("receiver-", i)
			if i >= len(w.servers) && (i-len(w.servers))%2 == 1 {
				name = "never-" + name
			}
			if _, _, err := svc.CreateDestination(t.Context(), domain.System, domain.DestinationInput{Name: name, Format: domain.FormatStandard,
				Address: fmt.Sprintf("https://127.0.0.1:%d/hook", port), Types: []string{"confirm.requested", "confirm.approved"}, Details: domain.DetailsNames}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestT59_BadReceivers: while one destination hangs, one answers a gigabyte and ten
// refuse connections, agents are answered and nothing grows without bound. Afterwards
// everything is sent, or dead where nobody ever answers.
func TestT59_BadReceivers(t *testing.T) {
	t.Parallel()
	b, requests := newBar(t, "T59", 20, 1_000)
	w := newBadReceivers(t)
	file := tempDB(t)
	asker, decider := furnished(t, file)
	w.addTo(t, file)
	p := w.serve(t, file, w.ports()...)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	decided := 0
	decide := func() {
		var asked receipt
		status, err := asks(t.Context(), client, asker, http.MethodPost, p.base+"/api/v1/confirms", fmt.Sprintf(`{"target_type":"other","actions":[{"name":"pay","args":{"n":%d}}]}`, decided), &asked)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("posting: %d, %v", status, err)
		}
		if status, err = asks(t.Context(), client, asker, http.MethodGet, p.base+"/api/v1/confirms/"+asked.ConfirmID+"/outcome", "", &asked); err != nil || status != http.StatusOK {
			t.Fatalf("reading: %d, %v", status, err)
		}
		status, err = asks(t.Context(), client, decider, http.MethodPost, p.base+"/api/v1/confirms/"+asked.ConfirmID+"/decisions", fmt.Sprintf(`{"status":"approved","content_hash":%q}`, asked.ContentHash), nil)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("deciding: %d, %v", status, err)
		}
		decided++
		b.n.Add(1)
	}
	decide()
	for _, reached := range []chan struct{}{w.isHanging, w.hasTalked} {
		select {
		case <-reached:
		case <-time.After(patience):
			t.Fatalf("a destination was not told:\n%s", p.stderr)
		}
	}
	before := w.hangUps.Load()
	for range requests {
		decide()
	}
	// If they waited for attempts, at least one would have ended for each of them.
	if ended := w.hangUps.Load() - before; ended >= int64(requests) {
		b.violated("%d attempts ended while %d requests were decided", ended, requests)
	}
	if n := w.gigabytes.Load(); n > 0 {
		b.violated("a gigabyte was read %d times", n)
	}
	most := peak(t, p.cmd.Process.Pid)
	if most > 300_000 {
		b.violated("the process had %d kB in memory", most)
	}
	b.figure("peak_kB", most)
	b.figure("hung", w.hung.Load())
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	w.recover(t)
	opened(t, file, func(house *house) { w.recovered(b, house, 2*decided) })
}

// recovered sends what waits while the clock moves on, and counts what became of it.
func (w *badReceivers) recovered(b *bar, house *house, entries int) {
	t := b.t
	now := time.Now()
	svc := domain.NewService(house.db, domain.Config{Now: func() time.Time { return now }, Hasher: cheap()})
	sender := w.sender(w.ports()...)
	waiting := func() (n int) {
		list, err := svc.Destinations(t.Context(), domain.System)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			n += d.Waiting
		}
		return n
	}
	for began := now; ; now = now.Add(time.Hour) {
		deliverAll(t, svc, sender)
		if waiting() == 0 {
			break
		}
		if now.Sub(began) > domain.MaxFailingTime+2*time.Hour {
			t.Fatalf("%d deliveries still wait", waiting())
		}
	}
	list, err := svc.Destinations(t.Context(), domain.System)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, d := range list {
		states := w.count(t, svc, d.ID)
		if states[domain.DeliverySent]+states[domain.DeliveryDead] != entries {
			b.violated("%s: %v, want %d in all", d.Name, states, entries)
		}
		want, status := entries, domain.DestinationEnabled
		if strings.HasPrefix(d.Name, "never") {
			want, status = 0, domain.DestinationFailing
		}
		if states[domain.DeliverySent] != want || d.Status != status {
			b.violated("%s is %s with %v, want %s with %d sent", d.Name, d.Status, states, status, want)
		}
		sent += states[domain.DeliverySent]
	}
	b.figure("sent", sent)
	w.mu.Lock()
	defer w.mu.Unlock()
	if good := len(w.ids); good == 0 || good > sent {
		b.violated("%d messages arrived, %d were sent", good, sent)
	}
}

// count returns how many deliveries of a destination are in each state.
func (w *badReceivers) count(t *testing.T, svc *domain.Service, id string) map[domain.DeliveryState]int {
	t.Helper()
	states, page := map[domain.DeliveryState]int{}, domain.Page{}
	for {
		rows, next, err := svc.DeliveryRows(t.Context(), domain.System, domain.DeliveryFilter{DestinationID: id}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			states[row.State]++
		}
		if next == "" {
			return states
		}
		page.Cursor = next
	}
}
