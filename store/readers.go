package store

import (
	"slices"
	"sync"
	"time"
)

// readers are the connections that read. The one that was used last is used
// next: what it remembers is the likeliest to hold still. Those that have yet to
// connect come after all that have: the server may let no more of them.
type readers struct {
	free    chan struct{} // so many are
	mu      sync.Mutex
	idle    []*conn
	resting int
}

// restTime is for how long one is not tried again that the server has not let in.
const restTime = time.Second

// newReaders are as many as the dialect has. Each connects when it is used first.
func newReaders(d dialect) *readers {
	p := &readers{free: make(chan struct{}, d.readers())}
	for range cap(p.free) {
		p.give(&conn{dialect: d, use: reads})
	}
	return p
}

// take is for who has received from free.
func (p *readers) take() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	c := p.idle[last]
	p.idle = p.idle[:last]
	return c
}

// rest is give for one that the server has not let in because it has let in so
// many. It says whether another may be had instead: not when all are like it.
func (p *readers) rest(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resting+1 == cap(p.free) {
		return false
	}
	p.resting++
	time.AfterFunc(restTime, func() {
		p.mu.Lock()
		p.resting--
		p.mu.Unlock()
		p.give(c)
	})
	return true
}

func (p *readers) give(c *conn) {
	p.mu.Lock()
	place := len(p.idle)
	if c.gone() {
		place = 0
	}
	p.idle = slices.Insert(p.idle, place, c)
	p.mu.Unlock()
	p.free <- struct{}{}
}
