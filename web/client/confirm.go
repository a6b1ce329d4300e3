package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Confirm is a request for a decision on tool calls.
type Confirm struct {
	// ID names the request. The same id with the same content attaches to it. Request
	// and Ask set an empty one before the first try.
	ID            string         `json:"confirm_id"`
	TargetType    string         `json:"target_type"` // empty: "other"
	Actions       []Action       `json:"actions"`
	ReviewConfigs []ReviewConfig `json:"review_configs,omitempty"` // one for all, or one for each action
	Reason        string         `json:"reason,omitempty"`
	RequiredRole  string         `json:"required_role,omitempty"` // the role that must decide
	SessionID     string         `json:"session_id,omitempty"`
	Supersedes    string         `json:"supersedes,omitempty"` // the confirm that this one follows
	Timeout       int            `json:"timeout,omitempty"`    // seconds; 0: the server's, 300
}

// Action is a tool call. Args is a JSON object, whose bytes are shown and decided on.
type Action struct {
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args"`
	ToolUseID   string          `json:"tool_use_id,omitempty"`
	Description string          `json:"description,omitempty"`
}

// ReviewConfig says what may be decided on an action.
type ReviewConfig struct {
	AllowedDecisions []string        `json:"allowed_decisions,omitempty"` // approve, edit, reject
	ArgsSchema       json.RawMessage `json:"args_schema,omitempty"`       // JSON Schema of the arguments
}

// defaultTimeout is the server's, in seconds.
const defaultTimeout = 300

// grace is how long after the deadline an outcome may come.
const grace = 5 * time.Second

// Request posts a confirm and does not wait. While the server cannot be reached it
// tries again, as long as the confirm would wait for a decision.
func (c *Client) Request(ctx context.Context, confirm *Confirm) error {
	_, err := c.post(ctx, confirm, 0)
	return err
}

// Ask posts a confirm and waits for its outcome, which is final. While the server
// cannot be reached it tries again, as long as the confirm waits for a decision.
func (c *Client) Ask(ctx context.Context, confirm *Confirm) (*Outcome, error) {
	o, err := c.post(ctx, confirm, slice)
	if err != nil || o.isFinal() {
		return o, err
	}
	return c.await(ctx, confirm.ID, time.Now().Add(confirm.lifetime()+grace))
}

// Wait waits until a request is decided, or ctx ends. While the server cannot be
// reached it tries again.
func (c *Client) Wait(ctx context.Context, confirmID string) (*Outcome, error) {
	return c.await(ctx, confirmID, time.Time{})
}

// Cancel withdraws a request that is not decided.
func (c *Client) Cancel(ctx context.Context, confirmID, reason string) error {
	return c.postJSON(ctx, confirmPath(confirmID)+"/cancel", map[string]string{"reason": reason})
}

// Consume uses the approval of one action. Another execution can not use it again.
// argsHash is that of the outcome's decision.
func (c *Client) Consume(ctx context.Context, confirmID, executionID string, action int, argsHash string) error {
	return c.postJSON(ctx, "/api/v1/gate/consume", map[string]any{
		"confirm_id": confirmID, "execution_id": executionID, "action": action, "args_hash": argsHash,
	})
}

// NewID returns an id for a request or an execution.
func NewID() string { return rand.Text() }

func confirmPath(id string) string { return "/api/v1/confirms/" + url.PathEscape(id) }

func (c *Confirm) lifetime() time.Duration {
	return time.Duration(cmp.Or(c.Timeout, defaultTimeout)) * time.Second
}

// postJSON posts what has no answer of interest, until ctx ends.
func (c *Client) postJSON(ctx context.Context, path string, body any) error {
	raw, err := encode(body)
	if err != nil {
		return err
	}
	_, err = c.retry(ctx, time.Time{}, call{method: http.MethodPost, path: path, body: raw})
	return err
}

// post posts a confirm and returns its outcome, as far as there is one.
func (c *Client) post(ctx context.Context, confirm *Confirm, wait time.Duration) (*Outcome, error) {
	confirm.ID = cmp.Or(confirm.ID, NewID())
	confirm.TargetType = cmp.Or(confirm.TargetType, "other")
	raw, err := encode(confirm)
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("/api/v1/confirms?wait=%.0f", wait.Seconds())
	a, err := c.retry(ctx, time.Now().Add(confirm.lifetime()), call{method: http.MethodPost, path: path, body: raw, wait: wait})
	if err != nil {
		return nil, err
	}
	return newOutcome(a, confirm.ID)
}

// await asks for the outcome until it is final.
func (c *Client) await(ctx context.Context, id string, giveUp time.Time) (*Outcome, error) {
	path := fmt.Sprintf("%s/outcome?wait=%.0f", confirmPath(id), slice.Seconds())
	for {
		began := time.Now()
		a, err := c.retry(ctx, giveUp, call{method: http.MethodGet, path: path, wait: slice})
		if err != nil {
			return nil, err
		}
		o, err := newOutcome(a, id)
		if err != nil || o.isFinal() {
			return o, err
		}
		// A server that stops does not wait. It is not to be asked without a pause.
		if err := sleep(ctx, minPause-time.Since(began)); err != nil {
			return nil, err
		}
	}
}

// newOutcome reads an outcome, or a confirm that was posted. That has no hash and is
// not final, whatever its status.
func newOutcome(a *answer, id string) (*Outcome, error) {
	o := &Outcome{}
	if err := a.decode(o); err != nil {
		return nil, err
	}
	if o.ConfirmID != id {
		return nil, errors.New("this is no answer of Countersign: it is about another request")
	}
	o.Raw = a.body
	return o, nil
}
