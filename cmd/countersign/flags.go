package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// usageError reports a wrong command line, with the help for it.
type usageError struct{ message, help string }

func (e *usageError) Error() string { return e.message }

// usageErrorf refuses a command line. run adds the help of its command.
func usageErrorf(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

func (cmd *command) usageError(format string, args ...any) error {
	return &usageError{
		message: cmd.name + ": " + fmt.Sprintf(format, args...),
		help:    cmd.line() + "\nMore: countersign help " + cmd.name + "\n",
	}
}

// environmentFlags describe where the program runs, not what one call does. They
// may also come from environment variables.
var environmentFlags = []string{"db", "server", "listen", "base-url", "host", "trusted-proxy", "egress-allow", "egress-ports", "allow-self-approval", "metrics", "verify-every", "limits", "signing-key", "head"}

// variable returns the environment variable of a flag, or "" if it has none.
func variable(name string) string {
	if !slices.Contains(environmentFlags, name) {
		return ""
	}
	if name == "server" {
		return "COUNTERSIGN_URL" // as in the settings of other clients
	}
	return "COUNTERSIGN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// flagSet returns the flags of a command. All that open a database have --db.
func (cmd *command) flagSet(db *string) (*flag.FlagSet, action) {
	f := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	if !cmd.callsServer {
		f.StringVar(db, "db", "countersign.db", "`PATH` of the database file, or the postgres:// URL of a database")
	}
	return f, cmd.setup(f)
}

// splitArgs separates flags and their values from words, so that flags may stand
// before, between and after names. rest is what follows "--".
func splitArgs(args []string) (flags, words, rest []string) {
	alone := booleanFlags()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name := strings.TrimLeft(arg, "-")
		switch {
		case arg == "--":
			return flags, words, args[i+1:]
		case len(arg) < 2 || arg[0] != '-':
			words = append(words, arg)
		case strings.Contains(name, "=") || slices.Contains(alone, name) || i+1 == len(args):
			flags = append(flags, arg)
		default:
			i++
			flags = append(flags, arg, args[i])
		}
	}
	return flags, words, nil
}

// booleanFlags returns the flags that take no value, of all commands.
func booleanFlags() []string {
	names := []string{"help", "h"}
	for _, cmd := range commands() {
		f, _ := cmd.flagSet(new(string))
		f.VisitAll(func(f *flag.Flag) {
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
				names = append(names, f.Name)
			}
		})
	}
	return names
}

// parseFlags reads the flags and, for flags that are not given, the environment.
func parseFlags(f *flag.FlagSet, args []string, getenv func(string) string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var failed error
	f.VisitAll(func(setting *flag.Flag) {
		name := variable(setting.Name)
		if name == "" || given[setting.Name] || getenv(name) == "" || failed != nil {
			return
		}
		values := []string{getenv(name)}
		if _, repeats := setting.Value.(*list); repeats {
			values = strings.Split(values[0], ",")
		}
		for _, value := range values {
			if err := f.Set(setting.Name, value); err != nil {
				failed = fmt.Errorf("invalid value %q in $%s: %w", value, name, err)
			}
		}
	})
	return failed
}
