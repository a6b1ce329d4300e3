package park_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/web/park"
)

// patience bounds what must happen.
const patience = 30 * time.Second

// garage is a server that parks each request until it is woken, unless it was
// parked before, and answers then with what it knows.
type garage struct {
	t      *testing.T
	lot    *park.Lot
	server *httptest.Server
	until  func() time.Time
	places chan *park.Place // of those that were parked
	held   atomic.Int64     // what they hold

	mu    sync.Mutex
	pasts []*park.Past
}

func newGarage(t *testing.T) *garage {
	t.Helper()
	g := &garage{t: t, lot: park.NewLot(0), places: make(chan *park.Place, 1000), until: func() time.Time { return time.Now().Add(patience) }}
	g.server = httptest.NewUnstartedServer(g)
	g.lot.Join(g.server.Config)
	g.server.Start()
	var serving sync.WaitGroup
	serving.Go(func() { _ = g.server.Config.Serve(g.lot) })
	t.Cleanup(func() {
		g.drain()
		_ = g.lot.Close()
		g.server.Close()
		serving.Wait()
	})
	return g
}

func (g *garage) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	g.lot.Drain(ctx)
}

func (g *garage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	past := park.Of(r.Context())
	if past == nil && r.URL.Path != "/now" {
		place := g.lot.Place()
		request := park.Text(r)
		if request != nil && place.Take(w, r) {
			g.held.Add(1)
			past := &park.Past{Began: time.Now(), Holds: func() { g.held.Add(-1) }}
			go func() {
				place.Wait(g.until())
				place.Return(request, past)
			}()
			g.places <- place
			return
		}
	}
	if past != nil {
		g.mu.Lock()
		g.pasts = append(g.pasts, past)
		g.mu.Unlock()
	}
	_, _ = fmt.Fprintf(w, "%s %s %q parked %t", r.Method, r.RequestURI, r.Header.Get("X-Word"), past != nil) // it may have left
}

// returned are the pasts of those that came back.
func (g *garage) returned() []*park.Past {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pasts
}

// dial opens a connection and says something on it.
func (g *garage) dial(text string) (net.Conn, *bufio.Reader) {
	g.t.Helper()
	c, err := net.Dial("tcp", g.server.Listener.Addr().String())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		g.t.Fatal(err)
	}
	g.say(c, text)
	return c, bufio.NewReader(c)
}

func (g *garage) say(c net.Conn, text string) {
	g.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		g.t.Fatal(err)
	}
}

// hears reads the next answer.
func (g *garage) hears(in *bufio.Reader, want string) *http.Response {
	g.t.Helper()
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || string(body) != want {
		g.t.Errorf("answer %d %s, want %s", answer.StatusCode, body, want)
	}
	return answer
}

// empty waits until nobody is parked, and nothing is held.
func (g *garage) empty() {
	g.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(patience); g.lot.Parked() > 0 || g.held.Load() > 0; <-tick.C {
		if time.Now().After(late) {
			g.t.Fatalf("%d are parked, %d held", g.lot.Parked(), g.held.Load())
		}
	}
}

func get(path, more string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: garage\r\nX-Word: a b\r\n" + more + "\r\n"
}

// TestLot_RequestComesBack as it was, with its past, and its connection goes on
// with requests that have none.
func TestLot_RequestComesBack(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	before := time.Now()
	c, in := g.dial(get("/a?b=%20c", ""))
	(<-g.places).Wake()
	g.hears(in, `GET /a?b=%20c "a b" parked true`)
	g.empty()
	if pasts := g.returned(); len(pasts) != 1 || pasts[0].Began.Before(before) || pasts[0].Ordinary {
		t.Errorf("pasts %+v", pasts)
	}
	g.say(c, get("/now", ""))
	g.hears(in, `GET /now "a b" parked false`)
	for range 3 { // parked again and again
		g.say(c, get("/again", ""))
		(<-g.places).Wake()
		g.hears(in, `GET /again "a b" parked true`)
	}
}

func TestLot_TimeIsOver(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	g.until = func() time.Time { return time.Now().Add(time.Millisecond) }
	_, in := g.dial(get("/", ""))
	g.hears(in, `GET / "a b" parked true`)
	g.empty()
}

func TestLot_ConnectionClose(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	_, in := g.dial(get("/", "Connection: close\r\n"))
	(<-g.places).Wake()
	if answer := g.hears(in, `GET / "a b" parked true`); !answer.Close {
		t.Error("the answer does not say that it is the last")
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("the connection goes on: %v", err)
	}
}

