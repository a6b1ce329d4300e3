// Package load is the client side of the benchmark: closed loops over
// keep-alive connections, with requests that are built before the clock runs. A
// general HTTP client would cost as much as the no-op server that it measures.
package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Client is one connection to a host and port.
type Client struct {
	Address string

	conn net.Conn
	in   *bufio.Reader
	body bytes.Buffer
}

// Answer is what a server answered. Its body is valid until the next one.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request and returns the answer, which must have the status want.
func (c *Client) Do(ctx context.Context, request []byte, want int) (Answer, error) {
	if err := c.send(ctx, request); err != nil {
		return Answer{}, err
	}
	return c.receive(want)
}

// connect connects, if that was not done, until ctx ends.
func (c *Client) connect(ctx context.Context) (err error) {
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.Address); err != nil {
			return err
		}
		c.in = bufio.NewReader(c.conn)
		context.AfterFunc(ctx, func() { _ = c.conn.Close() }) // nothing is lost with it
	}
	return nil
}

func (c *Client) send(ctx context.Context, request []byte) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	_, err := c.conn.Write(request)
	return err
}

func (c *Client) receive(want int) (a Answer, err error) {
	const patience = 90 * time.Second // longer than an agent waits
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return a, err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return a, err
	}
	c.body.Reset()
	if _, err := c.body.ReadFrom(response.Body); err != nil {
		return a, err
	}
	a = Answer{response.StatusCode, response.Header, c.body.Bytes()}
	if a.Status != want {
		err = fmt.Errorf("status %d instead of %d: %.300s", a.Status, want, a.Body)
	}
	return a, err
}

// isWaiting reports whether nothing has been answered yet.
func (c *Client) isWaiting() bool {
	const moment = 10 * time.Millisecond
	_ = c.conn.SetReadDeadline(time.Now().Add(moment)) // on a closed connection reading fails too
	_, err := c.in.Peek(1)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// Bearer returns the header that carries a key.
func Bearer(key string) string { return "Authorization: Bearer " + key }

// Get builds a request. Each header is a line.
func Get(path string, headers ...string) []byte { return build("GET", path, nil, headers) }

// Post builds a request with a body of JSON, if no header says otherwise.
func Post(path string, body []byte, headers ...string) []byte {
	if !strings.Contains(strings.Join(headers, "\n"), "Content-Type:") {
		headers = append(headers, "Content-Type: application/json")
	}
	return build("POST", path, body, append(headers, fmt.Sprint("Content-Length: ", len(body))))
}

func build(method, path string, body []byte, headers []string) []byte {
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: localhost"}, headers...)
	return append([]byte(strings.Join(lines, "\r\n")+"\r\n\r\n"), body...)
}
