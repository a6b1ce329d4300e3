// Package sse answers requests with server-sent events, page signals and frames
// alike.
//
// It takes the connection from the HTTP server, which would not tell that the
// listener has sent something: a listener has nothing to say, and whatever comes
// from it ends the stream, unread.
package sse

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// Type is the media type of a stream.
const Type = "text/event-stream"

// Stream is an answer that goes on until it is closed. One goroutine at a time
// writes, and one waits.
type Stream struct {
	answer       *echo.Response
	conn         net.Conn
	chunked      bool
	writeTimeout time.Duration
	broken       bool

	mu    sync.Mutex
	woken bool
	gone  bool // the listener has left, or has sent something
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
	// The HTTP server's stack is deep while it writes the header; the one that waits
	// is not to stay as large.
	var conn net.Conn
	var sent *bufio.ReadWriter
	var err error
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		answer.WriteHeader(http.StatusOK)
		if err = control.Flush(); err == nil {
			conn, sent, err = control.Hijack()
		}
	}()
	if <-begun; err != nil {
		return nil, err
	}
	return &Stream{answer: answer, conn: conn, chunked: r.ProtoAtLeast(1, 1), writeTimeout: within, gone: sent.Reader.Buffered() > 0}, nil
}

// ErrGone says that a listener has left, or has sent something.
var ErrGone = errors.New("the listener is gone")

// pastDeadline is a deadline that ends a Read at once.
var pastDeadline = time.Unix(1, 0)

// Wake ends Wait, or the next one. Anybody may call it at any time; it does not
// block.
func (s *Stream) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woken = true
	_ = s.conn.SetReadDeadline(pastDeadline) // one that is closed ends its Read by itself
}

// Wait waits until it is woken or a time has come, while the listener is there and
// says nothing. The time may be zero: it does not come. Waiting is reading, so it
// takes neither a timer nor a goroutine of its own.
func (s *Stream) Wait(until time.Time) error {
	switch woken, gone := s.takeWake(until); {
	case gone:
		return ErrGone
	case woken:
		return nil
	}
	_, err := s.conn.Read(make([]byte, 1))
	if s.takeWake(until); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	return ErrGone
}

// takeWake reports whether the stream was woken since it was last asked; if not, the next
// Read ends at a time.
func (s *Stream) takeWake(until time.Time) (woken, gone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if woken, s.woken = s.woken, false; !woken {
		_ = s.conn.SetReadDeadline(until) // Read tells of one that is closed
	}
	return woken, s.gone
}

// Event sends a message. The id and the name may be empty; data is one line.
func (s *Stream) Event(id, name string, data []byte) error {
	var head []byte
	if id != "" {
		head = fmt.Appendf(head, "id: %s\n", id)
	}
	if name != "" {
		head = fmt.Appendf(head, "event: %s\n", name)
	}
	return s.write(append(head, "data: "...), data, []byte("\n\n"))
}

// Comment sends what is no message.
func (s *Stream) Comment(text string) error { return s.write([]byte(": " + text + "\n\n")) }

// write sends parts of the stream's text, without copying them.
func (s *Stream) write(parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	s.answer.Size += int64(size)
	if s.chunked {
		parts = append(append([][]byte{fmt.Appendf(nil, "%x\r\n", size)}, parts...), []byte("\r\n"))
	}
	err := s.conn.SetWriteDeadline(time.Now().Add(s.writeTimeout))
	if err == nil {
		_, err = (*net.Buffers)(&parts).WriteTo(s.conn)
	}
	s.broken = s.broken || err != nil
	return err
}

// Close ends the stream, and its connection with it.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chunked && !s.broken && !s.gone {
		_ = s.conn.SetWriteDeadline(time.Now().Add(s.writeTimeout))
		_, _ = s.conn.Write([]byte("0\r\n\r\n")) // nobody may be there to see the end
	}
	_ = s.conn.Close()
}
