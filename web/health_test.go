package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/static"
	"countersign/web"
)

// monitored is a server without a database, with checks of the test's own.
func monitored(t *testing.T, logged *bytes.Buffer, checks ...web.Check) *web.Server {
	t.Helper()
	assets, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	return web.New(web.Config{
		Service: domain.NewService(nil, domain.Config{}), Assets: assets, Checks: checks,
		Logger: slog.New(slog.NewJSONHandler(logged, &slog.HandlerOptions{Level: slog.LevelError})),
	})
}

func ask(t *testing.T, s *web.Server) (status int, text string) {
	t.Helper()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
	// Whether the third-party assets were installed is not what is tested.
	text = strings.Replace(rec.Body.String(), "assets: failed\n", "assets: ok\n", 1)
	return rec.Code, text
}

func TestReadiness_NamesWhatFails(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	s := monitored(t, &logged,
		web.Check{Name: "database", Ask: func(context.Context) error { return nil }},
		web.Check{Name: "writing", Ask: func(context.Context) error { return errors.New("SQL logic error in /var/secret.db") }})
	status, text := ask(t, s)
	if want := "assets: ok\ndatabase: ok\nwriting: failed\nserving: ok\n"; status != http.StatusServiceUnavailable || text != want {
		t.Errorf("status %d, %s", status, cmp.Diff(want, text))
	}
	if !strings.Contains(logged.String(), `"check":"writing","error":"SQL logic error in /var/secret.db"`) {
		t.Errorf("the log does not say why: %s", &logged)
	}
}

// TestReadiness_ChecksOnceInAWhile: anybody may ask, and a check that hangs is
// given up.
func TestReadiness_ChecksOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checked atomic.Int32
		hangs := false
		s := monitored(t, new(bytes.Buffer), web.Check{Name: "database", Ask: func(ctx context.Context) error {
			if checked.Add(1); hangs {
				<-ctx.Done()
			}
			return ctx.Err()
		}})
		for range 100 {
			ask(t, s)
		}
		if n := checked.Load(); n != 1 {
			t.Errorf("checked %d times, want once", n)
		}
		hangs = true
		time.Sleep(time.Second)
		if status, text := ask(t, s); status != http.StatusServiceUnavailable || !strings.Contains(text, "database: failed\n") || checked.Load() != 2 {
			t.Errorf("a check that hangs: status %d, checked %d times: %s", status, checked.Load(), text)
		}
	})
}

// TestReadiness_DoesNotHang: a check that does not even hear that it is given up,
// as one that waits for the disk, keeps neither monitors waiting nor other checks
// from their answer, and is not asked again meanwhile.
func TestReadiness_DoesNotHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		back := make(chan struct{})
		s := monitored(t, new(bytes.Buffer),
			web.Check{Name: "writing", Ask: func(context.Context) error { asked.Add(1); <-back; return nil }},
			web.Check{Name: "signing key", Ask: func(context.Context) error { return nil }})
		for range 3 {
			began := time.Now()
			status, text := ask(t, s)
			if want := "assets: ok\nwriting: failed\nsigning key: ok\nserving: ok\n"; status != http.StatusServiceUnavailable || text != want {
				t.Errorf("status %d, %s", status, cmp.Diff(want, text))
			}
			if waited := time.Since(began); waited != 2*time.Second || asked.Load() != 1 {
				t.Errorf("it took %v and was asked %d times, want 2s and once", waited, asked.Load())
			}
			time.Sleep(time.Second)
		}
		close(back)
		synctest.Wait()
		if status, text := ask(t, s); status != http.StatusOK || asked.Load() != 2 {
			t.Errorf("when it answers again: asked %d times, status %d: %s", asked.Load(), status, text)
		}
	})
}

func TestDrain(t *testing.T) {
	for _, test := range []struct {
		name        string
		asked       bool
		ago, asks   time.Duration // asks: after how long a monitor asks again
		wantWaiting time.Duration
	}{
		{"nobody has asked", false, 0, time.Second, 0},
		{"a monitor that asked long ago", true, time.Minute, time.Second, 0},
		{"a monitor that asks again", true, time.Second, time.Second, time.Second},
		{"a monitor that does not ask in time", true, time.Second, time.Minute, 2 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := monitored(t, new(bytes.Buffer))
				if test.asked {
					if _, text := ask(t, s); !strings.HasSuffix(text, "serving: ok\n") {
						t.Errorf("before: %s", text)
					}
				}
				time.Sleep(test.ago)
				began := time.Now()
				go func() {
					time.Sleep(test.asks)
					if status, text := ask(t, s); status != http.StatusServiceUnavailable || !strings.HasSuffix(text, "serving: stopping\n") {
						t.Errorf("while it stops: status %d: %s", status, text)
					}
				}()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				s.Drain(ctx)
				if waited := time.Since(began); waited != test.wantWaiting {
					t.Errorf("waited %v, want %v", waited, test.wantWaiting)
				}
				time.Sleep(test.asks)
			})
		})
	}
}
