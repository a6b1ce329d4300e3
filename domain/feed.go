package domain

import (
	"strings"
	"sync"

	"countersign/domain/evidence"
)

// Feed tells the rest of the process what was committed: agents that wait for one
// confirm, and pages and streams that follow everything. The store publishes to it
// after each commit, never before.
//
// A subscriber that does not keep up is dropped, not skipped: its channel is closed,
// and it resumes from the last entry it has seen.
type Feed struct {
	mu      sync.Mutex
	closed  bool
	done    chan struct{}
	waiters map[string]map[*waiter]struct{} // by topic: a confirm id, planTopic, sessionTopic, rightsTopic, allEntriesTopic
	subs    map[*Subscription]struct{}
}

// waiter is called with the outcome of the confirm that it waits for, if this process
// has just decided it, or else with nil: then it has to look.
type waiter struct{ wake func(*Outcome) }

// NewFeed returns a Feed without subscribers.
func NewFeed() *Feed {
	return &Feed{
		done:    make(chan struct{}),
		waiters: map[string]map[*waiter]struct{}{},
		subs:    map[*Subscription]struct{}{},
	}
}

// Publish notifies all waiters and subscribers. It never blocks.
func (f *Feed) Publish(entries []*evidence.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range entries {
		o, _ := e.Attachment.(*Outcome)
		f.notify(e.ConfirmID, o)
		f.notify(planTopic(e.PlanID), nil)
		f.notify(rightsTopicOf(e), nil)
	}
	f.notify(allEntriesTopic, nil)
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

func (f *Feed) notify(topic string, o *Outcome) {
	for w := range f.waiters[topic] {
		w.wake(o)
	}
}

// notifyTopic notifies the waiters of a topic.
func (f *Feed) notifyTopic(topic string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notify(topic, nil)
}

// notifyPrefix notifies the waiters of all topics with a prefix.
func (f *Feed) notifyPrefix(prefix string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for topic := range f.waiters {
		if strings.HasPrefix(topic, prefix) {
			f.notify(topic, nil)
		}
	}
}

// planTopic is the topic of those who wait at the gate for a plan. It contains a space,
// which no confirm id does.
func planTopic(id string) string { return "plan " + id }

// allEntriesTopic is the topic of those who follow the whole log.
const allEntriesTopic = "every entry"

// Close ends every wait and stream, so that the server can stop. Later ones end at
// once.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	close(f.done)
	for topic := range f.waiters {
		f.notify(topic, nil)
	}
	for sub := range f.subs {
		f.drop(sub)
	}
}

// Done is closed when the server stops.
func (f *Feed) Done() <-chan struct{} { return f.done }

// isDone reports whether the server stops.
func (f *Feed) isDone() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// addWaiter calls wake at entries about any of the topics, and when the server stops,
// until stop is called, which must be. wake must neither block nor use the Feed. It is
// not called concurrently.
func (f *Feed) addWaiter(wake func(*Outcome), topics ...string) (stop func()) {
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

// subscriptionBuffer is how many entries a subscriber may lag behind before it is
// dropped.
const subscriptionBuffer = 1024

// Subscribe starts a subscription. Close must be called.
func (f *Feed) Subscribe() *Subscription {
	sub := &Subscription{feed: f, entries: make(chan *evidence.Entry, subscriptionBuffer)}
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
