package load

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// holdTime is the longest that connections are held.
const holdTime = 10 * time.Minute

// hold opens a connection for each request and leaves it waiting until released
// returns. A long poll that ends undecided is asked anew.
func (j *Job) hold(ctx context.Context, released func() error) (*Result, error) {
	j.Window = holdTime
	until := j.until()
	conns := make([]*conn, len(j.Requests))
	var broken atomic.Pointer[error]
	var leaving atomic.Bool
	var running sync.WaitGroup
	err := crowd(ctx, readers, func(ctx context.Context, i int) error {
		for ; i < len(conns); i += readers {
			c, err := dial(ctx, j.Address, until, smallBuffer)
			if err != nil {
				return err
			}
			conns[i] = c
			request := j.Requests[i]
			if err := c.send(request); err != nil {
				return err
			}
			running.Go(func() {
				if err := c.wait(request); err != nil && !leaving.Load() {
					broken.CompareAndSwap(nil, &err)
				}
			})
		}
		return nil
	})
	if err == nil {
		err = released()
	}
	leaving.Store(true)
	for _, c := range conns {
		if c != nil {
			c.close()
		}
	}
	running.Wait()
	if first := broken.Load(); err == nil && first != nil {
		err = fmt.Errorf("a waiting connection ended: %w", *first)
	}
	return &Result{Done: len(conns)}, err
}

// wait reads what comes; a stream never ends.
func (c *conn) wait(request []byte) error {
	for {
		h, err := c.head()
		if err != nil {
			return err
		}
		if h.status != http.StatusOK {
			return fmt.Errorf("status %d", h.status)
		}
		if h.chunked {
			_, err := io.Copy(io.Discard, c.in)
			return cmp.Or(err, io.ErrUnexpectedEOF)
		}
		if _, err := c.in.Discard(h.length); err != nil {
			return err
		}
		if err := c.send(request); err != nil {
			return err
		}
	}
}
