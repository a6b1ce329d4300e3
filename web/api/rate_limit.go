package api

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"countersign/domain"
)

// rateLimiter bounds how fast a key may post and change objects, so that no agent floods
// the log and every reviewer. It is not kept over a restart: there is a limit to what
// may be pending too. One bucket per key ever seen is little memory, for keys are made
// by people.
type rateLimiter struct {
	limits func() domain.Limits
	now    func() time.Time

	mu      sync.Mutex
	buckets map[domain.Ref]*rate.Limiter
}

func newRateLimiter(limits func() domain.Limits, now func() time.Time) *rateLimiter {
	return &rateLimiter{limits: limits, now: now, buckets: map[domain.Ref]*rate.Limiter{}}
}

// take takes what one object costs from a key's bucket, or says when there will
// be enough in it.
func (c *rateLimiter) take(by domain.Ref) error {
	now, limits := c.now(), c.limits()
	r := c.bucket(by).ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	r.CancelAt(now)
	return &domain.Error{Code: domain.CodeRateLimited, RetryAfter: time.Duration(math.Ceil(wait.Seconds())) * time.Second,
		Message: fmt.Sprintf("This key may create or change %d objects a second, and %d at once. Wait and try again.", limits.Creates, limits.Burst)}
}

func (c *rateLimiter) bucket(by domain.Ref) *rate.Limiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	bucket, ok := c.buckets[by]
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(c.limits().Creates), c.limits().Burst)
		c.buckets[by] = bucket
	}
	return bucket
}

// rateLimited is a handler that posts or changes an object. What is refused is not
// even read.
func (a *api) rateLimited(h handler) handler {
	return func(c echo.Context, by domain.Ref) error {
		if err := a.createRate.take(by); err != nil {
			return err
		}
		return h(c, by)
	}
}
