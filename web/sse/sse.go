// Package sse answers requests with server-sent events, page signals and frames
// alike.
//
// It takes the connection from the HTTP server, which would not tell that the
// listener has sent something: a listener has nothing to say, and whatever comes
// from it ends the stream, unread.
package sse

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// Type is the media type of a stream.
const Type = "text/event-stream"

// Stream is an answer that goes on until it is closed. One goroutine at a time
// uses it.
type Stream struct {
	ctx     context.Context
	answer  *echo.Response
	conn    net.Conn
	chunked bool
	within  time.Duration
	broken  bool
}

// Open begins a stream. Each write has to be accepted within a time: whoever does
// not take what it is sent is dropped, and comes back for what it missed.
func Open(c echo.Context, within time.Duration) (*Stream, error) {
	r, answer := c.Request(), c.Response()
	answer.Header().Set(echo.HeaderContentType, Type)
	answer.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(answer)
	if err := control.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	answer.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return nil, err
	}
	conn, sent, err := control.Hijack()
	if err != nil {
		return nil, err
	}
	ctx, leave := context.WithCancel(r.Context())
	s := &Stream{ctx: ctx, answer: answer, conn: conn, chunked: r.ProtoAtLeast(1, 1), within: within}
	more := sent.Reader.Buffered() > 0
	go func() {
		if !more {
			_, _ = conn.Read(make([]byte, 1)) // it left, or has sent something: either is the end
		}
		leave()
		_ = conn.Close() // ends a write too
	}()
	return s, nil
}

// Context ends with the listener, and with the request.
func (s *Stream) Context() context.Context { return s.ctx }

// Event sends a message; data is one line.
func (s *Stream) Event(id string, data []byte) error {
	return s.Write(fmt.Appendf(nil, "id: %s\ndata: ", id), data, []byte("\n\n"))
}

// Comment sends what is no message.
func (s *Stream) Comment(text string) error { return s.Write([]byte(": " + text + "\n\n")) }

// Write sends parts of the stream's text, without copying them.
func (s *Stream) Write(parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	s.answer.Size += int64(size)
	if s.chunked {
		parts = append(append([][]byte{fmt.Appendf(nil, "%x\r\n", size)}, parts...), []byte("\r\n"))
	}
	err := s.conn.SetWriteDeadline(time.Now().Add(s.within))
	if err == nil {
		_, err = (*net.Buffers)(&parts).WriteTo(s.conn)
	}
	s.broken = s.broken || err != nil
	return err
}

// Close ends the stream, and its connection with it.
func (s *Stream) Close() {
	if s.chunked && !s.broken {
		_, _ = s.conn.Write([]byte("0\r\n\r\n")) // nobody may be there to see the end
	}
	_ = s.conn.Close()
}
