package load

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// Sizes of a connection's buffer: the small one for connections that only wait.
const (
	largeBuffer = 16 << 10
	smallBuffer = 1 << 10
)

// loop is what one client of a Repeat saw.
type loop struct {
	done     int
	samples  []time.Duration
	confirms []confirm
	bytes    int
	etag     string
}

// repeat sends the requests in a closed loop.
func (j *Job) repeat(ctx context.Context) (*Result, error) {
	loops := make([]loop, j.Clients)
	conns := make([]*conn, j.Clients)
	until := j.until()
	for i := range conns {
		var err error
		if conns[i], err = dial(ctx, j.Address, until, largeBuffer); err != nil {
			return nil, err
		}
		defer conns[i].close()
	}
	w, began := j.window(), time.Now()
	var turns atomic.Int64
	err := crowd(ctx, j.Clients, func(ctx context.Context, i int) error {
		return j.loop(ctx, conns[i], &loops[i], w, i, &turns)
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Took: w.took(), Bytes: loops[0].bytes, ETag: loops[0].etag}
	if j.Total > 0 {
		r.Took = time.Since(began)
	}
	var samples [][]time.Duration
	var confirms []confirm
	for _, l := range loops {
		r.Done += l.done
		samples, confirms = append(samples, l.samples), append(confirms, l.confirms...)
	}
	r.Latency, r.Read = distribution(slices.Concat(samples...)), len(confirms)
	if j.Total > 0 {
		for _, c := range confirms {
			r.IDs = append(r.IDs, c.id)
		}
	}
	return r, j.readBack(ctx, j.Reader, confirms)
}

func (j *Job) loop(ctx context.Context, c *conn, l *loop, w window, at int, turns *atomic.Int64) error {
	for ; ctx.Err() == nil; at++ {
		began := time.Now()
		if j.Total > 0 {
			turn := int(turns.Add(1)) - 1
			if turn >= j.Total {
				return nil
			}
			at = turn
		} else if began.After(w.to) {
			return nil
		}
		a, err := c.do(j.Requests[at%len(j.Requests)])
		if err != nil {
			return err
		}
		if a.status != j.Want {
			return unexpected(a, j.Want)
		}
		if ended := time.Now(); j.Total > 0 || w.counts(ended) {
			l.samples = append(l.samples, ended.Sub(began))
		}
		l.done++
		l.bytes, l.etag = len(a.body), a.etag
		if j.Reader != "" {
			posted, err := created(a)
			if err != nil {
				return err
			}
			l.confirms = append(l.confirms, posted)
		}
	}
	return nil
}
