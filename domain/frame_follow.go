package domain

import (
	"context"
	"sync"
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

// ListenSession calls wake whenever SessionFrames may have more to give, when the
// principal's rights may have ended, and when the server stops, until stop is
// called, which must be. Wake may neither block nor use the Service. What is due
// is settled first.
func (s *Service) ListenSession(ctx context.Context, ref Ref, sessionID string, wake func()) (stop func(), err error) {
	if _, err := s.expireDue(ctx); err != nil {
		return nil, err
	}
	deaf, err := s.listen(ctx, ref, sessionTopic(sessionID), func(*Outcome) { wake() })
	if err != nil {
		return nil, err
	}
	end := s.followed()
	return func() {
		end()
		deaf()
	}, nil
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
