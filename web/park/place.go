package park

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Place is where one connection is parked. Wake may be called by anybody at any
// time, everything else by one goroutine at a time.
type Place struct {
	lot *Lot

	mu    sync.Mutex
	conn  net.Conn // nil until it is taken
	woken bool

	early  []byte // what the client has sent behind its request
	untold bool   // early stood there from the beginning
	left   bool   // the client has
}

// Place is one that nobody has taken yet. It can be woken already, so that
// nothing is missed that happens before the connection is parked.
func (l *Lot) Place() *Place { return &Place{lot: l} }

// Take takes a request's connection from the server: its handler must have
// flushed what it answered, and return; Return, or Send and Close, end it. False:
// the connection cannot be parked, and the request waits in the ordinary way.
func (p *Place) Take(w http.ResponseWriter, r *http.Request) bool {
	if !r.ProtoAtLeast(1, 1) || r.TLS != nil || r.Body != http.NoBody || !p.lot.enter() {
		return false
	}
	hijacked, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.lot.leave()
		return false
	}
	early, _ := buffered.Peek(buffered.Reader.Buffered()) // as much is there
	p.early = bytes.Clone(early)
	if again, ok := hijacked.(*conn); ok {
		p.early = append(p.early, again.unread...) // more than the server read at once
		hijacked = again.Conn
	}
	p.untold = len(p.early) > 0
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn = hijacked
	return true
}

// passed is a deadline that ends a Read at once.
var passed = time.Unix(1, 0)

// Wake ends Wait, or the next one. It does not block.
func (p *Place) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.woken = true
	if p.conn != nil {
		_ = p.conn.SetReadDeadline(passed) // one that is closed ends its Read by itself
	}
}

// Event is why Wait ended.
type Event int

// The events.
const (
	Woken Event = iota // by Wake
	Over               // the time is
	Sent               // the client has sent more; the next Wait forgets it
	Left               // the client has
)

// Wait waits for the next event, until a time at the most.
func (p *Place) Wait(until time.Time) Event {
	if p.untold {
		p.untold = false
		return Sent
	}
	p.early = nil
	if p.roused(until) {
		return Woken
	}
	var b [1]byte
	n, err := p.conn.Read(b[:])
	switch {
	case n > 0:
		p.early = b[:]
		return Sent
	case !errors.Is(err, os.ErrDeadlineExceeded):
		p.left = true
		return Left
	case p.roused(time.Time{}):
		return Woken
	}
	return Over
}

// roused says whether somebody woke the place since it was last asked; if not, it
// sets the deadline of the next Read.
func (p *Place) roused(until time.Time) (woken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	woken, p.woken = p.woken, false
	if !woken {
		_ = p.conn.SetReadDeadline(until) // Read tells of one that is closed
	}
	return woken
}

// Return lets the server read the request again, as Text gave it, and answer it.
// Past is what it is to know then.
func (p *Place) Return(request []byte, past *Past) {
	_ = p.conn.SetReadDeadline(time.Time{}) // Read tells of one that is closed
	past.Ordinary = p.left || len(p.early) > 0
	c := &conn{Conn: p.conn, lot: p.lot, unread: append(request, p.early...)}
	c.past.Store(past)
	select {
	case p.lot.back <- c:
	case <-p.lot.closed:
		_ = c.Close() // Drain was given no time
	}
}

// Send sends a chunk of an answer that began chunked, if the client accepts it
// within a time. An empty one is the last.
func (p *Place) Send(text string, within time.Duration) error {
	if err := p.conn.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.conn, "%x\r\n%s\r\n", len(text), text)
	return err
}

// Close closes the connection.
func (p *Place) Close() {
	_ = p.conn.Close() // nothing is lost with it
	p.lot.leave()
}
