package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// usageError is a command line that cannot be understood, with the help for it.
type usageError struct{ message, help string }

func (e *usageError) Error() string { return e.message }

// usage refuses a command line; run adds the help of its command.
func usage(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

func (cmd *command) wrong(format string, args ...any) error {
	return &usageError{
		message: cmd.name + ": " + fmt.Sprintf(format, args...),
		help:    cmd.line() + "\nMore: countersign help " + cmd.name + "\n",
	}
}

// settings are the flags that describe where the program runs rather than what
// one call does: they may also come from the environment.
var settings = []string{"db", "listen", "base-url", "host", "trusted-proxy", "allow-self-approval", "metrics", "verify-every", "limits", "signing-key", "head"}

// variable is the environment variable of a flag, "" for those without.
func variable(name string) string {
	if !slices.Contains(settings, name) {
		return ""
	}
	return "COUNTERSIGN_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// flagSet gives the flags of a command, which all share --db.
func (cmd *command) flagSet(db *string) (*flag.FlagSet, action) {
	f := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(db, "db", "countersign.db", "`PATH` of the database file, or the postgres:// URL of a database")
	return f, cmd.setup(f)
}

// split separates flags with their values from words, so that flags may stand
// before, between and after names. Behind "--" everything is a word.
func split(args []string) (flags, words []string) {
	alone := switches()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name := strings.TrimLeft(arg, "-")
		switch {
		case arg == "--":
			return flags, append(words, args[i+1:]...)
		case len(arg) < 2 || arg[0] != '-':
			words = append(words, arg)
		case strings.Contains(name, "=") || slices.Contains(alone, name) || i+1 == len(args):
			flags = append(flags, arg)
		default:
			i++
			flags = append(flags, arg, args[i])
		}
	}
	return flags, words
}

// switches are the flags of all commands that take no value.
func switches() []string {
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

// parse reads the flags and, for those that are not there, the environment.
func parse(f *flag.FlagSet, args []string, getenv func(string) string) error {
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
