// Package client calls a Countersign server's JSON interface, as agents do.
//
// Connection errors, 429 and 503 are tried again; every other refusal is a *Problem.
// Arguments are json.RawMessage both ways, so numbers keep their digits. The end of a
// context ends a wait and cancels no request: another wait may go on with its id.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls one server with one key. It is safe for concurrent use.
type Client struct {
	// Retrying is told why a call will be tried again. Nil: nobody is told.
	Retrying func(err error)

	server string // without a slash at the end
	key    string
	http   *http.Client
}

// New returns a client of the server at this URL, which has no path.
func New(server, key string) *Client {
	return &Client{
		server: strings.TrimRight(server, "/"), key: key,
		// A redirect would send the key elsewhere, or turn a POST into a GET.
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Page returns the address of a request's page.
func (c *Client) Page(confirmID string) string {
	return c.server + "/confirms/" + url.PathEscape(confirmID)
}

const (
	// slice is the longest wait of one call: proxies cut longer ones.
	slice = 50 * time.Second
	// maxWait is the longest that a server waits.
	maxWait = 10 * time.Minute
	// answerTimeout is how long an answer may take beyond its wait.
	answerTimeout = 30 * time.Second
	// maxAnswer bounds how much of an answer is read, in bytes.
	maxAnswer = 16 << 20
)

// Call sends one request, without a second try, and decodes the answer into out. body
// and out may be nil. A refusal is a *Problem.
func (c *Client) Call(ctx context.Context, method, path string, body, out any) error {
	raw, err := encode(body)
	if err != nil {
		return err
	}
	a, err := c.send(ctx, call{method: method, path: path, body: raw, wait: maxWait})
	if err != nil || out == nil {
		return err
	}
	return a.decode(out)
}

// encode writes a body without escaping for HTML, so that arguments inside it keep
// their bytes. It returns nil for nil.
func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(body)
	return text.Bytes(), err
}

// call is a request of the client. A nil body sends none.
type call struct {
	method, path string
	body         []byte
	header       http.Header
	wait         time.Duration // what the server was asked to wait
}

// answer is what the server answered to a call that it did not refuse.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// decode reads an answer that must be JSON.
func (a *answer) decode(out any) error {
	if err := json.Unmarshal(a.body, out); err != nil {
		return fmt.Errorf("this is no answer of Countersign: %w", err)
	}
	return nil
}

// send makes a call once.
func (c *Client) send(ctx context.Context, call call) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, call.wait+answerTimeout)
	defer cancel()
	var content io.Reader
	if call.body != nil {
		content = bytes.NewReader(call.body)
	}
	request, err := http.NewRequestWithContext(ctx, call.method, c.server+call.path, content)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, call.header)
	request.Header.Set("Authorization", "Bearer "+c.key)
	if call.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, newUnreachable(err)
	}
	defer func() { _ = response.Body.Close() }() // everything has been read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, newUnreachable(err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, newProblem(call, response, text)
	}
	return &answer{response.StatusCode, response.Header, text}, nil
}
