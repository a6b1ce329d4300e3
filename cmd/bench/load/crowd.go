package load

import (
	"context"
	"errors"
	"sync"
)

// crowd runs n clients at the same time. The first that fails stops all.
func crowd(ctx context.Context, n int, client func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			if err := client(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	running.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}
