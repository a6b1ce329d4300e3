package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/glyph"
	"countersign/domain/mplp"
	"countersign/domain/policy"
)

var policyList = command{
	name: "policy list", about: "Lists the policies that say who must decide a request.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				list, err := svc.Policies(ctx, domain.System)
				if err != nil {
					return err
				}
				rows := [][]string{{"NAME", "STATUS", "VERSION", "SAVED", "BY", "WHAT IT DOES"}}
				for _, p := range list {
					rows = append(rows, []string{p.Name, policyStatus(p), strconv.FormatInt(p.Version, 10), formatTime(p.SavedAt), p.SavedByName, p.Sentence})
				}
				return c.table(rows)
			})
		}
	},
}

// policyStatus says in a word whether a policy is in force, and whether it can be.
func policyStatus(p *domain.PolicyRow) string {
	switch {
	case !p.Enabled:
		return "disabled"
	case p.Broken != "":
		return "broken"
	case len(p.Shortages) > 0:
		return "unattainable"
	}
	return "enabled"
}

var policyShow = command{
	name: "policy show", names: []string{"NAME"},
	about: "Prints a policy as JSON, with names of roles and keys, as policy set takes it. NAME is its name or id.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				p, err := svc.Policy(ctx, domain.System, c.names[0])
				if err != nil {
					return err
				}
				if p.Named == nil {
					return errors.New(p.Broken)
				}
				var text bytes.Buffer
				if err := json.Indent(&text, p.Named.Marshal(), "", "  "); err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.stdout, text.String())
				return err
			})
		}
	},
}

// maxPolicyInput bounds what is read as a policy, in bytes.
const maxPolicyInput = 256 << 10

// readPolicy reads the document that --file names.
func (c *call) readPolicy(file string) ([]byte, error) {
	switch file {
	case "":
		return nil, usageErrorf("--file is missing")
	case "-":
		return readAll(c.stdin, maxPolicyInput)
	}
	return readFile(file, maxPolicyInput)
}

const policyFile = "`FILE` with the policy as JSON, - for standard input; roles and keys by name or id"

var policySet = command{
	name: "policy set", names: []string{"NAME"}, flags: "--file F [--disabled]",
	about: "Saves a policy and puts it into force. It creates the policy if none has this name or id, and else saves a new version, whose document may have a new name.",
	setup: func(f *flag.FlagSet) action {
		file := f.String("file", "", policyFile)
		disabled := f.Bool("disabled", false, "save it without putting it into force")
		return func(ctx context.Context, c *call) error {
			document, err := c.readPolicy(*file)
			if err != nil {
				return err
			}
			return c.service(ctx, func(svc *domain.Service) error {
				return c.setPolicy(ctx, svc, domain.PolicyInput{Document: document, Enabled: !*disabled})
			})
		}
	},
}

func (c *call) setPolicy(ctx context.Context, svc *domain.Service, in domain.PolicyInput) error {
	before, err := svc.Policy(ctx, domain.System, c.names[0])
	switch domain.ErrorCode(err) {
	case "":
		in.ID, in.Version = before.ID, before.Version
	case domain.CodeNotFound: // a mistyped NAME must not make a second policy
		if name := documentName(in.Document); name != "" && glyph.Fold(name) != glyph.Fold(c.names[0]) {
			return fmt.Errorf("there is no policy %s, and the document is of one named %s", printable(c.names[0]), printable(name))
		}
	default:
		return err
	}
	saved, err := svc.SavePolicy(ctx, domain.System, in)
	if err != nil {
		return err
	}
	c.printWarnings(saved.Warnings)
	return nil
}

// documentName returns the name in a document, "" if it cannot be read: then the service
// says why.
func documentName(document []byte) string {
	var d policy.Document
	if err := json.Unmarshal(document, &d); err != nil {
		return ""
	}
	return d.Name
}

func (c *call) printWarnings(list []mplp.Warning) {
	for _, w := range list {
		fmt.Fprintf(c.stderr, "warning: %s\n", printable(strings.TrimPrefix(w.Path+": "+w.Message, ": ")))
	}
}

var policyTry = command{
	name: "policy try", flags: "--file F [--last 100]",
	about: "Says which of the last requests a policy would have matched, and whether enough people may vote. It saves nothing, and stops after 2 seconds.",
	setup: func(f *flag.FlagSet) action {
		file := f.String("file", "", policyFile)
		last := f.Int("last", domain.DefaultTrial, fmt.Sprintf("how many requests, at most %d", domain.MaxTrial))
		return func(ctx context.Context, c *call) error {
			document, err := c.readPolicy(*file)
			if err != nil {
				return err
			}
			return c.service(ctx, func(svc *domain.Service) error {
				trial, err := svc.TryPolicy(ctx, domain.System, document, *last)
				if err != nil {
					return err
				}
				c.printWarnings(trial.Warnings)
				return c.printTrial(trial)
			})
		}
	},
}

func (c *call) printTrial(trial *domain.PolicyTrial) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", printable(trial.Sentence))
	fmt.Fprintf(&text, "It matches %d of the last %d requests: %d because a value is missing or cannot be compared. %d would have needed more than one person.\n",
		len(trial.Matches), trial.Looked, trial.Unknown, trial.NeedsMore)
	if trial.IsCutOff {
		text.WriteString("There was no time for older ones.\n")
	}
	for _, role := range trial.Holders {
		fmt.Fprintf(&text, "%s: %d may approve\n", printable(role.Role), role.Holders)
	}
	for _, short := range trial.Shortages {
		fmt.Fprintf(&text, "Too few of %s: %d are needed. Requests would time out.\n", printable(short.Role), short.Needed)
	}
	if _, err := fmt.Fprint(c.stdout, text.String()); err != nil || len(trial.Matches) == 0 {
		return err
	}
	rows := [][]string{{"RECEIVED", "REQUEST", "TOOLS", "REQUESTER", "STATUS", "WHY"}}
	for _, m := range trial.Matches {
		rows = append(rows, []string{formatTime(m.Row.ReceivedAt), m.Row.ID, strings.Join(m.Row.Tools, " "), m.Row.RequestedByName, string(m.Row.Status), m.Because})
	}
	return c.table(rows)
}

var policyDisable = command{
	name: "policy disable", names: []string{"NAME"},
	about: "Takes a policy out of force. What is pending under it stays as it is.",
	setup: change(func(svc *domain.Service, ctx context.Context, ref domain.Ref, name string) error {
		_, err := svc.DisablePolicy(ctx, ref, name)
		return err
	}),
}

var policyEnable = command{
	name: "policy enable", names: []string{"NAME"},
	about: "Puts a policy into force for the requests that come from now on.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				saved, err := svc.EnablePolicy(ctx, domain.System, c.names[0])
				if err == nil {
					c.printWarnings(saved.Warnings)
				}
				return err
			})
		}
	},
}
