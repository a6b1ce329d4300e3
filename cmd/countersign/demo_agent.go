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
)

// examples are what the agent asks for: the seeds' examples, without the ids,
// which each round needs new.
//
//go:embed demo/*.json
var examples embed.FS

// demoAgent asks for the examples, waits for the answers and prints them.
type demoAgent struct {
	client  *client
	out     *log.Logger
	approve approver
}

// approver approves a confirm as the administrator, so that a plan runs without
// the visitor having to approve it first.
type approver func(ctx context.Context, confirmID string) error

func newDemoAgent(c *client, out io.Writer, approve approver) *demoAgent {
	return &demoAgent{client: c, out: log.New(out, "agent: ", 0), approve: approve}
}

// run asks in rounds, each when the one before is decided, until ctx ends. When
// something goes wrong it says so and asks no more.
func (a *demoAgent) run(ctx context.Context) {
	session := "demo-" + uuid.NewString()
	for ctx.Err() == nil {
		if err := a.round(ctx, session); err != nil && ctx.Err() == nil {
			a.out.Printf("I stop asking: %v", err)
			return
		}
	}
}

// round asks for everything at once and ends when all is decided.
func (a *demoAgent) round(ctx context.Context, session string) error {
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.Go(func() error { return a.fixLogin(ctx) })
	tasks.Go(func() error { return a.transferMoney(ctx) })
	tasks.Go(func() error { return a.useTools(ctx, "trade", session) })
	tasks.Go(func() error { return a.useTools(ctx, "cleanup", session) })
	return tasks.Wait()
}

// fixLogin proposes S3's plan. When it is rejected it takes the feedback into
// the plan and proposes it again.
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
		plan["objective"] = fmt.Sprintf("%s (revision %d, after the feedback %q)", objective, revision, answer.Reason)
		if err := a.client.call(ctx, http.MethodPut, address, plan, nil); err != nil {
			return err
		}
	}
}

// useTools posts one of the approval requests (S4), and posts it anew when time
// ran out: that was nobody's no.
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

// posted is what the answers to posts name.
type posted struct {
	ContextID   string `json:"context_id"`
	PlanID      string `json:"plan_id"`
	ConfirmID   string `json:"confirm_id"`
	ApprovalKey string `json:"approval_key"`
}

func (a *demoAgent) post(ctx context.Context, path string, body object) (*posted, error) {
	var answer posted
	err := a.client.call(ctx, http.MethodPost, path, body, &answer)
	return &answer, err
}

// outcome is what the agent is told.
type outcome struct {
	Status          string `json:"status"`
	Cause           string `json:"cause"`
	Reason          string `json:"reason"`
	UserEditContent string `json:"user_edit_content"`
	DecidedByRole   string `json:"decided_by_role"`
	Decisions       []struct {
		Type         string `json:"type"`
		Message      string `json:"message"`
		EditedAction struct {
			Args json.RawMessage `json:"args"`
		} `json:"edited_action"`
	} `json:"decisions"`
}

// await prints what was asked, waits for the outcome and prints that.
func (a *demoAgent) await(ctx context.Context, what string, asked *posted, tools []string) (*outcome, error) {
	a.out.Printf("%s? I wait for %s/confirms/%s", what, a.client.base, asked.ConfirmID)
	path := "/api/v1/confirms/" + asked.ConfirmID + "/outcome"
	if asked.ApprovalKey != "" {
		path = "/api/v1/approvals/" + asked.ApprovalKey
	}
	path += fmt.Sprintf("?wait=%.0f", domain.MaxWait.Seconds())
	answer := outcome{Status: string(domain.Pending)}
	for answer.Status == string(domain.Pending) {
		if err := a.client.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
			return nil, err
		}
	}
	a.out.Printf("%s: %s", what, answer.line(tools))
	return &answer, nil
}

// line tells an outcome in one line. Quoting keeps what people wrote on it.
func (o *outcome) line(tools []string) string {
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
		if d.EditedAction.Args != nil {
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
