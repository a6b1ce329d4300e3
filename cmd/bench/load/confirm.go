package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// confirm is one that was created, and what must have become of it.
type confirm struct {
	id, hash string
	status   string
}

// created reads an answer to a posted confirm.
func created(a answer) (confirm, error) {
	const member = `"confirm_id":"`
	_, rest, found := bytes.Cut(a.body, []byte(member))
	id, _, ended := bytes.Cut(rest, []byte(`"`))
	if a.status != http.StatusCreated || !found || !ended || a.etag == "" {
		return confirm{}, unexpected(a, http.StatusCreated)
	}
	return confirm{id: string(id), hash: strings.Trim(a.etag, `"`), status: "pending"}, nil
}

// unexpected is the error of an answer that should have been another.
func unexpected(a answer, want int) error {
	return fmt.Errorf("status %d where %d belongs: %.300s", a.status, want, a.body)
}

// check holds the outcome in an answer to the confirm.
func (c *confirm) check(a answer) error {
	if a.status != http.StatusOK {
		return unexpected(a, http.StatusOK)
	}
	var o struct {
		ID     string `json:"confirm_id"`
		Hash   string `json:"content_hash"`
		Status string `json:"status"`
		Cause  string `json:"cause"`
	}
	if err := json.Unmarshal(a.body, &o); err != nil {
		return err
	}
	if decided := c.status != "pending"; o.ID != c.id || o.Hash != c.hash || o.Status != c.status || decided != (o.Cause == "agent") {
		return fmt.Errorf("confirm %s with %s must be %s: %s", c.id, c.hash, c.status, a.body)
	}
	return nil
}

// readers is how many connections read back.
const readers = 16

// readBack reads the outcome of every confirm.
func (j *Job) readBack(ctx context.Context, key string, list []confirm) error {
	until := j.until()
	return crowd(ctx, readers, func(ctx context.Context, i int) error {
		c, err := dial(ctx, j.Address, until, largeBuffer)
		if err != nil {
			return err
		}
		defer c.close()
		for ; i < len(list) && ctx.Err() == nil; i += readers {
			a, err := c.do(Get(j.Address, Outcome(list[i].id), Bearer(key)))
			if err != nil {
				return err
			}
			if err := list[i].check(a); err != nil {
				return fmt.Errorf("read back: %w", err)
			}
		}
		return nil
	})
}
