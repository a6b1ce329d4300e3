// Package park keeps the connections of those who wait long, at a tenth of the
// memory that a request holds in net/http: its two buffers, its context, and the
// stack on which the handler once read the database.
//
// A handler that waits for something takes a [Place] and with it the connection.
// What is left of the request runs on a goroutine that does nothing but wait for
// one byte: its deadline is the timer, and its end tells that the client left.
// An answer that has begun, a stream, goes on from there, chunk by chunk. A
// request that was not answered yet goes back: the [Lot] is a listener, from
// which the server accepts the connection as if it were new, and reads the
// request again. So it is authenticated, answered and logged as any other, and
// what only this server can tell it, when it came first and what it holds, is in
// its context ([Of]), where no client can put it.
package park

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Lot is where connections are parked, and the listener by which they come back.
// It is safe for concurrent use.
type Lot struct {
	after  time.Duration
	back   chan net.Conn
	closed chan struct{}
	close  func()
	sweep  sweeper

	mu      sync.Mutex
	parked  int           // and on the way back
	drained chan struct{} // nil until Drain, closed when nobody is parked any more
}

var _ net.Listener = (*Lot)(nil)

// NewLot makes a Lot for requests that have waited so long in the ordinary way,
// which is quicker.
func NewLot(after time.Duration) *Lot {
	l := &Lot{after: after, back: make(chan net.Conn), closed: make(chan struct{}), sweep: sweeper{free: free}}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// After is how long a request waits before it is parked.
func (l *Lot) After() time.Duration { return l.after }

// Join prepares a server, which must also serve the Lot, before it serves.
func (l *Lot) Join(s *http.Server) {
	s.ConnContext = remember
	s.Handler = l.welcome(s.Handler)
}

// Accept gives a connection whose request is to be answered now.
func (l *Lot) Accept() (net.Conn, error) {
	select {
	case c := <-l.back:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept. A connection that would come back later is closed, so Drain
// comes first.
func (l *Lot) Close() error {
	l.close()
	return nil
}

// Addr names the Lot, which has no address.
func (l *Lot) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "parked" }
func (address) String() string  { return "parked" }

// Parked is how many connections are parked, or on their way back.
func (l *Lot) Parked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked
}

// Drain parks nobody any more, and waits until all who are parked have been
// answered or are requests of the server again, or ctx ends. It wakes nobody.
func (l *Lot) Drain(ctx context.Context) {
	l.mu.Lock()
	if l.drained == nil {
		l.drained = make(chan struct{})
		if l.parked == 0 {
			close(l.drained)
		}
	}
	l.mu.Unlock()
	select {
	case <-l.drained:
	case <-ctx.Done():
	}
}

// enter counts one in, false if the server stops.
func (l *Lot) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drained != nil {
		return false
	}
	l.parked++
	l.sweep.add()
	return true
}

func (l *Lot) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parked--; l.parked == 0 && l.drained != nil {
		close(l.drained)
	}
}
