package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"countersign/domain"
)

// client speaks the JSON interface, as any agent would.
type client struct {
	base string // of the server, without a slash at the end
	key  string
}

// answerTimeout is longer than the longest wait for an outcome.
const answerTimeout = domain.MaxWait + 30*time.Second

// maxAnswer bounds the answers that are read, in bytes.
const maxAnswer = 16 << 20

// call sends a request and reads the answer into out. body and out may be nil.
// Problem documents become errors.
func (c *client) call(ctx context.Context, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // everything has been read
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		var problem struct{ Detail string }
		_ = json.Unmarshal(answer, &problem) // then the status alone must do
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, problem.Detail)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
