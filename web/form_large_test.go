package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestN10_LargeFormsOfOneUser are so many at once, and another's are read meanwhile.
func TestN10_LargeFormsOfOneUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	greedy, other := w.user("greedy", "reviewer"), w.user("other", "reviewer")
	address, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(b *browser) (next func(want int)) {
		conn, err := net.Dial("tcp", address.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		var cookies []string
		for _, cookie := range b.client.Jar.Cookies(address) {
			cookies = append(cookies, cookie.String())
		}
		if _, err := fmt.Fprintf(conn, "POST /logout HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
			address.Host, w.url, strings.Join(cookies, "; "), 1<<20); err != nil {
			t.Fatal(err)
		}
		return func(want int) {
			t.Helper()
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil && err != io.EOF || !strings.HasPrefix(line, fmt.Sprintf("HTTP/1.1 %d ", want)) {
				t.Fatalf("answer %q, %v, want %d", line, err, want)
			}
		}
	}
	for range 4 {
		begin(greedy)(http.StatusContinue)
	}
	refused := begin(greedy)
	begin(other)(http.StatusContinue)
	refused(http.StatusTooManyRequests)
}
