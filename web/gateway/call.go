package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"countersign/domain/mplp"
	"countersign/web/native"
)

// receive takes a call of a tool. Without an id nobody could be told what became of
// it, so it is dropped.
func (g *gateway) receive(r *jsonrpc.Request) {
	if !r.IsCall() {
		return
	}
	p, err := parseParams(r.Params)
	if err != nil {
		g.fail(r.ID, jsonrpc.CodeInvalidParams, "Invalid params: "+err.Error())
		return
	}
	key, err := keyOf(p.name, p.args)
	if err != nil {
		g.fail(r.ID, jsonrpc.CodeInvalidParams, "Invalid params: "+err.Error())
		return
	}
	c := &call{id: r.ID, params: p, key: key, execution: executionOf(r.ID)}
	g.mu.Lock()
	g.noteRequest(r)
	do, message := g.Rules.decide(p.name, g.tools[p.name])
	again, isGoingOn := g.goingOn[p.state]
	if isGoingOn = isGoingOn && p.state != "" && again.key == key; isGoingOn && do != doDeny {
		delete(g.goingOn, p.state)
	}
	_, isHeld := g.held[r.ID]
	_, isPassed := g.passed[r.ID]
	ctx, stop := context.WithCancel(g.ctx)
	c.stop = stop
	if !isHeld && !isPassed && do == doAsk && !isGoingOn {
		g.held[r.ID] = c
	}
	g.mu.Unlock()
	switch {
	case isHeld || isPassed:
		stop()
		g.fail(r.ID, jsonrpc.CodeInvalidRequest, "A request with this id is not answered yet.")
	case do == doDeny:
		stop()
		if message == "" {
			message = "The rules of the gateway do not let agents use this tool."
		}
		g.refuse(c, message)
	case isGoingOn:
		stop()
		g.runApproved(c, again.args)
	case do == doAllow:
		stop()
		r.Params = p.raw
		g.forward(r, &passed{method: r.Method})
	default:
		go g.hold(ctx, c)
	}
}

// executionOf names the execution of a call.
func executionOf(id jsonrpc.ID) string {
	text := fmt.Sprint(id.Raw())
	if !mplp.IsID(text) {
		text = native.Digest(text)
	}
	return text
}

// hold waits for the decision on a call, and runs it or tells why it does not run.
func (g *gateway) hold(ctx context.Context, c *call) {
	defer c.stop()
	v := g.await(ctx, c)
	g.mu.Lock()
	isHeld := g.held[c.id] == c && g.ctx.Err() == nil
	if isHeld {
		delete(g.held, c.id)
	}
	g.mu.Unlock()
	switch {
	case !isHeld:
	case v.args != nil:
		g.runApproved(c, v.args)
	default:
		g.refuse(c, v.words)
	}
}

// runApproved runs a call with the arguments that were approved.
func (g *gateway) runApproved(c *call, args json.RawMessage) {
	g.forward(&jsonrpc.Request{ID: c.id, Method: "tools/call", Params: c.params.with(args)}, &passed{method: "tools/call", call: c, args: args})
}

// forward passes a request on. Over HTTP that takes as long as its answer.
func (g *gateway) forward(r *jsonrpc.Request, p *passed) {
	ctx, stop := context.WithCancel(context.WithoutCancel(g.ctx))
	p.stop = stop
	g.mu.Lock()
	if g.ctx.Err() != nil { // what was held until now must not run at the end
		g.mu.Unlock()
		stop()
		g.unreachable(r, context.Cause(g.ctx))
		return
	}
	g.passed[r.ID] = p
	if g.OverHTTP {
		ctx = withHeaders(ctx, g.version, g.tools, r)
	}
	g.mu.Unlock()
	write := func() {
		err := g.server.Write(ctx, r)
		if err == nil {
			return
		}
		if g.finish(r.ID, p) {
			g.unreachable(r, err)
			g.checkIdle()
		}
	}
	if g.OverHTTP {
		go write()
	} else {
		write()
	}
}

// finish ends a request that was passed on, and reports whether it was still open.
func (g *gateway) finish(id jsonrpc.ID, p *passed) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passed[id] != p {
		return false
	}
	delete(g.passed, id)
	return true
}

// cancel ends a held call, and passes on what is about another request.
func (g *gateway) cancel(r *jsonrpc.Request) error {
	var params struct {
		ID any `json:"requestId"`
	}
	_ = json.Unmarshal(r.Params, &params) // without an id it is passed on
	id, err := jsonrpc.MakeID(params.ID)
	if err != nil {
		id = jsonrpc.ID{}
	}
	g.mu.Lock()
	c, p := g.held[id], g.passed[id]
	var alone *ask
	if c != nil {
		delete(g.held, id)
		c.stop()
		if a := g.asks[c.key]; a != nil && a.waiters <= 1 && !isClosed(a.done) {
			a.isWithdrawn, alone = true, a
		}
	}
	isNew := g.version >= firstNewVersion
	g.mu.Unlock()
	switch {
	case c != nil:
		if alone != nil {
			go g.withdraw(g.ctx, alone, "The agent cancelled the call.")
		}
		return nil
	case p != nil && g.OverHTTP && isNew:
		p.stop() // the end of the request is the cancellation there
		g.finish(id, p)
		return nil
	}
	return g.send(r)
}
