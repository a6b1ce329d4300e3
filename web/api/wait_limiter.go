package api

import (
	"sync"

	"countersign/domain"
)

// How a caller waits.
const (
	kindLongPoll  = "long-poll"
	kindSSE       = "sse"
	kindWebSocket = "websocket"
)

// waitLimiter counts who waits and who listens: each holds a connection and memory,
// so there is an end to them, for one key and for the server.
type waitLimiter struct {
	limits  func() domain.Limits
	changed func(kind string, by int)

	mu  sync.Mutex
	all int
	of  map[domain.Ref]int
}

func newWaitLimiter(limits func() domain.Limits, changed func(string, int)) *waitLimiter {
	if changed == nil {
		changed = func(string, int) {}
	}
	return &waitLimiter{limits: limits, changed: changed, of: map[domain.Ref]int{}}
}

// begin takes a place, which end gives back. It is called once.
func (w *waitLimiter) begin(by domain.Ref, kind string) (end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.of[by] >= w.limits().Waits:
		return nil, &domain.Error{Code: domain.CodeRateLimited, Message: "This key has too many waits and streams open. Close some and try again."}
	case w.all >= w.limits().AllWaits:
		return nil, &domain.Error{Code: domain.CodeRateLimited, Message: "The server has too many waits and streams open. Try again later."}
	}
	w.all++
	w.of[by]++
	w.changed(kind, 1)
	return func() { w.end(by, kind) }, nil
}

func (w *waitLimiter) end(by domain.Ref, kind string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.of[by]--; w.of[by] == 0 {
		delete(w.of, by)
	}
	w.changed(kind, -1)
}