// TestLot_NothingSentEarlyIsLost: who sends the next request before the answer
// gets both, and is not parked meanwhile.
func TestLot_NothingSentEarlyIsLost(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	both := []string{get("/one", ""), get("/now", "")}
	for _, tt := range []struct {
		name string
		send func() *bufio.Reader
	}{
		{"with the request", func() *bufio.Reader {
			_, in := g.dial(both[0] + both[1])
			<-g.places
			return in
		}},
		{"while it is parked", func() *bufio.Reader {
			c, in := g.dial(both[0])
			<-g.places
			g.say(c, both[1])
			return in
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.send()
			g.hears(in, `GET /one "a b" parked true`)
			g.hears(in, `GET /now "a b" parked false`)
			if pasts := g.returned(); !pasts[len(pasts)-1].Ordinary {
				t.Error("the request does not know that more was sent")
			}
		})
	}
}

// TestLot_NothingOfManyIsLost: what was sent early is more than the server reads
// at once, and requests that come back are longer than they were.
func TestLot_NothingOfManyIsLost(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	const requests = 100
	var all strings.Builder
	for i := range requests {
		all.WriteString(get(fmt.Sprintf("/%d", i), strings.Repeat("A:b\r\n", 20)))
	}
	_, in := g.dial(all.String() + get("/now", ""))
	for i := range requests {
		g.hears(in, fmt.Sprintf(`GET /%d "a b" parked true`, i))
	}
	g.hears(in, `GET /now "a b" parked false`)
	g.empty()
}

// TestLot_ClientLeaves: its request comes back, to be ended as any other.
func TestLot_ClientLeaves(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	c, _ := g.dial(get("/", ""))
	<-g.places
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	g.empty()
	if pasts := g.returned(); len(pasts) != 1 || !pasts[0].Ordinary {
		t.Errorf("pasts %v", pasts)
	}
}

// TestLot_StaysOrdinary: what cannot be parked is answered by its handler.
func TestLot_StaysOrdinary(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	for _, tt := range []struct{ name, request, want string }{
		{"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", `GET / "" parked false`},
		{"a body", "POST / HTTP/1.1\r\nHost: garage\r\nContent-Length: 1\r\n\r\nx", `POST / "" parked false`},
		{"long headers", get("/", "X-Long: "+strings.Repeat("x", 5000)+"\r\n"), `GET / "a b" parked false`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, in := g.dial(tt.request)
			g.hears(in, tt.want)
			g.empty()
		})
	}
	t.Run("a writer that is no connection", func(t *testing.T) {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		if w.Body.String() != `GET / "" parked false` {
			t.Errorf("answer %s", w.Body)
		}
		g.empty()
	})
}

// TestLot_DrainLosesNobody: whoever is parked is answered before the server
// stops, and nobody is parked after.
func TestLot_DrainLosesNobody(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	const n = 200
	var answers []*bufio.Reader
	for range n {
		_, in := g.dial(get("/", ""))
		answers = append(answers, in)
	}
	for range n {
		go (<-g.places).Wake()
	}
	g.drain()
	stopped := make(chan error, 1)
	go func() { stopped <- g.server.Config.Shutdown(context.WithoutCancel(t.Context())) }()
	for _, in := range answers {
		g.hears(in, `GET / "a b" parked true`)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestLot_DrainedParksNobody(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	g.drain()
	_, in := g.dial(get("/", ""))
	g.hears(in, `GET / "a b" parked false`)
}

// TestLot_DrainHasAnEnd, and who is not answered by then is cut off and holds
// nothing any more.
func TestLot_DrainHasAnEnd(t *testing.T) {
	t.Parallel()
	g := newGarage(t)
	_, in := g.dial(get("/", ""))
	place := <-g.places
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.lot.Drain(ctx)
	if g.lot.Parked() != 1 {
		t.Error("nobody is parked")
	}
	if err := g.lot.Close(); err != nil {
		t.Error(err)
	}
	place.Wake()
	if _, err := in.ReadByte(); err == nil {
		t.Error("it was answered")
	}
	g.empty()
}

// TestPlace_StreamGoesOn where the handler has left it.
func TestPlace_StreamGoesOn(t *testing.T) {
	t.Parallel()
	lot := park.NewLot(0)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.WriteString(w, "one ")
		if err := errors.Join(err, http.NewResponseController(w).Flush()); err != nil {
			t.Error(err)
		}
		place := lot.Place()
		place.Wake() // before it is parked
		if !place.Take(w, r) {
			t.Error("it was not parked")
			return
		}
		go func() {
			defer place.Close()
			for _, word := range []string{"two ", "three", ""} {
				if got := place.Wait(time.Now().Add(patience)); got != park.Woken {
					t.Errorf("event %v", got)
				}
				if err := place.Send(word, patience); err != nil {
					t.Error(err)
				}
				place.Wake()
			}
		}()
	}))
	lot.Join(server.Config)
	server.Start()
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "one two three" {
		t.Errorf("body %q, %v", text, err)
	}
}
