package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/web/client"
)

// Options are what a gateway needs.
type Options struct {
	Asker *client.Client
	Rules *Rules
	// Name is how requests call the MCP server. Empty: as it calls itself, else Fallback.
	Name, Fallback string
	Wait           time.Duration // how long one call is held
	// OverHTTP is set if calls take as long as their answers, and headers repeat
	// arguments.
	OverHTTP bool
}

// Why Run ended.
var (
	ErrServerEnded = errors.New("the MCP server has ended")
	errInputEnded  = errors.New("the input has ended")
)

type gateway struct {
	Options
	ctx           context.Context
	agent, server mcp.Connection
	run           string // names this run

	mu         sync.Mutex
	clientName string
	serverName string
	version    string // of the protocol, as far as it is known
	failure    string // why the last try to reach Countersign failed
	tools      map[string]*tool
	held       map[jsonrpc.ID]*call
	passed     map[jsonrpc.ID]*passed
	asks       map[string]*ask
	rejected   map[string]string // ids of rejected requests, by the call
	goingOn    map[string]goingOn
	idle       chan struct{} // closed when nothing is open; nil: nobody waits for that
}

// call is a call of a tool that is held.
type call struct {
	id        jsonrpc.ID
	params    *params
	key       string // names the same call
	execution string // names this one
	stop      context.CancelFunc
}

// passed is a request that went on to the MCP server and is not answered.
type passed struct {
	method string
	call   *call // nil: it was not asked about
	args   json.RawMessage
	stop   context.CancelFunc
}

// goingOn is a call that needs input of the agent's user. It is made again with what
// the agent sent first, and runs with what was approved.
type goingOn struct {
	key  string
	args json.RawMessage
}

// maxGoingOn bounds the calls that go on. Further ones are asked about again.
const maxGoingOn = 1000

// Run passes messages between an agent and an MCP server until the input of the agent
// ends (nil), the server ends (ErrServerEnded) or ctx is done. Then nothing is held or
// pending any more. answered is closed when the last answer is passed on.
func Run(ctx context.Context, agent, server mcp.Connection, o Options) (answered <-chan struct{}, err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	g := &gateway{
		Options: o, ctx: ctx, agent: agent, server: server, run: client.NewID(),
		tools: map[string]*tool{}, held: map[jsonrpc.ID]*call{}, passed: map[jsonrpc.ID]*passed{},
		asks: map[string]*ask{}, rejected: map[string]string{}, goingOn: map[string]goingOn{},
	}
	o.Asker.Retrying = g.noteFailure
	last := make(chan struct{})
	go func() {
		defer close(last)
		end(fmt.Errorf("%w: %w", ErrServerEnded, g.readServer()))
	}()
	go func() { end(g.readAgent()) }()
	<-ctx.Done()
	err = context.Cause(ctx)
	if errors.Is(err, ErrServerEnded) {
		g.answerAll()
	}
	g.withdrawAll(ctx, "The agent's MCP gateway has ended.")
	if errors.Is(err, errInputEnded) {
		err = nil
	}
	if o.OverHTTP { // an upstream does not end
		return g.whenIdle(), err
	}
	return last, err
}

// whenIdle returns a channel that is closed when every request is answered.
func (g *gateway) whenIdle() <-chan struct{} {
	g.mu.Lock()
	g.idle = make(chan struct{})
	idle := g.idle
	g.mu.Unlock()
	g.checkIdle()
	return idle
}

func (g *gateway) checkIdle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle != nil && len(g.passed) == 0 {
		close(g.idle)
		g.idle = nil
	}
}

func (g *gateway) noteFailure(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failure = err.Error()
}

func (g *gateway) lastFailure() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure == "" {
		return "no answer in time"
	}
	return g.failure
}

// readAgent passes on what the agent sends, until there is no more, and returns why.
func (g *gateway) readAgent() error {
	for {
		message, err := g.agent.Read(g.ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", errInputEnded, err)
		}
		request, isRequest := message.(*jsonrpc.Request)
		switch {
		case !isRequest:
			err = g.send(message)
		case request.Method == "tools/call":
			g.receive(request)
		case request.Method == "notifications/cancelled" && !request.IsCall():
			err = g.cancel(request)
		default:
			err = g.pass(request)
		}
		if err != nil && !g.OverHTTP {
			return fmt.Errorf("%w: %w", ErrServerEnded, err)
		}
	}
}

// send passes a message on that has no answer.
func (g *gateway) send(m jsonrpc.Message) error {
	ctx := g.ctx
	if g.OverHTTP {
		g.mu.Lock()
		ctx = withHeaders(ctx, g.version, nil, nil)
		g.mu.Unlock()
	}
	return g.server.Write(ctx, m)
}

// pass passes a request on that is no call of a tool.
func (g *gateway) pass(r *jsonrpc.Request) error {
	g.mu.Lock()
	g.noteRequest(r)
	g.mu.Unlock()
	if !r.IsCall() {
		return g.send(r)
	}
	g.forward(r, &passed{method: r.Method})
	return nil
}

// readServer passes on what the MCP server sends, until there is no more.
func (g *gateway) readServer() error {
	for {
		message, err := g.server.Read(context.WithoutCancel(g.ctx))
		if err != nil {
			return err
		}
		if response, ok := message.(*jsonrpc.Response); ok {
			g.note(response)
		}
		if err := g.agent.Write(context.WithoutCancel(g.ctx), message); err != nil {
			return err
		}
		g.checkIdle()
	}
}

// note learns from an answer before the agent has it.
func (g *gateway) note(r *jsonrpc.Response) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.passed[r.ID]
	if p == nil {
		return
	}
	delete(g.passed, r.ID)
	if r.Error != nil {
		return
	}
	g.noteResult(p.method, r.Result)
	var result struct {
		Type  string `json:"resultType"`
		State string `json:"requestState"`
	}
	if p.call != nil && json.Unmarshal(r.Result, &result) == nil && result.Type == "input_required" && result.State != "" && len(g.goingOn) < maxGoingOn {
		g.goingOn[result.State] = goingOn{p.call.key, p.args}
	}
}
