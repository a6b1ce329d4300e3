package store

import (
	"sync/atomic"
	"time"

	"countersign/store/driver"
)

// readPool has the connections that read. Each connects when it is used first.
type readPool struct {
	free    chan *driver.Session
	resting atomic.Int32
}

// restTime is how long a connection rests that the server did not let in.
const restTime = time.Second

func newReadPool(d driver.Driver) *readPool {
	p := &readPool{free: make(chan *driver.Session, d.Readers())}
	for range cap(p.free) {
		p.free <- &driver.Session{Driver: d, Mode: driver.ReadOnly}
	}
	return p
}

// rest takes a connection out of the pool for a while, because the server lets in no
// more. It reports false if all others rest: the caller has to give it back.
func (p *readPool) rest(c *driver.Session) bool {
	if int(p.resting.Add(1)) == cap(p.free) {
		p.resting.Add(-1)
		return false
	}
	time.AfterFunc(restTime, func() {
		p.resting.Add(-1)
		p.free <- c
	})
	return true
}
