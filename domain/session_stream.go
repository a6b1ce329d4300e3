package domain

import (
	"context"
	"sync"
	"time"
)

// sessionTopic is the topic of a session's streams.
func sessionTopic(sessionID string) string { return sessionTopicPrefix + sessionID }

const sessionTopicPrefix = "session "

// sessionFollowers counts the streams of sessions. While there are any, one goroutine
// follows the log for all of them and notifies those of the session that an entry is
// about: thousands of streams must not each look at every entry.
type sessionFollowers struct {
	mu      sync.Mutex
	streams int
	sub     *Subscription
}

// ReadSession returns where FollowSession begins for a listener that has seen
// everything up to after. With nil it gets the session's pending requests, and
// everything after this moment: a listener that connects first and then requests misses
// nothing. A place that the log has not reached is from before a restore, and counts as
// nil.
func (s *Service) ReadSession(ctx context.Context, ref Ref, sessionID string, after *Cursor) (*SessionReading, error) {
	begun := &SessionReading{session: sessionID, last: Cursor{Seq: -1}}
	err := s.readForStream(ctx, func() error {
		return s.read(ctx, ref, func(r Reader, _ *Principal) error {
			head, err := r.NextSeq()
			begun.head = head - 1
			if after != nil && after.Seq < head {
				begun.last = *after
			} else {
				begun.pendingAt = head
			}
			return err
		})
	})
	return begun, err
}

// maxStreamReads is how many streams may read at once.
const maxStreamReads = 16

// readForStream runs fn on its own stack. Only a few run at once, so that thousands of
// new streams use little memory.
func (s *Service) readForStream(ctx context.Context, fn func() error) error {
	select {
	case s.streamReads <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.streamReads }()
	return onOwnStack(fn)
}

// addFollower counts a stream in. The returned function counts it out.
func (s *Service) addFollower() (end func()) {
	f := &s.followers
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams++; f.streams == 1 {
		f.sub = s.feed.Subscribe()
		go s.notifySessions(f.sub)
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

// notifySessions notifies the streams that the entries of a subscription are about,
// until it is closed.
func (s *Service) notifySessions(sub *Subscription) {
	for sub != nil {
		for e := range sub.Entries() {
			if e.ConfirmID != "" {
				s.notifySession(e.ConfirmID)
			}
		}
		sub = s.resubscribe(sub)
	}
}

// resubscribe replaces a subscription that was too slow. It returns nil if it ended
// because no stream is left. The streams look for what they missed.
func (s *Service) resubscribe(ended *Subscription) *Subscription {
	f := &s.followers
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sub != ended || s.isStopping() {
		return nil
	}
	f.sub = s.feed.Subscribe()
	s.feed.notifyPrefix(sessionTopicPrefix)
	return f.sub
}

// notifySession notifies the streams of a confirm's session, or all if the session
// cannot be read.
func (s *Service) notifySession(confirmID string) {
	var session string
	err := s.store.View(context.Background(), func(r Reader) error {
		c, err := r.Confirm(confirmID)
		if err == nil {
			session = c.SessionID
		}
		return err
	})
	if err != nil {
		s.feed.notifyPrefix(sessionTopicPrefix)
	} else if session != "" {
		s.feed.notifyTopic(sessionTopic(session))
	}
}

// Listener is the receiving end of a stream. Only Wake may be called concurrently.
type Listener[T any] interface {
	Send(T) error
	Ping() error // keeps a quiet stream open
	// Wait waits until it is woken, or until a time; it may return early. An error
	// means that the listener is gone.
	Wait(until time.Time) error
	// Wake ends Wait, or the next one. It must neither block nor use the Service.
	Wake()
}

// pingInterval is the time between pings of a quiet stream: proxies close what is
// silent for half a minute.
const pingInterval = 25 * time.Second

// follow calls read first, whenever the topic is notified, and once more when the
// server stops, so that everything before is sent. In between it pings while the
// principal still has access: the expiry of a key leaves no entry in the log.
func follow[T any](ctx context.Context, s *Service, ref Ref, topic string, l Listener[T], read func() error) error {
	// Subscribe before reading, or what comes in between would be missed.
	stop, err := s.subscribe(ctx, ref, topic, func(*Outcome) { l.Wake() })
	if err != nil {
		return err
	}
	defer stop()
	ping := func() error {
		err := s.readForStream(ctx, func() error {
			_, err := s.Principal(ctx, ref)
			return err
		})
		if err != nil {
			return err
		}
		return l.Ping()
	}
	for next, due := read, time.Now().Add(pingInterval); ; {
		stopping := s.isStopping()
		if err := next(); err != nil || stopping {
			return err
		}
		if err := l.Wait(due); err != nil {
			return err
		}
		if next = read; !time.Now().Before(due) {
			next, due = ping, time.Now().Add(pingInterval)
		}
	}
}
