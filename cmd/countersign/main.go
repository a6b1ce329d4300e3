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
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { end(signalError(<-signals)) }()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}

// signalError is why a command is to end, with the exit code that shells give it.
func signalError(s os.Signal) error {
	if s == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupted
}

// Exit codes of every command. evidence verify and ask have more.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 64
)

// exitError ends the program with an exit code of its command, which has said why.
type exitError int

const (
	exitInterrupted exitError = 130 // by SIGINT
	exitTerminated  exitError = 143
)

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run executes the command that args name until ctx ends, and returns the exit
// code.
func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &call{getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr}
	err := c.run(ctx, args)
	var usage *usageError
	var found exitError
	isUsage := errors.As(err, &usage)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &found):
		return int(found)
	case c.failure != 0:
		text := errorText(err)
		if isUsage {
			text = usage.message
		}
		fmt.Fprintf(c.stderr, "countersign: %s\n", oneLine(text))
		return int(c.failure)
	case isUsage:
		fmt.Fprintf(c.stderr, "countersign: %s\n%s", usage.message, usage.help)
		return exitUsage
	}
	fmt.Fprintf(c.stderr, "countersign: %s\n", errorText(err))
	if errors.Is(err, store.ErrTampered) {
		return int(exitTampered)
	}
	return exitFailed
}

// call is one invocation of the program.
type call struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer

	db    string   // path of the database file, or a postgres:// URL, which may hold a password
	names []string // the arguments of the command
	argv  []string // the command to run, which stood after "--"

	failure exitError // see command

	checkAddress func(string) error // of a destination; nil: the command sets none
}

// command describes one command.
type command struct {
	name  string   // one or two words, such as "user add"
	names []string // its arguments; one in brackets may be left out
	flags string   // the flags in the usage line
	about string
	// callsServer is set if it calls a server over HTTP and opens no database, and
	// takesCommand if a command to run may follow "--".
	callsServer, takesCommand bool
	// failure is the exit code of everything that goes wrong, said in one line. 0: those
	// of every command.
	failure exitError
	// setup declares the flags. The action runs after they are parsed.
	setup func(f *flag.FlagSet) action
}

// action runs a command whose flags are parsed.
type action func(ctx context.Context, c *call) error

// commands returns all commands in the order in which help lists them.
func commands() []command {
	return []command{
		serveCommand,
		userAdd, userList, userDisable, userEnable, userReset,
		keyCreate, keyList, keyRevoke,
		destinationList, destinationAdd, destinationDisable, destinationEnable, destinationTest,
		policyList, policyShow, policySet, policyTry, policyDisable, policyEnable,
		roleList, roleShow, roleSet,
		evidenceVerify, evidenceExport, evidenceRotateKey,
		backup, migrate, migrateStatus, prune,
		askCommand, hookCommand, hookConfig, mcpCommand,
	}
}

func (c *call) run(ctx context.Context, args []string) error {
	flags, words, rest := splitArgs(args)
	cmd := findCommand(words)
	if cmd != nil {
		c.failure = cmd.failure
	}
	if cmd != nil && cmd.takesCommand {
		c.argv = rest
	} else {
		words = append(words, rest...)
	}
	if len(words) > 0 && words[0] == "help" {
		words, flags = words[1:], []string{"--help"}
	}
	cmd = findCommand(words)
	switch group := overview(words); {
	case cmd != nil:
	case wantsHelp(flags) && group != "":
		_, err := io.WriteString(c.stdout, group)
		return err
	case len(words) == 0:
		return &usageError{"a command is missing", group}
	default:
		return &usageError{fmt.Sprintf("there is no command %q", strings.Join(words, " ")), cmp.Or(group, overview(nil))}
	}
	f, do := cmd.flagSet(&c.db)
	err := parseFlags(f, flags, c.getenv)
	c.names = words[len(strings.Fields(cmd.name)):]
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(c.stdout, cmd.help())
		return err
	case err != nil:
		return cmd.usageError("%v", err)
	case len(c.names) < len(cmd.names) && cmd.names[len(c.names)][0] != '[':
		return cmd.usageError("%s is missing", cmd.names[len(c.names)])
	case len(c.names) > len(cmd.names):
		return cmd.usageError("%q is one word too many", c.names[len(cmd.names)])
	}
	err = do(ctx, c)
	if usage, ok := errors.AsType[*usageError](err); ok {
		return cmd.usageError("%s", usage.message)
	}
	return err
}

// findCommand returns the command that the words begin with. Of "migrate" and
// "migrate status" it returns the longer one.
func findCommand(words []string) *command {
	line := strings.Join(words, " ") + " "
	var found *command
	for _, cmd := range commands() {
		if strings.HasPrefix(line, cmd.name+" ") && (found == nil || len(cmd.name) > len(found.name)) {
			found = &cmd
		}
	}
	return found
}

// errorText words an error for the operator, who may see everything.
func errorText(err error) string {
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
			text += " To list all roles: countersign role list"
		}
	}
	if refused.Err != nil {
		text += fmt.Sprintf(" (%v)", refused.Err)
	}
	return text
}
