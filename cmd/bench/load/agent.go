package load

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"time"
)

// Times within a round trip.
const (
	Decided = "decided" // from sending a decision to its answer
	Awake   = "awake"   // from that answer to the answer of the agent who waits
	Woken   = "woken"   // both together
)

// Agent is an agent who asks and waits, and somebody else who decides.
type Agent struct {
	Asks, Decides   Client
	Key, DeciderKey string
	Body            []byte // of what it asks for

	waitsFor Confirm
}

// Trip is a step: a confirm is created, waited for and decided.
func (a *Agent) Trip(ctx context.Context, r *Result) error {
	if err := a.Ask(ctx); err != nil {
		return err
	}
	return a.Decide(ctx, r)
}

// OneRequest is a step: an agent posts a confirm and waits in the same request. Whoever
// decides looks for it first, as they would on a page.
func (a *Agent) OneRequest(ctx context.Context, r *Result) error {
	id := rand.Text()
	body := append(fmt.Appendf(nil, `{"confirm_id":%q,`, id), a.Body[1:]...)
	if err := a.Asks.send(ctx, Post("/api/v1/confirms?wait=60", body, Bearer(a.Key))); err != nil {
		return err
	}
	for {
		found, err := a.Decides.Do(ctx, Get("/api/v1/confirms/"+id, Bearer(a.DeciderKey)), http.StatusOK)
		switch found.Status {
		case http.StatusOK:
			a.waitsFor = Confirm{id, strings.Trim(found.Header.Get("ETag"), `"`), "pending"}
			return a.Decide(ctx, r)
		case http.StatusNotFound:
		default:
			return err
		}
	}
}

// Ask creates a confirm and begins to wait for its outcome.
func (a *Agent) Ask(ctx context.Context) error {
	posted, err := a.Asks.Do(ctx, Post("/api/v1/confirms", a.Body, Bearer(a.Key)), http.StatusCreated)
	if err != nil {
		return err
	}
	a.waitsFor = created(posted)
	return a.Asks.send(ctx, a.waitsFor.Wait(a.Key))
}

// Decide approves what the agent waits for, and sees it awake.
func (a *Agent) Decide(ctx context.Context, r *Result) error {
	if err := a.Decides.connect(ctx); err != nil {
		return err
	}
	body := fmt.Appendf(nil, `{"status":"approved","content_hash":%q}`, a.waitsFor.Hash)
	request := Post("/api/v1/confirms/"+a.waitsFor.ID+"/decisions", body, Bearer(a.DeciderKey))
	began := time.Now()
	if _, err := a.Decides.Do(ctx, request, http.StatusCreated); err != nil {
		return err
	}
	decided := time.Now()
	outcome, err := a.Asks.receive(http.StatusOK)
	if err != nil {
		return err
	}
	awake := time.Now()
	r.Add(Decided, decided.Sub(began))
	r.Add(Awake, awake.Sub(decided))
	r.Add(Woken, awake.Sub(began))
	a.waitsFor.Status = "approved"
	r.keep(a.waitsFor)
	if !a.waitsFor.isIn(outcome.Body) {
		return fmt.Errorf("%v was decided, but its agent is told %s", a.waitsFor, outcome.Body)
	}
	return nil
}

// Confirm is one that was created, and what must have become of it.
type Confirm struct {
	ID     string `json:"confirm_id"`
	Hash   string `json:"content_hash"`
	Status string `json:"status"`
}

func created(a Answer) Confirm {
	return Confirm{path.Base(a.Header.Get("Location")), strings.Trim(a.Header.Get("ETag"), `"`), "pending"}
}

// Wait builds the request that waits for the outcome.
func (c Confirm) Wait(key string) []byte { return Get(c.outcome()+"?wait=60", Bearer(key)) }

func (c Confirm) outcome() string { return "/api/v1/confirms/" + c.ID + "/outcome" }

// isIn reports whether an outcome is the confirm's.
func (c Confirm) isIn(outcome []byte) bool {
	var got Confirm
	return json.Unmarshal(outcome, &got) == nil && got == c
}

func (r *Result) keep(c Confirm) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Confirms = append(r.Confirms, c)
}

// ReadBack reads the outcome of every confirm, and returns how many are not as
// they were acknowledged.
func ReadBack(ctx context.Context, address, key string, confirms []Confirm) (lost int, err error) {
	const readers = 16
	var missing atomic.Int64
	err = Together(ctx, readers, func(ctx context.Context, i int) error {
		for c := (&Client{Address: address}); i < len(confirms); i += readers {
			outcome, err := c.Do(ctx, Get(confirms[i].outcome(), Bearer(key)), http.StatusOK)
			if outcome.Status == 0 {
				return err
			}
			if !confirms[i].isIn(outcome.Body) {
				missing.Add(1)
			}
		}
		return nil
	})
	return int(missing.Load()), err
}
