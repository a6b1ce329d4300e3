package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"countersign/domain"
)

// exitBlocked is the exit code of a hook that could not ask. It blocks the tool in every
// harness, as long as standard output is empty and standard error is not. Others, such
// as 1 and 64, let the tool run in most.
const exitBlocked exitError = 2

// maxHookInput bounds what a harness writes to its hook, in bytes.
const maxHookInput = 1 << 20

var hookCommand = command{
	name: "hook", names: []string{"FORMAT"}, callsServer: true, failure: exitBlocked,
	flags: "[--wait S] [--server URL] [--key-file F] [--insecure]",
	about: "Asks for the approval of a tool call, as a hook of a coding agent. " +
		"FORMAT is claude, codex, gemini, copilot or cursor. It reads the call from standard input and prints the decision. " +
		"Whatever goes wrong blocks the call: exit code 2, with the reason on standard error.\n\n" +
		"The harness runs the tool when its hook takes too long, so its time-out must be longer than --wait. " +
		"To get its settings: countersign hook config FORMAT",
	setup: func(f *flag.FlagSet) action {
		server := addServerFlags(f)
		wait := f.Int("wait", 0, "how many `SECONDS` to wait for a decision; 0: as long as the FORMAT's own time-out allows")
		return func(ctx context.Context, c *call) error {
			h, ok := harnesses[c.names[0]]
			if !ok {
				return usageErrorf("there is no hook format %q", c.names[0])
			}
			if *wait < 0 {
				return usageErrorf("--wait must be at least 0")
			}
			if *wait == 0 {
				*wait = h.wait
			}
			return runHook(ctx, c, server, time.Duration(*wait)*time.Second)
		}
	},
}

// runHook asks about the call on standard input and prints the answer, which is a
// decision: undecided, it blocks.
func runHook(ctx context.Context, c *call, settings *serverFlags, wait time.Duration) error {
	server, err := settings.client(c)
	if err != nil {
		return err
	}
	body, err := readAll(c.stdin, maxHookInput)
	if err != nil {
		return fmt.Errorf("standard input cannot be read: %w", err)
	}
	if !isJSONObject(body) {
		return errors.New("standard input is not a JSON object")
	}
	members := url.Values{}
	if seconds := int(wait / time.Second); seconds > domain.DefaultTimeout {
		members.Set("timeout", strconv.Itoa(seconds)) // no shorter than the wait
	}
	ends, stop := context.WithTimeout(ctx, wait)
	defer stop()
	answer, err := server.Native(ends, c.names[0], body, members)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case err != nil:
		fmt.Fprintf(c.stderr, "Countersign could not be asked (%s), so this does not run.\n", oneLine(err.Error()))
		return exitBlocked
	case !isJSONObject(answer.Body):
		return errors.New("the answer is not a JSON object")
	}
	_, err = fmt.Fprintf(c.stdout, "%s\n", bytes.TrimSpace(answer.Body))
	return err
}

// isJSONObject reports whether a text is one JSON object.
func isJSONObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}
