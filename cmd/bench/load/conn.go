package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// patience bounds a whole job beyond its own time: an answer that never comes
// fails the run instead of holding it up.
const patience = time.Minute

// conn is one connection that is kept alive. It parses answers as far as the
// clock needs them: a general HTTP client would cost as much as the no-op server
// that it measures.
type conn struct {
	net  net.Conn
	in   *bufio.Reader
	body []byte
}

// answer is one answer. Its body is valid until the next one is read.
type answer struct {
	status int
	etag   string // as it was sent
	body   []byte
}

// dial connects; buffer is the size of the reader, which must hold the longest
// header.
func dial(ctx context.Context, address string, until time.Time, buffer int) (*conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := c.SetDeadline(until); err != nil {
		return nil, err
	}
	return &conn{net: c, in: bufio.NewReaderSize(c, buffer)}, nil
}

func (c *conn) close() { _ = c.net.Close() } // nothing is lost with it

func (c *conn) do(request []byte) (answer, error) {
	if err := c.send(request); err != nil {
		return answer{}, err
	}
	return c.receive()
}

func (c *conn) send(request []byte) error {
	_, err := c.net.Write(request)
	return err
}

func (c *conn) receive() (a answer, err error) {
	head, err := c.head()
	if err != nil {
		return a, err
	}
	a.status, a.etag = head.status, head.etag
	c.body = c.body[:0]
	switch {
	case head.chunked:
		err = c.chunks()
	case head.length > 0:
		err = c.take(head.length)
	}
	a.body = c.body
	return a, err
}

// head is what of an answer's headers says how to go on.
type head struct {
	status  int
	length  int
	chunked bool
	etag    string
}

func (c *conn) head() (h head, err error) {
	line, err := c.line()
	if err != nil {
		return h, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return h, fmt.Errorf("no HTTP: %q", line)
	}
	if h.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return h, fmt.Errorf("no HTTP: %q", line)
	}
	for {
		if line, err = c.line(); err != nil || len(line) == 0 {
			return h, err
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Content-Length":
			if h.length, err = strconv.Atoi(string(value)); err != nil {
				return h, fmt.Errorf("no length: %q", line)
			}
		case "Transfer-Encoding":
			h.chunked = true
		case "Etag":
			h.etag = string(value)
		}
	}
}

// line reads a line without its end; it is valid until the next read.
func (c *conn) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

func (c *conn) chunks() error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(string(line), 16, 31)
		if err != nil {
			return fmt.Errorf("no chunk: %q", line)
		}
		if size > 0 {
			if err := c.take(int(size)); err != nil {
				return err
			}
		}
		if _, err := c.line(); err != nil || size == 0 {
			return err
		}
	}
}

// take adds n bytes to the body.
func (c *conn) take(n int) error {
	from := len(c.body)
	if cap(c.body) < from+n {
		c.body = append(make([]byte, 0, 2*(from+n)), c.body...)
	}
	c.body = c.body[:from+n]
	_, err := io.ReadFull(c.in, c.body[from:])
	return err
}
