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

// ReadSession is where FollowSession begins for a listener who has heard up to a
// place. One who has heard nothing has the session's pending requests replayed to
// it, and hears of everything that comes after this moment: whoever connects first
// and requests then misses nothing. Who comes from a place that the log has not
// reached has listened to what a restore took back, and begins anew: nothing would
// be told until the log got there.
func (s *Service) ReadSession(ctx context.Context, ref Ref, sessionID string, after *Cursor) (*SessionReading, error) {
	begun := &SessionReading{session: sessionID, last: Cursor{Seq: -1}}
	err := s.aside(ctx, func() error {
		return s.read(ctx, ref, func(r Reader, _ *Principal) error {
			head, err := r.NextSeq()
			begun.head = head - 1
			if after != nil && after.Seq < head {
				begun.last = *after
			} else {
				begun.open = head
			}
			return err
		})
	})
	return begun, err
}

// readers is how many streams read at once.
const readers = 16

// aside runs what reads for a stream: see apart. Few do it at once, so that little
// memory is in use when thousands begin.
func (s *Service) aside(ctx context.Context, fn func() error) error {
	select {
	case s.reading <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.reading }()
	return apart(fn)
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

// Listener is who follows a session or the log. It is used by one goroutine, but
// for Wake.
type Listener[T any] interface {
	Send(T) error
	Ping() error // says that the stream is there
	// Wait waits until it is woken, or for a time that may end early. The error
	// says that the listener is gone.
	Wait(until time.Time) error
	// Wake ends Wait, or the next one. It may neither block nor use the Service.
	Wake()
}

// pingEvery is how often a quiet stream says that it is there: proxies close what
// is silent for half a minute.
const pingEvery = 25 * time.Second

// follow runs read at first and whenever a topic is told, and once more when the
// server stops, so that what happened before is sent. In between it pings, while
// the principal may listen: a key that expires leaves nothing in the log to be
// heard of.
func follow[T any](ctx context.Context, s *Service, ref Ref, topic string, l Listener[T], read func() error) error {
	// Listening begins before reading, or what comes in between would be missed.
	stop, err := s.listen(ctx, ref, topic, func(*Outcome) { l.Wake() })
	if err != nil {
		return err
	}
	defer stop()
	ping := func() error {
		err := s.aside(ctx, func() error {
			_, err := s.Principal(ctx, ref)
			return err
		})
		if err != nil {
			return err
		}
		return l.Ping()
	}
	for next, due := read, time.Now().Add(pingEvery); ; {
		stopping := s.feedClosed()
		if err := next(); err != nil || stopping {
			return err
		}
		if err := l.Wait(due); err != nil {
			return err
		}
		if next = read; !time.Now().Before(due) {
			next, due = ping, time.Now().Add(pingEvery)
		}
	}
}
