package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"countersign/domain/mplp"
	"countersign/web/client"
	"countersign/web/native"
)

const (
	// reuseTime is how long a decision that came too late is kept for the same call.
	reuseTime = 10 * time.Minute
	// consumeTimeout is how long using an approval may take, with all tries.
	consumeTimeout = 8 * time.Second
	// grace is how long after the time to decide the gateway still asks what came of it.
	grace = time.Minute
)

// ask is one request for approval. What it is about never changes.
type ask struct {
	key     string
	confirm *client.Confirm
	args    json.RawMessage // as they were asked for
	expires time.Time
	posted  chan struct{} // closed once the server has it
	done    chan struct{} // closed once outcome or err is set
	posting context.Context
	stop    func() // ends posting

	// Written before done is closed.
	outcome *client.Outcome
	err     error
	decided time.Time

	// Guarded by gateway.mu.
	isTaken     bool // a call runs, or ran, with this approval
	isWithdrawn bool // the gateway asked to cancel it
	waiters     int
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// keyOf names what makes two calls the same call.
func keyOf(name string, args json.RawMessage) (string, error) {
	canonical, err := native.Canonical(args)
	return native.Digest(name, canonical), err
}

// attach returns the request that is to decide a call: the one that the same call is
// waiting for, or was, or a new one. It returns nil for a call that is held no more.
func (g *gateway) attach(c *call) *ask {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held[c.id] != c {
		return nil
	}
	for key, a := range g.asks {
		if isClosed(a.done) && time.Since(a.decided) > reuseTime {
			g.forget(key, a)
		}
	}
	a := g.asks[c.key]
	if a == nil {
		a = g.newAsk(c)
		g.asks[c.key] = a
		go g.follow(a)
	}
	a.waiters++
	return a
}

// forget drops a request whose outcome is told or too old.
func (g *gateway) forget(key string, a *ask) {
	if g.asks[key] != a {
		return
	}
	delete(g.asks, key)
	if o := a.outcome; o != nil && o.Status == "rejected" {
		g.rejected[key] = o.ConfirmID
	}
}

// leave ends the wait of one call.
func (g *gateway) leave(a *ask) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a.waiters--
}

// newAsk words the request for a call.
func (g *gateway) newAsk(c *call) *ask {
	known := g.tools[c.params.name]
	action := client.Action{Name: c.params.name, Args: c.params.args, ToolUseID: c.execution}
	config := client.ReviewConfig{AllowedDecisions: []string{"approve", "edit", "reject"}}
	reason := "MCP server " + cmp.Or(g.Name, g.serverName, g.Fallback)
	if g.clientName != "" {
		reason += ", asked by " + g.clientName
	}
	if known != nil {
		action.Description, config.ArgsSchema = known.description, known.schema
		if known.isChanged {
			reason += ". The MCP server has changed the definition of this tool since it was first listed"
		}
	}
	timeout := cmp.Or(g.Rules.Timeout, defaultTimeout)
	// The end of the gateway does not cut a request that is on its way: it could not be
	// withdrawn before the server has it.
	posting, stop := context.WithTimeout(context.WithoutCancel(g.ctx), g.Wait)
	return &ask{
		posting: posting, stop: stop,
		key: c.key, args: c.params.args, posted: make(chan struct{}), done: make(chan struct{}),
		expires: time.Now().Add(time.Duration(timeout) * time.Second),
		confirm: &client.Confirm{
			ID: client.NewID(), Actions: []client.Action{action}, ReviewConfigs: []client.ReviewConfig{config}, Reason: reason,
			RequiredRole: g.Rules.Role, SessionID: "mcp." + g.run, Supersedes: g.rejected[c.key], Timeout: timeout,
		},
	}
}

// follow posts a request and waits for its outcome, whether a call still waits or not.
func (g *gateway) follow(a *ask) {
	defer close(a.done)
	ctx, end := context.WithDeadline(g.ctx, a.expires.Add(grace))
	defer end()
	a.err = g.Asker.Request(a.posting, a.confirm)
	isLate := a.posting.Err() != nil
	a.stop()
	switch {
	case a.err == nil:
		close(a.posted)
		a.outcome, a.err = g.Asker.Wait(ctx, a.confirm.ID)
	case isLate:
		a.err = errors.New(g.lastFailure())
	}
	a.decided = time.Now()
}

