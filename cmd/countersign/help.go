package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

func wantsHelp(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains([]string{"help", "h"}, strings.TrimLeft(f, "-")) })
}

// line returns the usage line of a command.
func (cmd *command) line() string {
	parts := append([]string{"usage: countersign", cmd.name}, cmd.names...)
	if cmd.flags != "" {
		parts = append(parts, cmd.flags)
	}
	return strings.Join(parts, " ")
}

// help returns the full help of a command.
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

// overview lists all commands, or those that begin with the first word. It
// returns "" if there are none.
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
	if len(words) == 0 {
		fmt.Fprintf(&text, "\nThe signing key and the head file are beside the database, for PostgreSQL in the working directory.\nTo keep them elsewhere, set $%s and $%s.\n", variable("signing-key"), variable("head"))
	}
	text.WriteString("\nMore: countersign help COMMAND\n")
	return text.String()
}
