package web

import (
	"errors"
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
	stream := newSignals(c)
	if after, ok := liveCursor(v); ok && after < last {
		err = stream.send(families, last)
	} else {
		err = stream.comment("connected")
	}
	s.waiting("page", 1)
	defer s.waiting("page", -1)
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
			err = stream.send(changed, last)
		case <-ping.C:
			if !s.stillSignedIn(v) {
				return nil
			}
			err = stream.comment("")
		case <-v.ctx().Done():
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

// signals writes server-sent events.
type signals struct {
	w       *echo.Response
	control *http.ResponseController
}

func newSignals(c echo.Context) *signals {
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	return &signals{w: c.Response(), control: http.NewResponseController(c.Response())}
}

// send names what changed. The cursor goes with the last event: a connection
// that breaks in between hears of all of it again.
func (s *signals) send(changed []string, last int64) error {
	var text strings.Builder
	for i, family := range changed {
		if i == len(changed)-1 {
			fmt.Fprintf(&text, "id: %d\n", last)
		}
		fmt.Fprintf(&text, "event: %s\ndata: %d\n\n", family, last)
	}
	return s.write(text.String())
}

func (s *signals) comment(text string) error { return s.write(": " + text + "\n\n") }

// write replaces the server's deadline for whole answers by one for each event.
func (s *signals) write(text string) error {
	deadline := s.control.SetWriteDeadline(time.Now().Add(liveWrite))
	if deadline != nil && !errors.Is(deadline, http.ErrNotSupported) {
		return deadline
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
