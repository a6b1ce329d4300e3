package domain

import (
	"strings"
	"sync"

	"countersign/domain/evidence"
)

// Feed spreads what was committed inside this process: to agents waiting for
// one confirm, and to pages and streams that follow everything. The Store
// publishes to it after each commit; nothing is ever published before.
//
// A listener that does not keep up is dropped, not skipped: its channel is
// closed, and it comes back with the number of the last entry it has seen.
type Feed struct {
	mu      sync.Mutex
	closed  bool
	done    chan struct{}
	waiters map[string]map[*waiter]struct{} // by topic: a confirm id, planTopic, sessionTopic, rightsTopic, everyEntry
	subs    map[*Subscription]struct{}
}

// waiter is woken with the outcome of the confirm that it waits for, if that is
// what was committed and this process has made it; else it has to look.
type waiter struct{ wake func(*Outcome) }

// NewFeed returns a Feed without listeners.
func NewFeed() *Feed {
	return &Feed{
		done:    make(chan struct{}),
		waiters: map[string]map[*waiter]struct{}{},
		subs:    map[*Subscription]struct{}{},
	}
}

// Publish tells everybody. It never blocks.
func (f *Feed) Publish(entries []*evidence.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range entries {
		o, _ := e.Outcome.(*Outcome)
		f.wake(e.ConfirmID, o)
		f.wake(planTopic(e.PlanID), nil)
		f.wake(rightsChanged(e), nil)
	}
	f.wake(everyEntry, nil)
	for sub := range f.subs {
		for _, e := range entries {
			select {
			case sub.entries <- e:
				continue
			default:
			}
			f.drop(sub)
			break
		}
	}
}

func (f *Feed) wake(topic string, o *Outcome) {
	for w := range f.waiters[topic] {
		w.wake(o)
	}
}

// tell wakes those who wait for a topic.
func (f *Feed) tell(topic string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake(topic, nil)
}

// tellAll wakes those who wait for any topic that begins so.
func (f *Feed) tellAll(prefix string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for topic := range f.waiters {
		if strings.HasPrefix(topic, prefix) {
			f.wake(topic, nil)
		}
	}
}

// planTopic is what those wait for who ask the gate about a plan. An id has no
// white space, so it is no confirm's.
func planTopic(id string) string { return "plan " + id }

// everyEntry is what those wait for who follow the log.
const everyEntry = "every entry"

// Close ends every wait and stream, so that a server can stop. What is asked
// afterwards ends at once.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	close(f.done)
	for topic := range f.waiters {
		f.wake(topic, nil)
	}
	for sub := range f.subs {
		f.drop(sub)
	}
}

// Done is closed when the server stops.
func (f *Feed) Done() <-chan struct{} { return f.done }

// listen calls wake at entries about any of the topics, and when the server
// stops, until stop is called, which must be. Wake may neither block nor use the
// Feed. It is called by one goroutine at a time.
func (f *Feed) listen(wake func(*Outcome), topics ...string) (stop func()) {
	w := &waiter{wake}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, topic := range topics {
		if f.waiters[topic] == nil {
			f.waiters[topic] = map[*waiter]struct{}{}
		}
		f.waiters[topic][w] = struct{}{}
	}
	if f.closed {
		wake(nil)
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, topic := range topics {
			delete(f.waiters[topic], w)
			if len(f.waiters[topic]) == 0 {
				delete(f.waiters, topic)
			}
		}
	}
}

// Subscription receives every entry, in order.
type Subscription struct {
	feed    *Feed
	entries chan *evidence.Entry
}

// backlog is how many entries a subscriber may be behind before it is dropped.
const backlog = 1024

// Subscribe begins to follow the log. Close must be called.
func (f *Feed) Subscribe() *Subscription {
	sub := &Subscription{feed: f, entries: make(chan *evidence.Entry, backlog)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(sub.entries)
		return sub
	}
	f.subs[sub] = struct{}{}
	return sub
}

// Entries is closed when the subscriber was too slow or the server stops.
func (s *Subscription) Entries() <-chan *evidence.Entry { return s.entries }

// Close ends the subscription.
func (s *Subscription) Close() {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	s.feed.drop(s)
}

func (f *Feed) drop(sub *Subscription) {
	if _, ok := f.subs[sub]; ok {
		delete(f.subs, sub)
		close(sub.entries)
	}
}
