package main

import (
	"net"
	"net/http"
	"sync"
)

// silent are the connections that have not sent a request yet, such as those
// that browsers open ahead of need. A server that stops would wait five seconds
// for each, and drop what they send then: they are closed at once instead.
type silent struct {
	mu       sync.Mutex
	conns    map[net.Conn]struct{}
	stopping bool
}

// watch makes a server tell of its connections, and close the silent ones when
// it stops.
func (s *silent) watch(server *http.Server) {
	s.conns = map[net.Conn]struct{}{}
	server.ConnState = s.state
	server.RegisterOnShutdown(s.close)
}

func (s *silent) state(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.stopping: // it was accepted while the listener closed
		_ = c.Close()
	default:
		s.conns[c] = struct{}{}
	}
}

func (s *silent) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	for c := range s.conns {
		_ = c.Close() // nobody waits for an answer
	}
}
