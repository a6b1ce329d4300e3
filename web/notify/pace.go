package notify

import (
	"context"
	"sync"

	"golang.org/x/time/rate"
)

const (
	// maxPerSecond is how many messages a destination gets in a second at most, so that a
	// flood of requests does not reach those whom it is sent to.
	maxPerSecond = 50
	maxBurst     = 10
)

// pace spaces the messages to each destination.
type pace struct {
	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by the destination's id; there are few
}

// wait waits until the destination may get the next message, or ctx ends.
func (p *pace) wait(ctx context.Context, destinationID string) error {
	p.mu.Lock()
	limiter := p.limiters[destinationID]
	if limiter == nil {
		limiter = rate.NewLimiter(maxPerSecond, maxBurst)
		p.limiters[destinationID] = limiter
	}
	p.mu.Unlock()
	return limiter.Wait(ctx)
}
