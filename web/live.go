package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/web/sse"
)

const livePath = "/live"

// livePingInterval is how often a stream without events sends a comment.
const livePingInterval = 25 * time.Second

// liveWriteTimeout is how long one write to a browser may take.
const liveWriteTimeout = 30 * time.Second

// live streams signals: which family of objects changed, and how far the log
// has got. It carries no content, so it needs no rule about who may see what.
// It never redirects and never answers with HTML: a browser's stream would come
// back for it without end.
func (s *Server) live(c echo.Context) error {
	v, err := s.visit(c)
	if domain.ErrorCode(err) == domain.CodeUnauthenticated {
		return c.String(http.StatusUnauthorized, "Sign in first.\n")
	} else if err != nil {
		return err
	}
	// Listening begins before the cursor is read, or what comes between would
	// be missed.
	follow := s.svc.Feed().Subscribe()
	defer follow.Close()
	last, err := s.svc.LastSeq(v.ctx())
	if err != nil {
		return err
	}
	s.waiting("page", 1)
	defer s.waiting("page", -1)
	stream, err := sse.Open(c, liveWriteTimeout)
	if err != nil {
		return nil // the browser is gone
	}
	defer stream.Close()
	if after, ok := liveCursor(v); ok && after < last {
		err = sendEvents(stream, liveEvents(), last)
	} else {
		err = stream.Comment("connected")
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = stream.Wait(time.Time{}) // nobody wakes it
	}()
	ping := time.NewTicker(livePingInterval)
	defer ping.Stop()
	for err == nil {
		select {
		case entry, open := <-follow.Entries():
			if !open {
				return nil
			}
			changed, last := drainEntries(entry, follow.Entries())
			if slices.Contains(changed, "user") && !s.stillSignedIn(v) {
				return nil
			}
			err = sendEvents(stream, changed, last)
		case <-ping.C:
			if !s.stillSignedIn(v) {
				return nil
			}
			err = stream.Comment("")
		case <-gone:
			return nil
		}
	}
	return nil // the browser is gone
}

// liveCursor returns the number of the last entry that the browser knows.
func liveCursor(v *visit) (after int64, ok bool) {
	text := v.Request().Header.Get("Last-Event-ID")
	if text == "" {
		text = v.QueryParam("after")
	}
	after, err := strconv.ParseInt(text, 10, 64)
	return after, err == nil
}

// drainEntries takes all entries that already wait, so that a burst becomes one signal.
func drainEntries(entry *evidence.Entry, more <-chan *evidence.Entry) (changed []string, last int64) {
	for {
		family, _, _ := strings.Cut(entry.Type, ".")
		if family == "step" {
			family = "plan" // pages show steps as part of their plan
		}
		if !slices.Contains(changed, family) {
			changed = append(changed, family)
		}
		last = entry.Seq
		select {
		case next, open := <-more:
			if !open {
				return changed, last
			}
			entry = next
		default:
			return changed, last
		}
	}
}

// stillSignedIn reports whether the session exists, without counting as a use of it: an
// open page alone must not keep anybody signed in.
func (s *Server) stillSignedIn(v *visit) bool {
	_, err := s.svc.PeekSession(v.ctx(), v.token)
	return err == nil
}

// sendEvents names what changed. The cursor goes with the last event: a connection
// that breaks in between hears of all of it again.
func sendEvents(stream *sse.Stream, changed []string, last int64) error {
	number := strconv.FormatInt(last, 10)
	for i, name := range changed {
		id := ""
		if i == len(changed)-1 {
			id = number
		}
		if err := stream.Event(id, name, []byte(number)); err != nil {
			return err
		}
	}
	return nil
}
