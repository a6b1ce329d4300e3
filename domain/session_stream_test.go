package domain

import (
	"testing"
	"testing/synctest"
)

// Who follows the log for all streams may be too slow for it: then all look
// themselves, and it goes on. It ends with the last stream.
func TestFollowers_GoOnAfterTheyWereTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Service{feed: NewFeed()}
		woken, other := newSignal(), newSignal()
		defer s.feed.addWaiter(woken.notify, sessionTopic("a"))()
		defer s.feed.addWaiter(other.notify, planTopic("a"))()
		end := s.addFollower()
		s.addFollower()()

		for range 3 {
			s.followers.sub.Close() // as the feed does with who is too slow
			synctest.Wait()
			select {
			case <-woken:
			default:
				t.Error("a stream is not woken when something may have been missed")
			}
		}
		select {
		case <-other:
			t.Error("who waits for a plan is woken too")
		default:
		}
		end()
		synctest.Wait() // the bubble ends only when the goroutine has
		if s.followers.sub != nil || len(s.feed.subs) > 0 {
			t.Error("the log is followed though nobody needs it")
		}
	})
}
