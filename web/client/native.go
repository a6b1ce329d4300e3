package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// Native is the answer to a harness in its own shape.
type Native struct {
	Body      json.RawMessage // as it was sent
	ConfirmID string
	Status    string // pending, approved, rejected or cancelled
}

// reserve is what remains of a wait for the last answer to arrive.
const reserve = 2 * time.Second

// Native posts what a harness has in its hands and waits until it is decided. members
// are those of the address, such as timeout and reason; nil has none. Shortly before
// the deadline of ctx it returns the answer of an undecided request, which blocks too.
// While the server cannot be reached it tries again.
func (c *Client) Native(ctx context.Context, format string, body json.RawMessage, members url.Values) (*Native, error) {
	members = maps.Clone(members)
	if members == nil {
		members = url.Values{}
	}
	members.Set("execution_id", cmp.Or(members.Get("execution_id"), NewID()))
	header := http.Header{}
	for {
		began := time.Now()
		wait := min(timeLeft(ctx), slice).Truncate(time.Second)
		members.Set("wait", fmt.Sprintf("%.0f", wait.Seconds()))
		path := "/api/v1/native/" + url.PathEscape(format) + "?" + members.Encode()
		a, err := c.retry(ctx, time.Time{}, call{method: http.MethodPost, path: path, body: body, header: header, wait: wait})
		if err != nil {
			return nil, err
		}
		found := &Native{Body: a.body, ConfirmID: a.header.Get("Countersign-Confirm"), Status: a.header.Get("Countersign-Status")}
		if found.Status == "" || !json.Valid(a.body) {
			return nil, errors.New("this is no answer of Countersign")
		}
		if found.Status != "pending" || timeLeft(ctx) < time.Second {
			return found, nil
		}
		header.Set("Countersign-Confirm", found.ConfirmID)
		if sleep(ctx, minPause-time.Since(began)) != nil {
			return found, nil // undecided blocks
		}
	}
}

// timeLeft returns how long a call may still wait before the deadline of ctx.
func timeLeft(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return slice
	}
	return max(time.Until(deadline)-reserve, 0)
}