// verdict is what a call gets: arguments to run with, or words why it does not run.
// With neither, nobody waits for it any more.
type verdict struct {
	args  json.RawMessage
	words string
}

func couldNotAsk(why string) verdict {
	return verdict{words: "Countersign could not be asked (" + why + "), so this does not run."}
}

// await waits for the decision on a call.
func (g *gateway) await(ctx context.Context, c *call) verdict {
	over := time.NewTimer(g.Wait)
	defer over.Stop()
	progress := newProgress(g, c)
	defer progress.Stop()
	for {
		a := g.attach(c)
		if a == nil {
			return verdict{}
		}
		v, isAgain := g.awaitOne(ctx, c, a, over.C, progress)
		g.leave(a)
		if !isAgain {
			return v
		}
	}
}

// awaitOne waits for one request. It reports whether the call needs another one.
func (g *gateway) awaitOne(ctx context.Context, c *call, a *ask, over <-chan time.Time, progress *progress) (v verdict, isAgain bool) {
	for {
		select {
		case <-a.done:
			return g.conclude(ctx, c, a)
		case <-ctx.Done():
			return verdict{}, false
		case <-progress.C:
			progress.tell()
		case <-over:
			if isClosed(a.done) {
				return g.conclude(ctx, c, a)
			}
			if !isClosed(a.posted) {
				return couldNotAsk(g.lastFailure()), false
			}
			return verdict{words: fmt.Sprintf("Not decided yet (confirm %s, expires %s): call again with the same arguments to go on waiting. Do not try another way.",
				a.confirm.ID, mplp.RenderTime(a.expires))}, false
		}
	}
}

// conclude turns an outcome into a verdict. An approval is used by one call.
func (g *gateway) conclude(ctx context.Context, c *call, a *ask) (v verdict, isAgain bool) {
	g.mu.Lock()
	if g.held[c.id] != c { // the outcome is kept for when the agent calls again
		g.mu.Unlock()
		return v, false
	}
	g.forget(c.key, a)
	isApproved := a.err == nil && a.outcome.IsApproved()
	isAgain = isApproved && a.isTaken || a.err == nil && a.outcome.Status == "cancelled" && a.isWithdrawn
	if isApproved {
		a.isTaken = true
	}
	g.mu.Unlock()
	switch {
	case isAgain:
		return v, true
	case a.err != nil:
		return couldNotAsk(a.err.Error()), false
	case !isApproved:
		return verdict{words: a.outcome.Words()}, false
	}
	args, err := g.use(ctx, c, a)
	if err != nil {
		return couldNotAsk(err.Error()), false
	}
	return verdict{args: args}, false
}

// use uses an approval for a call and returns the arguments to run with.
func (g *gateway) use(ctx context.Context, c *call, a *ask) (json.RawMessage, error) {
	args, err := a.outcome.EffectiveArgs(0, a.args)
	if err != nil {
		return nil, err
	}
	d := a.outcome.Decisions[0]
	if d.EditedAction != nil && d.EditedAction.Name != c.params.name {
		return nil, fmt.Errorf("another tool, %q, was approved", d.EditedAction.Name)
	}
	ctx, stop := context.WithTimeout(ctx, consumeTimeout)
	defer stop()
	return args, g.Asker.Consume(ctx, a.confirm.ID, c.execution, 0, d.ArgsHash)
}

// withdraw cancels a request that no call waits for, once the server has it.
func (g *gateway) withdraw(ctx context.Context, a *ask, reason string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), consumeTimeout)
	defer stop()
	select {
	case <-a.posted:
	case <-a.done:
	case <-ctx.Done():
		a.stop()
	}
	_ = g.Asker.Cancel(ctx, a.confirm.ID, reason) // decided already, or it times out
}

// withdrawAll cancels everything that is not decided.
func (g *gateway) withdrawAll(ctx context.Context, reason string) {
	g.mu.Lock()
	var open []*ask
	for _, a := range g.asks {
		if !isClosed(a.done) || a.err != nil { // the end may already have ended the wait
			a.isWithdrawn = true
			open = append(open, a)
		}
	}
	g.mu.Unlock()
	var all sync.WaitGroup
	for _, a := range open {
		all.Go(func() { g.withdraw(ctx, a, reason) })
	}
	all.Wait()
}
