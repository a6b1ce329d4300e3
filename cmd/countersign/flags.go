package main

import (
	"flag"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
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
var settings = []string{"db", "listen", "base-url", "host", "trusted-proxy", "allow-self-approval", "limits"}

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
	f.StringVar(db, "db", "countersign.db", "`PATH` of the database file")
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

func asksHelp(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains([]string{"help", "h"}, strings.TrimLeft(f, "-")) })
}

// line shows how a command is called.
func (cmd *command) line() string {
	parts := append([]string{"usage: countersign", cmd.name}, cmd.names...)
	if cmd.flags != "" {
		parts = append(parts, cmd.flags)
	}
	return strings.Join(parts, " ")
}

// help is everything about one command.
func (cmd *command) help() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n%s\n\n", cmd.line(), cmd.about)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	f, _ := cmd.flagSet(new(string))
	f.VisitAll(func(f *flag.Flag) {
		value, what := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			what += " (default " + f.DefValue + ")"
		}
		if name := variable(f.Name); name != "" {
			what += " [$" + name + "]"
		}
		fmt.Fprintf(table, "  --%s %s\t%s\n", f.Name, value, what)
	})
	_ = table.Flush() // a strings.Builder takes everything
	return text.String()
}

// overview lists all commands, or those that begin with the first word: "" if
// there are none.
func overview(words []string) string {
	some := commands()
	if len(words) > 0 {
		some = slices.DeleteFunc(some, func(cmd command) bool { return !strings.HasPrefix(cmd.name, words[0]+" ") })
	}
	if len(some) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("usage: countersign COMMAND [flags]\n\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, cmd := range some {
		about, _, _ := strings.Cut(cmd.about, ".")
		fmt.Fprintf(table, "  %s\t%s\n", strings.Join(append([]string{cmd.name}, cmd.names...), " "), about)
	}
	_ = table.Flush()
	text.WriteString("\nMore: countersign help COMMAND\n")
	return text.String()
}

// list is a flag that may stand several times.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	if value == "" {
		return fmt.Errorf("it is empty")
	}
	*l = append(*l, value)
	return nil
}

// life is a flag for how long something lives: 90d, or hours and minutes as in
// 12h30m. Zero is for ever.
type life time.Duration

func (l *life) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// maxLifeDays keeps a life from overflowing: a hundred years.
const maxLifeDays = 36_500

func (l *life) Set(value string) error {
	bad := fmt.Errorf("write it like 90d or 12h, at most %dd", maxLifeDays)
	if number, ok := strings.CutSuffix(value, "d"); ok {
		days, err := strconv.Atoi(number)
		if err != nil || days < 1 || days > maxLifeDays {
			return bad
		}
		*l = life(time.Duration(days) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > maxLifeDays*24*time.Hour {
		return bad
	}
	*l = life(d)
	return nil
}

// address is a flag for the server's own URL: a scheme and a host, no path.
type address struct{ url *url.URL }

func (a *address) String() string {
	if a.url == nil {
		return ""
	}
	return a.url.String()
}

func (a *address) Set(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("write it like https://countersign.example.org, without a path")
	}
	a.url = &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}
	return nil
}
