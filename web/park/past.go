package park

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Past is what a request knows that was parked before.
type Past struct {
	Began time.Time // when it came first
	// Ordinary requests are not parked again: the client has sent more behind it,
	// or has left, which the server itself has to find out.
	Ordinary bool
	// Holds gives back what the request holds while it waits. It is called once,
	// when the request has been answered, unless Keep took it.
	Holds func()
}

// Keep takes over to call what Holds is.
func (p *Past) Keep() (holds func()) {
	holds, p.Holds = p.Holds, nil
	return holds
}

func (p *Past) end() {
	if holds := p.Keep(); holds != nil {
		holds()
	}
}

type connKey struct{}

// remember lets welcome find a request's connection.
func remember(ctx context.Context, c net.Conn) context.Context {
	if back, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, back)
	}
	return ctx
}

type pastKey struct{}

// Of is the past of a request, nil if it was never parked.
func Of(ctx context.Context) *Past {
	past, _ := ctx.Value(pastKey{}).(*Past)
	return past
}

// Began is when a request came first: at the time given, if it was never parked.
func Began(ctx context.Context, now time.Time) time.Time {
	if past := Of(ctx); past != nil {
		return past.Began
	}
	return now
}

// welcome gives requests that come back their past. Those that follow on the same
// connection have none.
func (l *Lot) welcome(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			if past := c.come(); past != nil {
				defer past.end()
				r = r.WithContext(context.WithValue(r.Context(), pastKey{}, past))
			}
		}
		next.ServeHTTP(w, r)
	})
}
