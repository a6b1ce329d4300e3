package notify

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace{limiters: map[string]*rate.Limiter{}}
		began := time.Now()
		for range maxBurst + 2*maxPerSecond {
			if err := p.wait(t.Context(), "one"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("two seconds' messages took %s", took)
		}
		before := time.Now()
		if err := p.wait(t.Context(), "another"); err != nil || time.Since(before) != 0 {
			t.Errorf("another destination waited %s, %v", time.Since(before), err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if p.wait(ctx, "one") == nil {
			t.Error("it waits after the end")
		}
	})
}
