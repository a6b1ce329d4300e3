// Package budget bounds the memory that bodies of requests take, for one principal
// and in all: it is reserved before a body is read, and given back with the answer.
package budget

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"countersign/domain"
)

// waitTimeout is how long a body may wait for its turn.
const waitTimeout = 5 * time.Second

// Budget is safe for concurrent use. It keeps a little for each principal it has
// ever seen: they are made by people.
type Budget struct {
	each, all int64
	whole     *semaphore.Weighted

	mu sync.Mutex
	of map[domain.Ref]*semaphore.Weighted
}

// New makes a budget of so many bytes for each principal and in all.
func New(each, all int64) *Budget {
	return &Budget{each: each, all: all, whole: semaphore.NewWeighted(all), of: map[domain.Ref]*semaphore.Weighted{}}
}

// Take reserves bytes until they are released, once others of the principal, and
// then of all, leave enough. Whoever waits for too long is told to come again.
func (b *Budget) Take(ctx context.Context, by domain.Ref, bytes int64) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	own := b.forPrincipal(by)
	if own.Acquire(ctx, bytes) != nil {
		return nil, refused("More than %d bytes of bodies are on their way from here at once. Send them one after the other.", b.each)
	}
	if b.whole.Acquire(ctx, bytes) != nil {
		own.Release(bytes)
		return nil, refused("The server has more than %d bytes of bodies on their way at once. Send it again.", b.all)
	}
	return func() {
		b.whole.Release(bytes)
		own.Release(bytes)
	}, nil
}

func (b *Budget) forPrincipal(by domain.Ref) *semaphore.Weighted {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, ok := b.of[by]
	if !ok {
		own = semaphore.NewWeighted(b.each)
		b.of[by] = own
	}
	return own
}

func refused(format string, args ...any) error {
	return &domain.Error{Code: domain.CodeRateLimited, RetryAfter: waitTimeout, Message: fmt.Sprintf(format, args...)}
}
