package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"countersign/web/client"
)

// consumeTimeout is how long using the approval may take, with all tries.
const consumeTimeout = 30 * time.Second

// runApproved uses the approval, so that nobody else can, and replaces this process by
// the command. Signals, standard streams and the exit code are the command's then.
func runApproved(ctx context.Context, c *call, server *client.Client, outcome *client.Outcome, path string) error {
	consuming, stop := context.WithTimeout(ctx, consumeTimeout)
	defer stop()
	err := server.Consume(consuming, outcome.ConfirmID, client.NewID(), 0, outcome.Decisions[0].ArgsHash)
	signal.Reset(os.Interrupt, syscall.SIGTERM) // from here on they end the process
	if ctx.Err() != nil {
		return cancel(ctx, c, server, outcome.ConfirmID)
	}
	if err != nil {
		return err
	}
	err = syscall.Exec(path, c.argv, os.Environ())
	fmt.Fprintf(c.stderr, "The command was approved, but did not start (%v).\n", err)
	return exitCannotRun
}
