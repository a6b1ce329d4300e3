package main

import (
	"net"
	"net/http"
	"sync"
)

// idleConns are the connections that have not sent a request yet. Browsers open
// some ahead of need. Shutdown would wait five seconds for each and drop what
// they send then. They are closed at once instead.
type idleConns struct {
	mu       sync.Mutex
	conns    map[net.Conn]struct{}
	stopping bool
}

// watch follows the connections of a server, and closes the idle ones when it
// stops.
func (s *idleConns) watch(server *http.Server) {
	s.conns = map[net.Conn]struct{}{}
	server.ConnState = s.state
	server.RegisterOnShutdown(s.close)
}

func (s *idleConns) state(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.stopping: // accepted while the listener closed
		_ = c.Close()
	default:
		s.conns[c] = struct{}{}
	}
}

func (s *idleConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	for c := range s.conns {
		_ = c.Close() // nobody waits for an answer
	}
}
