package domain

import (
	"context"
	"sync"
	"time"
)

// sessionTopic is what the streams of a session wait for.
func sessionTopic(sessionID string) string { return sessionTopics + sessionID }

const sessionTopics = "session "

// followers are the streams of sessions. While there are any, one goroutine
// follows the log for all of them and wakes those whose session an entry
// concerns: thousands of streams must not each look at every entry.
type followers struct {
	mu      sync.Mutex
	streams int
	sub     *Subscription
}

// followed counts a stream in, and what it returns counts it out.
func (s *Service) followed() (end func()) {
	f := &s.followers
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams++; f.streams == 1 {
		f.sub = s.feed.Subscribe()
		go s.wakeSessions(f.sub)
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.streams--; f.streams == 0 {
			f.sub.Close()
			f.sub = nil
		}
	}
}

// wakeSessions wakes the streams that the entries of a subscription concern,
// until it is closed.
func (s *Service) wakeSessions(sub *Subscription) {
	for sub != nil {
		for e := range sub.Entries() {
			if e.ConfirmID != "" {
				s.wakeSession(e.ConfirmID)
			}
		}
		sub = s.resubscribed(sub)
	}
}

// resubscribed goes on after a subscription that was too slow, nil if it ended
// because nobody needs it. Whatever was missed, the streams look for it
// themselves.
func (s *Service) resubscribed(ended *Subscription) *Subscription {
	f := &s.followers
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sub != ended || s.feedClosed() {
		return nil
	}
	f.sub = s.feed.Subscribe()
	s.feed.tellAll(sessionTopics)
	return f.sub
}

// wakeSession wakes the streams of a confirm's session, and all if that cannot
// be found out.
func (s *Service) wakeSession(confirmID string) {
	var session string
	err := s.store.View(context.Background(), func(r Reader) error {
		c, err := r.Confirm(confirmID)
		if err == nil {
			session = c.SessionID
		}
		return err
	})
	if err != nil {
		s.feed.tellAll(sessionTopics)
	} else if session != "" {
		s.feed.tell(sessionTopic(session))
	}
}

// pingEvery is how often a quiet stream says that it is there: proxies close what
// is silent for half a minute.
const pingEvery = 25 * time.Second

// follow runs read whenever it is woken, and once more when the server stops, so
// that what happened before is told. In between it runs ping, while the principal
// may listen: a key that expires leaves nothing in the log to be heard of. Neither
// runs on the stack of the caller, which waits.
func (s *Service) follow(ctx context.Context, ref Ref, woken <-chan *Outcome, read, ping func() error) error {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	pinged := func() error {
		if _, err := s.Principal(ctx, ref); err != nil {
			return err
		}
		return ping()
	}
	for next := read; ; {
		stopping := s.feedClosed()
		if err := apart(next); err != nil || stopping {
			return err
		}
		select {
		case <-woken:
			next = read
		case <-tick.C:
			next = pinged
		case <-s.feed.Done():
			next = read
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
