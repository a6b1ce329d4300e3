package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/web/route"
	"countersign/web/sse"
)

// livePing is how often a quiet stream says that it is there.
const livePing = 25 * time.Second

// liveWrite is how long a browser may take to accept what is written to it.
const liveWrite = 30 * time.Second

// families are the events of the stream: what comes before the dot of an
// entry's type. Regions of pages listen for them and fetch themselves.
var families = []string{"confirm", "plan", "context", "role", "user", "key"}

func (s *Server) mountLive() {
	s.table.Add(http.MethodGet, "/live", route.Known, s.live)
}

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
	stream, err := sse.Open(c, liveWrite)
	if err != nil {
		return nil // the browser is gone
	}
	defer stream.Close()
	if after, ok := liveCursor(v); ok && after < last {
		err = signal(stream, families, last)
	} else {
		err = stream.Comment("connected")
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = stream.Wait(time.Time{}) // nobody wakes it
	}()
	ping := time.NewTicker(livePing)
	defer ping.Stop()
	for err == nil {
		select {
		case entry, open := <-follow.Entries():
			if !open {
				return nil
			}
			changed, last := drain(entry, follow.Entries())
			if slices.Contains(changed, "user") && !s.stillSignedIn(v) {
				return nil
			}
			err = signal(stream, changed, last)
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

// liveCursor is the number of the last entry that the browser knows of.
func liveCursor(v *visit) (after int64, ok bool) {
	text := v.Request().Header.Get("Last-Event-ID")
	if text == "" {
		text = v.QueryParam("after")
	}
	after, err := strconv.ParseInt(text, 10, 64)
	return after, err == nil
}

// drain takes what else is there already, so that a burst is one signal.
func drain(entry *evidence.Entry, more <-chan *evidence.Entry) (changed []string, last int64) {
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

// stillSignedIn looks whether the session is there, without using it: an open
// page alone must not keep anybody signed in.
func (s *Server) stillSignedIn(v *visit) bool {
	_, err := s.svc.PeekSession(v.ctx(), v.token)
	return err == nil
}

// signal names what changed. The cursor goes with the last event: a connection
// that breaks in between hears of all of it again.
func signal(stream *sse.Stream, changed []string, last int64) error {
	var text []byte
	for i, family := range changed {
		if i == len(changed)-1 {
			text = fmt.Appendf(text, "id: %d\n", last)
		}
		text = fmt.Appendf(text, "event: %s\ndata: %d\n\n", family, last)
	}
	return stream.Write(text)
}
