package park

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
)

// maxText is the most, in bytes, of a request that is parked: keeping more would
// be against the purpose.
const maxText = 4 << 10

// Text is a request without a body as its client could have sent it, nil if it
// is too long to be parked.
func Text(r *http.Request) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", r.Method, r.RequestURI, r.Proto, r.Host)
	_ = r.Header.Write(&b) // memory does not fail
	b.WriteString("\r\n")
	if b.Len() > maxText {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

// conn is a connection on its way back, whose first request has been read
// before.
type conn struct {
	net.Conn
	lot    *Lot
	unread []byte
	past   atomic.Pointer[Past] // nil once the request has come
}

func (c *conn) Read(p []byte) (int, error) {
	if len(c.unread) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.unread)
	if c.unread = c.unread[n:]; len(c.unread) == 0 {
		c.unread = nil
	}
	return n, nil
}

// come says that the first request is the server's again, and gives its past.
func (c *conn) come() *Past {
	past := c.past.Swap(nil)
	if past != nil {
		c.lot.leave()
	}
	return past
}

// Close ends what a request holds that never came.
func (c *conn) Close() error {
	if past := c.come(); past != nil {
		past.end()
	}
	return c.Conn.Close()
}
