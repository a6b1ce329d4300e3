package sse_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/web/sse"
)

// pipes is a listener whose connections hold nothing that was not read.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() *pipes {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// answered asks a server whose only handler is follow, and gives its connection.
// It runs in a bubble.
func answered(t *testing.T, request string, follow func(*sse.Stream)) net.Conn {
	t.Helper()
	e := echo.New()
	e.GET("/", func(c echo.Context) error {
		stream, err := sse.Open(c, time.Second)
		if err != nil {
			return err
		}
		defer stream.Close()
		follow(stream)
		return nil
	})
	listener := newPipes()
	server := &http.Server{Handler: e}
	go func() { _ = server.Serve(listener) }()
	client, conn := net.Pipe()
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	listener.conns <- conn
	if _, err := io.WriteString(client, request); err != nil {
		t.Fatal(err)
	}
	return client
}

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// TestStream_IsAWholeAnswer, in either version of HTTP.
func TestStream_IsAWholeAnswer(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"1.1": request, "1.0": "GET / HTTP/1.0\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := answered(t, text, func(s *sse.Stream) {
					for _, err := range []error{s.Comment("connected"), s.Wait(time.Now().Add(time.Hour)), s.Event("1.0", "", []byte("{}"))} {
						if err != nil {
							t.Error(err)
						}
					}
				})
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(answer.Body)
				if want := ": connected\n\nid: 1.0\ndata: {}\n\n"; err != nil || string(body) != want {
					t.Errorf("body %q, %v, want %q", body, err, want)
				}
				if got := answer.Header.Get("Content-Type"); got != sse.Type {
					t.Errorf("Content-Type %q", got)
				}
			})
		})
	}
}

// TestStream_Waits until it is woken, also before it began to, or for a time.
func TestStream_Waits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := answered(t, request, func(s *sse.Stream) {
			began := time.Now()
			waited := func(want time.Duration, until time.Time) {
				t.Helper()
				if err := s.Wait(until); err != nil || time.Since(began) != want {
					t.Errorf("it waited %v, %v, want %v", time.Since(began), err, want)
				}
			}
			s.Wake()
			waited(0, time.Time{})
			waited(time.Minute, began.Add(time.Minute))
			go func() {
				time.Sleep(time.Minute)
				s.Wake()
			}()
			waited(2*time.Minute, began.Add(time.Hour))
			waited(time.Hour, began.Add(time.Hour)) // one time is enough
		})
		_, _ = io.Copy(io.Discard, conn)
	})
}

// TestB3_WhateverIsSentEndsAStream, and so does leaving.
func TestB3_WhateverIsSentEndsAStream(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		request string
		end     func(net.Conn) error
	}{
		"behind the request": {request + "x", func(net.Conn) error { return nil }},
		"later":              {request, func(c net.Conn) error { _, err := c.Write([]byte("x")); return err }},
		"leaving":            {request, net.Conn.Close},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 2)
				conn := answered(t, tt.request, func(s *sse.Stream) {
					ended <- s.Wait(time.Time{})
					ended <- s.Wait(time.Time{})
				})
				in := bufio.NewReader(conn)
				for line := ""; line != "\r\n"; {
					var err error
					if line, err = in.ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				}
				if err := tt.end(conn); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := <-ended; !errors.Is(err, sse.ErrGone) {
						t.Errorf("it ended with %v", err)
					}
				}
				if rest, _ := io.ReadAll(in); len(rest) > 0 {
					t.Errorf("then comes %q", rest)
				}
			})
		})
	}
}

// TestB2_UnreadStreamEnds once a write was not accepted in time.
func TestB2_UnreadStreamEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		began := time.Now()
		conn := answered(t, request, func(s *sse.Stream) { ended <- s.Event("1.0", "", []byte(strings.Repeat("x", 1000))) })
		if _, err := io.ReadFull(conn, make([]byte, 200)); err != nil { // the header, and no more
			t.Fatal(err)
		}
		var late net.Error
		if err := <-ended; !errors.As(err, &late) || !late.Timeout() {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
			t.Errorf("the connection goes on with %q, %v", rest, err)
		}
	})
}
