package park

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// When memory is given back: once so many were parked and then none for a while,
// and in any case some time after the first of them.
const (
	sweepFrom = 256
	sweepCalm = 500 * time.Millisecond
	sweepLate = 10 * time.Second
)

// sweeper gives back the memory that requests held before they were parked. While
// thousands wait nothing else happens, so there would be no collection of it for
// minutes, and the process would keep it after that.
type sweeper struct {
	free func()

	mu     sync.Mutex
	parked int // since the last time
	late   time.Time
	timer  *time.Timer // nil: none is set
}

// free collects twice, for what pools hold, such as the router's contexts with
// all that belongs to their last requests, goes only then.
func free() {
	runtime.GC()
	debug.FreeOSMemory()
}

// add counts one parked request in.
func (s *sweeper) add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parked++
	switch {
	case s.parked < sweepFrom:
	case s.timer == nil:
		s.late = time.Now().Add(sweepLate)
		s.timer = time.AfterFunc(sweepCalm, s.sweep)
	case time.Until(s.late) > sweepCalm:
		s.timer.Reset(sweepCalm)
	}
}

func (s *sweeper) sweep() {
	s.mu.Lock()
	s.parked, s.timer = 0, nil
	s.mu.Unlock()
	s.free()
}
