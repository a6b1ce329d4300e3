package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"countersign/domain"
)

// localServer is where a server listens by default.
const localServer = "127.0.0.1:8080"

var userAdd = command{
	name: "user add", names: []string{"NAME"}, flags: "--role ROLE… [--password-stdin]",
	about: "Adds a user. Without --password-stdin it prints a link to choose a password. The link works once, within 24 hours.",
	setup: func(f *flag.FlagSet) action {
		var roles list
		f.Var(&roles, "role", "a `ROLE`, by name or id; repeat for several")
		stdin := f.Bool("password-stdin", false, "read the password from the first line of standard input")
		base := baseURL(f)
		return func(ctx context.Context, c *call) error {
			if len(roles) == 0 {
				return usageErrorf("--role is missing")
			}
			password := ""
			if *stdin {
				var err error
				if password, err = readPassword(c.stdin); err != nil {
					return err
				}
			}
			return c.service(ctx, func(svc *domain.Service) error {
				_, token, err := svc.AddUser(ctx, domain.System, c.names[0], roles, password)
				if err != nil || token == "" {
					return err
				}
				return c.printLink(base, token)
			})
		}
	},
}

var userList = command{
	name: "user list", about: "Lists the users.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				roles, err := roleNames(ctx, svc)
				if err != nil {
					return err
				}
				rows := [][]string{{"NAME", "STATUS", "ROLES", "ADDED"}}
				for page := (domain.Page{Limit: domain.MaxPage}); ; {
					users, next, err := svc.UserRows(ctx, domain.System, domain.UserFilter{}, page)
					if err != nil {
						return err
					}
					for _, u := range users {
						rows = append(rows, []string{u.Name, u.Status(), roles(u.Roles), formatTime(u.CreatedAt)})
					}
					if page.Cursor = next; next == "" {
						return c.table(rows)
					}
				}
			})
		}
	},
}

var userDisable = command{
	name: "user disable", names: []string{"NAME"},
	about: "Disables a user. Their sessions end and their keys stop working immediately.",
	setup: change((*domain.Service).DisableUser),
}

var userEnable = command{
	name: "user enable", names: []string{"NAME"},
	about: "Enables a disabled user.",
	setup: change((*domain.Service).EnableUser),
}

// change returns a command that changes the object that its argument names.
func change(do func(svc *domain.Service, ctx context.Context, ref domain.Ref, name string) error) func(*flag.FlagSet) action {
	return func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error { return do(svc, ctx, domain.System, c.names[0]) })
		}
	}
}

var userReset = command{
	name: "user reset", names: []string{"NAME"},
	about: "Resets a user's password. Their sessions end, and it prints a link to choose a new one. The link works once, within 24 hours.",
	setup: func(f *flag.FlagSet) action {
		base := baseURL(f)
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				token, err := svc.ResetUser(ctx, domain.System, c.names[0])
				if err != nil {
					return err
				}
				return c.printLink(base, token)
			})
		}
	},
}

// baseURL declares the flag for the address in links.
func baseURL(f *flag.FlagSet) *address {
	base := new(address)
	f.Var(base, "base-url", "`URL` of the server, for the link; by default http://$COUNTERSIGN_LISTEN or http://"+localServer)
	return base
}

// printLink prints nothing but the link on standard output. A command does not
// know where the server runs. If no flag says it, standard error says what was
// assumed.
func (c *call) printLink(base *address, token string) error {
	server := base.String()
	if server == "" {
		server = "http://" + cmp.Or(c.getenv("COUNTERSIGN_LISTEN"), localServer)
	}
	if _, err := fmt.Fprintf(c.stdout, "%s/password?token=%s\n", server, token); err != nil {
		return err
	}
	if base.url == nil {
		_, err := fmt.Fprintf(c.stderr, "The link is for a server that listens on %s. If yours is elsewhere, replace that address, or use --base-url next time.\n", server)
		return err
	}
	return nil
}

// maxPasswordLine bounds what is read: 256 characters of at most four bytes.
const maxPasswordLine = 1024 + len("\r\n")

func readPassword(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, int64(maxPasswordLine))).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", errors.New("there is no password on standard input")
	}
	return password, nil
}
