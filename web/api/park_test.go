package api_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/park"
	"countersign/web/route"
)

// eachWay runs a test where everybody waits in the ordinary way, and where
// whoever waits is parked at once.
func eachWay(t *testing.T, test func(t *testing.T, newServer start)) {
	t.Helper()
	t.Run("ordinary", func(t *testing.T) {
		t.Parallel()
		test(t, newServer)
	})
	t.Run("parked", func(t *testing.T) {
		t.Parallel()
		test(t, newParkingServer)
	})
}

// newParkingServer is a server that parks whoever waits at once.
func newParkingServer(t *testing.T, change ...func(*domain.Config, *http.Server)) *server {
	t.Helper()
	return newServerWith(t, park.NewLot(0), change...)
}

// parkOn prepares a server to park those who wait on its lot. The test ends when
// nobody is parked any more.
func (s *server) parkOn(e *echo.Echo) {
	e.Pre(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			err := next(c)
			if rest := route.RestOf(c); rest != nil {
				go rest(func(int64) {})
			}
			return err
		}
	})
	s.lot.Join(s.http.Config)
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.http.Config.Serve(s.lot) })
	s.t.Cleanup(func() { // before the database is closed
		s.Feed().Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.lot.Drain(ctx)
		if n := s.lot.Parked(); n > 0 {
			s.t.Errorf("%d are still parked", n)
		}
		_ = s.lot.Close()
		serving.Wait()
	})
}

// awaitParked waits until so many are parked.
func (s *server) awaitParked(n int) {
	s.t.Helper()
	for late := time.Now().Add(patience); s.lot.Parked() != n; {
		if time.Now().After(late) {
			s.t.Fatalf("%d are parked, want %d", s.lot.Parked(), n)
		}
	}
}
