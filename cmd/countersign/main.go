package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"countersign/domain"
	"countersign/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes of every command (API.md, Command line); evidence verify has more, and
// one of them says everywhere that a database was changed.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 64
)

// run is the whole program: it does what args ask for until ctx ends, and
// returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &call{getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr}
	err := c.run(ctx, args)
	var usage *usageError
	var found verdict
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &found):
		return int(found)
	case errors.As(err, &usage):
		fmt.Fprintf(c.stderr, "countersign: %s\n%s", usage.message, usage.help)
		return exitUsage
	}
	fmt.Fprintf(c.stderr, "countersign: %s\n", explain(err))
	if errors.Is(err, store.ErrTampered) {
		return int(exitTampered)
	}
	return exitFailed
}

// call is one call of the program: what it was started with, and what the
// command line said.
type call struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer

	db    string   // path of the database file, or a postgres:// URL with a password perhaps
	names []string // the words after the command, as many as it takes
}

// command is one thing that the program does.
type command struct {
	name  string   // the words that call it
	names []string // what stands behind them, each one word
	flags string   // the flags worth showing in one line
	about string
	// setup declares the flags; what it returns runs when they are read.
	setup func(f *flag.FlagSet) action
}

// action is a command with its flags read.
type action func(ctx context.Context, c *call) error

// commands lists what the program does, in the order in which help shows it.
func commands() []command {
	return []command{
		serveCommand,
		userAdd, userList, userDisable, userEnable, userReset,
		keyCreate, keyList, keyRevoke,
		roleList, roleShow, roleSet,
		evidenceVerify, evidenceExport, evidenceRotateKey,
		backup, migrate, migrateStatus, prune,
	}
}

func (c *call) run(ctx context.Context, args []string) error {
	flags, words := split(args)
	if len(words) > 0 && words[0] == "help" {
		words, flags = words[1:], []string{"--help"}
	}
	cmd := find(words)
	switch group := overview(words); {
	case cmd != nil:
	case asksHelp(flags) && group != "":
		_, err := io.WriteString(c.stdout, group)
		return err
	case len(words) == 0:
		return &usageError{"say what to do", group}
	default:
		return &usageError{fmt.Sprintf("there is no command %q", strings.Join(words, " ")), cmp.Or(group, overview(nil))}
	}
	f, do := cmd.flagSet(&c.db)
	err := parse(f, flags, c.getenv)
	c.names = words[len(strings.Fields(cmd.name)):]
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(c.stdout, cmd.help())
		return err
	case err != nil:
		return cmd.wrong("%v", err)
	case len(c.names) < len(cmd.names):
		return cmd.wrong("%s is missing", cmd.names[len(c.names)])
	case len(c.names) > len(cmd.names):
		return cmd.wrong("%q is one word too many", c.names[len(cmd.names)])
	}
	err = do(ctx, c)
	if usage, ok := errors.AsType[*usageError](err); ok {
		return cmd.wrong("%s", usage.message)
	}
	return err
}

// find gives the command that the words begin with; of "migrate" and "migrate
// status" the longer one.
func find(words []string) *command {
	line := strings.Join(words, " ") + " "
	var found *command
	for _, cmd := range commands() {
		if strings.HasPrefix(line, cmd.name+" ") && (found == nil || len(cmd.name) > len(found.name)) {
			found = &cmd
		}
	}
	return found
}

// explain puts an error in words for the operator, who may see everything.
func explain(err error) string {
	var refused *domain.Error
	if !errors.As(err, &refused) {
		return err.Error()
	}
	text := refused.Message
	for _, problem := range refused.Problems {
		if problem.Message != refused.Message {
			text += fmt.Sprintf("\n  %s: %s", problem.Path, problem.Message)
		}
		if problem.Path == "roles" && problem.Code == "reference" {
			text += " To see those that there are: countersign role list"
		}
	}
	if refused.Err != nil {
		text += fmt.Sprintf(" (%v)", refused.Err)
	}
	return text
}
