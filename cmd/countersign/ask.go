package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"countersign/domain"
	"countersign/web/client"
)

// Exit codes of ask, those of sysexits.h.
const (
	exitUnavailable exitError = 69
	exitTimedOut    exitError = 75
	exitRefused     exitError = 77
	exitCannotRun   exitError = 126 // as shells have it
)

var askCommand = command{
	name: "ask", names: []string{"[NAME]"}, callsServer: true, takesCommand: true,
	flags: "[--args JSON|@FILE|-] [--reason TEXT] [--timeout SECONDS] [--id ID] [--role ROLE] [--allow-edit] [--json] [--server URL] [--key-file F] [--insecure] [-- COMMAND ARG…]",
	about: "Asks for the approval of one action and waits for the decision. " +
		"With a COMMAND it runs that, only if it is approved and exactly as it was asked for. " +
		"The key is in $COUNTERSIGN_KEY or a file, never in a flag.\n\n" +
		"Exit codes: 0 approved; 77 rejected or cancelled; 75 timed out; 69 could not ask; 64 wrong command line; " +
		"130 and 143 interrupted, which cancels the request. After an approval the exit code is the COMMAND's.",
	setup: func(f *flag.FlagSet) action {
		o := &askOptions{server: addServerFlags(f)}
		f.StringVar(&o.args, "args", "", "the arguments, a `JSON` object; @FILE reads them from a file, - from standard input")
		f.StringVar(&o.reason, "reason", "", "why; a `TEXT` for the reviewer")
		f.IntVar(&o.timeout, "timeout", 0, "how many `SECONDS` to wait for a decision; by default 300, or as long as a policy says")
		f.StringVar(&o.id, "id", "", "the `ID` of the request; the same id and content attach to it, as after a restart")
		f.StringVar(&o.role, "role", "", "the `ROLE` that must decide")
		f.BoolVar(&o.allowEdit, "allow-edit", false, "let the reviewer change the arguments; an approval prints those that count")
		f.BoolVar(&o.json, "json", false, "print the outcome as JSON")
		return o.run
	},
}

type askOptions struct {
	server                 *serverFlags
	args, reason, id, role string
	timeout                int
	allowEdit, json        bool
}

// run asks, and says on standard error what became of it. Whatever goes wrong is told
// by the exit code too: "ask && deploy" must not deploy then.
func (o *askOptions) run(ctx context.Context, c *call) error {
	action, path, err := o.action(c)
	if err == nil {
		var server *client.Client
		if server, err = o.server.client(c); err == nil {
			err = o.ask(ctx, c, server, action, path)
		}
	}
	var code exitError
	var usage *usageError
	if err == nil || errors.As(err, &usage) || errors.As(err, &code) {
		return err
	}
	fmt.Fprintf(c.stderr, "Countersign could not be asked (%s), so this does not run.\n", oneLine(err.Error()))
	return exitUnavailable
}

// ask posts the request, waits, prints the outcome and runs the command, if there is
// one.
func (o *askOptions) ask(ctx context.Context, c *call, server *client.Client, action client.Action, path string) error {
	confirm := &client.Confirm{ID: cmp.Or(o.id, client.NewID()), Actions: []client.Action{action}, Reason: o.reason, RequiredRole: o.role, Timeout: o.timeout}
	if !o.allowEdit {
		confirm.ReviewConfigs = []client.ReviewConfig{{AllowedDecisions: []string{domain.ActionApprove, domain.ActionReject}}}
	}
	var once sync.Once
	server.Retrying = func(err error) {
		once.Do(func() { fmt.Fprintf(c.stderr, "No answer yet (%s), trying again.\n", oneLine(err.Error())) })
	}
	fmt.Fprintf(c.stderr, "Waiting for a decision: %s\n", server.Page(confirm.ID))
	outcome, err := server.Ask(ctx, confirm)
	if ctx.Err() != nil {
		return cancel(ctx, c, server, confirm.ID)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(c.stderr, oneLine(outcome.Words()))
	if err := o.print(c, outcome, action); err != nil || len(c.argv) == 0 {
		return err
	}
	return runApproved(ctx, c, server, outcome, path)
}

// print prints what standard output is to have, and returns the exit code.
func (o *askOptions) print(c *call, outcome *client.Outcome, action client.Action) error {
	if o.json {
		if _, err := fmt.Fprintf(c.stdout, "%s\n", strings.TrimSpace(string(outcome.Raw))); err != nil {
			return err
		}
	}
	switch outcome.Status {
	case string(domain.Approved):
	case string(domain.Rejected), string(domain.Cancelled):
		if outcome.IsTimeout() {
			return exitTimedOut
		}
		return exitRefused
	default:
		return fmt.Errorf("the request is %s", outcome.Status)
	}
	args, err := outcome.EffectiveArgs(0, action.Args)
	if err != nil {
		return err
	}
	if !o.allowEdit {
		if outcome.Decisions[0].Type == domain.ActionEdit {
			return errors.New("the arguments were edited, although that was not allowed")
		}
		return nil
	}
	if o.json {
		return nil
	}
	line, err := compactJSON(args)
	if err == nil {
		_, err = fmt.Fprintf(c.stdout, "%s\n", line)
	}
	return err
}

// cancelTimeout is how long the end of the program may wait for the server.
const cancelTimeout = 5 * time.Second

// cancel withdraws the request of a program that was told to end, and returns its exit
// code. A request that is decided, or was never posted, stays as it is.
func cancel(ctx context.Context, c *call, server *client.Client, id string) error {
	var code exitError
	if !errors.As(context.Cause(ctx), &code) {
		code = exitInterrupted
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	err := server.Cancel(ctx, id, "countersign ask was interrupted")
	var refused *client.Problem
	switch {
	case err == nil:
		fmt.Fprintln(c.stderr, "Interrupted: the request is cancelled.")
	case errors.As(err, &refused):
		fmt.Fprintln(c.stderr, "Interrupted: nothing runs.")
	default:
		fmt.Fprintf(c.stderr, "Interrupted: the request could not be cancelled (%s), so it stays open until it times out.\n", oneLine(err.Error()))
	}
	return code
}

// oneLine replaces what would end the line or control the terminal: reviewers and
// servers write some of these texts.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
