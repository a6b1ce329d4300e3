package store

import (
	"testing"
)

// One that could not connect is not asked again while others are connected: a
// server that lets in no more would seem to be away.
func TestReaders_TheConnectedFirst(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	p := newReaders(db.dialect)
	<-p.free
	<-p.free
	connected, other := p.take(), p.take()
	if _, err := connected.revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connected.close() }()
	p.give(connected)
	p.give(other)
	<-p.free
	if next := p.take(); next != connected {
		t.Error("the next one has yet to connect")
	}
}
