package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/sse"
)

// Browsers cannot set headers on a socket, so they offer the key as a protocol
// beside the one that is selected.
const (
	socketProtocol = "countersign.v1"
	keyProtocol    = "bearer."
)

// isUpgrade reports whether a request is a socket's handshake.
func isUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get(echo.HeaderUpgrade), "websocket")
}

// protocolKey is the key among the protocols of a handshake.
func protocolKey(r *http.Request) string {
	protocols := strings.Split(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	for i, p := range protocols {
		protocols[i] = strings.TrimSpace(p)
	}
	i := slices.IndexFunc(protocols, func(p string) bool { return strings.HasPrefix(p, keyProtocol) })
	if i < 0 || !slices.Contains(protocols, socketProtocol) {
		return ""
	}
	return strings.TrimPrefix(protocols[i], keyProtocol)
}

// socket is a session's stream that takes approval commands too.
type socket struct {
	*websocket.Conn
	c       echo.Context
	by      domain.Ref
	session string
	ctx     context.Context // of the stream
	woken   chan struct{}
}

func (a *api) openSocket(c echo.Context, by domain.Ref) error {
	if !isUpgrade(c.Request()) {
		c.Response().Header().Set(echo.HeaderConnection, "Upgrade")
		c.Response().Header().Set(echo.HeaderUpgrade, "websocket")
		return &domain.Error{Code: codeUpgradeRequired, Message: "This address is for WebSockets. The same frames are at …/events."}
	}
	s := &socket{c: c, by: by, session: param(c, "session_id"), woken: make(chan struct{}, 1)}
	reading, err := a.readSession(c, by)
	if err != nil {
		return err
	}
	end, err := a.waits.begin(by, kindWebSocket)
	if err != nil {
		return err
	}
	defer end()
	// The request's own context means nothing once the connection is ours.
	ctx, leave := context.WithCancelCause(context.WithoutCancel(c.Request().Context()))
	defer leave(nil)
	s.ctx = ctx
	heard := func() error { // of a command, a ping or a pong
		err := a.commandRate.take(by)
		if err != nil {
			leave(err)
		}
		return err
	}
	s.Conn, err = websocket.Accept(c.Response(), c.Request(), &websocket.AcceptOptions{
		Subprotocols:   []string{socketProtocol},
		OnPingReceived: func(context.Context, []byte) bool { return heard() == nil },
		OnPongReceived: func(context.Context, []byte) { _ = heard() },
		// Any origin may ask: there is no cookie that a page of another site
		// could act by, only a key that it would have to know.
		InsecureSkipVerify: true,
	})
	if err != nil {
		return nil // Accept has answered
	}
	s.SetReadLimit(int64(a.service.Limits().Body))
	id, route, taken := requestID(c), c.Path(), make(chan struct{})
	go func() { // which alone uses the request from here on
		defer close(taken)
		err := a.takeCommands(context.WithoutCancel(ctx), s, heard)
		leave(cmp.Or(err, sse.ErrGone))
	}()
	defer func() {
		s.CloseNow()
		<-taken // the request is over when this returns
	}()
	err = a.service.FollowSession(ctx, by, reading, s)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	a.logStreamError(id, route, err)
	// Whoever does not answer the farewell is not listened to for longer.
	defer time.AfterFunc(time.Second, func() { s.CloseNow() }).Stop()
	_ = s.Close(closeReason(err))
	return nil
}

// closeReason is the close code and reason for what a stream ended with.
func closeReason(err error) (websocket.StatusCode, string) {
	switch {
	case err == nil:
		return websocket.StatusGoingAway, "the server is stopping"
	case domain.ErrorCode(err) == domain.CodeUnauthenticated:
		return websocket.StatusPolicyViolation, "the key has ended"
	case domain.ErrorCode(err) == domain.CodeRateLimited:
		return websocket.StatusPolicyViolation, "too many commands"
	}
	return websocket.StatusInternalError, "the stream broke; reconnect with last_event_id"
}

// Ping is answered by a client that is there.
func (s *socket) Ping() error {
	ctx, cancel := context.WithTimeout(s.ctx, writeTimeout)
	defer cancel()
	return wrapGone(s.Conn.Ping(ctx))
}

// Send writes a frame, whose id is its last member: a socket has no other place
// for it.
func (s *socket) Send(f domain.Frame) error {
	text := fmt.Appendf(nil, `%s,"id":%s}`, f.Data[:len(f.Data)-1], mplp.String(f.Cursor.String()))
	return s.write(s.ctx, text)
}

// Wake ends Wait.
func (s *socket) Wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it was woken already
	}
}

// Wait waits until it is woken.
func (s *socket) Wait(until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-s.woken:
	case <-timer.C:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	return nil
}

func (s *socket) write(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return wrapGone(s.Write(ctx, websocket.MessageText, text))
}

// errorFrame answers a command that was refused.
type errorFrame struct {
	Type        string  `json:"type"` // error
	ApprovalKey string  `json:"approval_key,omitempty"`
	Error       problem `json:"error"`
}

// commandTimeout is how long a command may take to arrive, once it has begun.
const commandTimeout = 30 * time.Second

// takeCommands carries out the approval flow's approval commands until the
// client leaves, or sends more than it may, which the error says. What a command
// leads to is heard in the stream, like what anybody else decides.
func (a *api) takeCommands(ctx context.Context, s *socket, heard func() error) error {
	for {
		if err := a.takeCommand(ctx, s, heard); err != nil {
			return err
		}
	}
}

func (a *api) takeCommand(ctx context.Context, s *socket, heard func() error) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	kind, in, err := s.Reader(reading)
	if err != nil {
		return wrapGone(err)
	}
	if kind != websocket.MessageText {
		_ = s.Close(websocket.StatusUnsupportedData, "commands are JSON text")
		return sse.ErrGone
	}
	if err := heard(); err != nil {
		return err
	}
	slow := time.AfterFunc(commandTimeout, stop)
	text, release, err := a.readReserved(ctx, s.by, in, -1, a.service.Limits().Body)
	slow.Stop()
	defer release()
	if domain.ErrorCode(err) == domain.CodeRateLimited {
		return err
	} else if err != nil {
		return wrapGone(err)
	}
	key, err := a.command(ctx, s, text)
	if err == nil {
		return nil
	}
	a.logStreamError(requestID(s.c), s.c.Path(), err)
	frame, err := encode(errorFrame{Type: "error", ApprovalKey: key, Error: newProblem(s.c, err)})
	if err != nil {
		return err
	}
	return s.write(ctx, frame)
}

// command carries out one command and gives the approval key that it names.
func (a *api) command(ctx context.Context, s *socket, text []byte) (key string, err error) {
	defer recoverPanic(&err)
	in, err := mplp.ParseApprovalCommand(text, a.service.Limits().MPLP())
	switch {
	case err != nil:
		return "", err
	case in.Key == "":
		return "", domain.Invalid("approval_key", "required", "Send the approval_key of the request.")
	case in.SessionID != s.session:
		return in.Key, domain.Invalid("session_id", "const", "This socket serves the session %s.", s.session)
	}
	_, err = a.service.DecideApproval(ctx, s.by, in.Key, in)
	return in.Key, err
}
