package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/domain"
	"countersign/web/client"
)

// examples are the requests of the agent, without ids: each round has new ones.
//
//go:embed demo/*.json
var examples embed.FS

// demoAgent posts the examples, waits for the outcomes and prints them.
type demoAgent struct {
	client  *client.Client
	out     *log.Logger
	approve approver
}

// approver approves a request as the administrator, so that a plan runs without
// the visitor's approval.
type approver func(ctx context.Context, confirmID string) error

func newDemoAgent(c *client.Client, out io.Writer, approve approver) *demoAgent {
	return &demoAgent{client: c, out: log.New(out, "agent: ", 0), approve: approve}
}

// run posts in rounds until ctx ends: the next one when everything is decided.
// On an error it prints it and stops.
func (a *demoAgent) run(ctx context.Context) {
	session := "demo-" + uuid.NewString()
	for ctx.Err() == nil {
		if err := a.round(ctx, session); err != nil && ctx.Err() == nil {
			a.out.Printf("I stop: %v", err)
			return
		}
	}
}

// round posts every example at once and returns when all are decided.
func (a *demoAgent) round(ctx context.Context, session string) error {
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.Go(func() error { return a.fixLogin(ctx) })
	tasks.Go(func() error { return a.transferMoney(ctx) })
	tasks.Go(func() error { return a.useTools(ctx, "trade", session) })
	tasks.Go(func() error { return a.useTools(ctx, "cleanup", session) })
	return tasks.Wait()
}

// fixLogin proposes a plan. When it is rejected, it adds the feedback to the plan
// and proposes it again.
func (a *demoAgent) fixLogin(ctx context.Context) error {
	where, err := a.post(ctx, "/api/v1/contexts", example("context"))
	if err != nil {
		return err
	}
	plan := example("plan")
	plan["context_id"] = where.ContextID
	plan["trace"] = object{"trace_id": newTrace()}
	draft, err := a.post(ctx, "/api/v1/plans", plan)
	if err != nil {
		return err
	}
	address := "/api/v1/plans/" + draft.PlanID
	objective := plan["objective"]
	for revision := 2; ; revision++ {
		proposed, err := a.post(ctx, address+"/propose", object{"reason": "Requesting approval to fix login 500 error"})
		if err != nil {
			return err
		}
		answer, err := a.await(ctx, "Fix the login error", proposed, nil)
		if err != nil || answer.Status != string(domain.Rejected) {
			return err
		}
		plan["objective"] = fmt.Sprintf("%s (revision %d, after feedback %q)", objective, revision, answer.Reason)
		if err := a.client.Call(ctx, http.MethodPut, address, plan, nil); err != nil {
			return err
		}
	}
}

// useTools posts one of the approval requests, and posts it again after a
// timeout, which is not a refusal.
func (a *demoAgent) useTools(ctx context.Context, name, session string) error {
	frame := example(name)
	frame["session_id"] = session
	var tools []string
	for _, action := range frame["content_block"].(object)["actions"].([]any) {
		tools = append(tools, action.(object)["name"].(string))
	}
	for {
		asked, err := a.post(ctx, "/api/v1/approvals", frame)
		if err != nil {
			return err
		}
		answer, err := a.await(ctx, "Call "+strings.Join(tools, " and "), asked, tools)
		if err != nil || answer.Cause != string(domain.CauseTimeout) {
			return err
		}
	}
}

// posted is the answer to a post.
type posted struct {
	ContextID string `json:"context_id"`
	PlanID    string `json:"plan_id"`
	ConfirmID string `json:"confirm_id"`
}

func (a *demoAgent) post(ctx context.Context, path string, body object) (*posted, error) {
	var answer posted
	err := a.client.Call(ctx, http.MethodPost, path, body, &answer)
	return &answer, err
}

// await prints the request, waits for its outcome and prints that.
func (a *demoAgent) await(ctx context.Context, what string, asked *posted, tools []string) (*client.Outcome, error) {
	a.out.Printf("%s? I am waiting for %s", what, a.client.Page(asked.ConfirmID))
	answer, err := a.client.Wait(ctx, asked.ConfirmID)
	if err != nil {
		return nil, err
	}
	a.out.Printf("%s: %s", what, outcomeLine(answer, tools))
	return answer, nil
}

// outcomeLine returns an outcome as one line. Quoting keeps people's text on that line.
func outcomeLine(o *client.Outcome, tools []string) string {
	text := o.Status
	switch domain.Cause(o.Cause) {
	case domain.CauseHuman:
		text += " by a person in the role " + o.DecidedByRole
	case domain.CauseAgent:
		text += " by an agent in the role " + o.DecidedByRole
	default:
		text += " (" + o.Cause + ")"
	}
	for i, d := range o.Decisions {
		text += fmt.Sprintf("; %s: %s", tools[i], d.Type)
		if d.EditedAction != nil {
			text += " to " + string(d.EditedAction.Args)
		}
		if d.Message != "" {
			text += fmt.Sprintf(" %q", d.Message)
		}
	}
	if o.Reason != "" {
		text += fmt.Sprintf("; reason: %q", o.Reason)
	}
	if o.UserEditContent != "" {
		text += fmt.Sprintf("; note: %q", o.UserEditContent)
	}
	return text
}

// object is a JSON object.
type object = map[string]any

// example reads one of the examples.
func example(name string) object {
	var o object
	raw, err := examples.ReadFile("demo/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		panic("demo example " + name + ": " + err.Error()) // it is part of the program
	}
	return o
}

func newTrace() string { return "trace-" + uuid.NewString() }
