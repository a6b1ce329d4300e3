package park

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSweep gives memory back when it is worth it: when many were parked and then
// none, and once in a while if there is no end to them.
func TestSweep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		parked int
		every  time.Duration
		want   []time.Duration // after the first was parked
	}{
		{"few", sweepFrom - 1, 0, nil},
		{"many at once", 10 * sweepFrom, 0, []time.Duration{sweepCalm}},
		{"many, one after the other", sweepFrom + 3, time.Millisecond, []time.Duration{(sweepFrom+2)*time.Millisecond + sweepCalm}},
		{"without end", sweepFrom + 12_000, time.Millisecond, []time.Duration{
			(sweepFrom-1)*time.Millisecond + sweepLate,
			(sweepFrom+12_000-1)*time.Millisecond + sweepCalm,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				freed := make(chan time.Duration, 10)
				began := time.Now()
				s := sweeper{free: func() { freed <- time.Since(began) }}
				for i := range tt.parked {
					if i > 0 {
						time.Sleep(tt.every) // the bubble's time, which takes none
					}
					s.add()
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				close(freed)
				var got []time.Duration
				for after := range freed {
					got = append(got, after)
				}
				if len(got) != len(tt.want) {
					t.Fatalf("freed after %v, want %v", got, tt.want)
				}
				for i := range got {
					if late := got[i] - tt.want[i]; late < -sweepCalm || late > sweepCalm {
						t.Errorf("freed after %v, want %v", got, tt.want)
					}
				}
			})
		})
	}
}
