package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"countersign/domain"
)

var keyCreate = command{
	name: "key create", names: []string{"NAME"}, flags: "--role ROLE… [--owner USER] [--may-decide] [--expires 90d]",
	about: "Creates a key for an agent. It prints the key alone on standard output, this once: it is kept nowhere. " +
		"One made here has no maker; who makes a key on the page of keys may not decide what it requests.",
	setup: func(f *flag.FlagSet) action {
		var roles list
		var expires life
		f.Var(&roles, "role", "a `ROLE` to hold, by name or id; repeat for several")
		owner := f.String("owner", "", "the `USER` who answers for the key; nobody in their group decides what it requests. Without one the key stands alone: it sees only what it requested itself")
		mayDecide := f.Bool("may-decide", false, "let the key decide what others request; needs an owner")
		f.Var(&expires, "expires", "how long it lives: a `SPAN` such as 90d or 12h; else for ever")
		return func(ctx context.Context, c *call) error {
			switch {
			case len(roles) == 0:
				return usage("--role is missing")
			case *mayDecide && *owner == "":
				return usage("--may-decide needs --owner")
			}
			return c.service(ctx, func(svc *domain.Service) error {
				_, text, err := svc.CreateKey(ctx, domain.System, domain.KeyInput{
					Name: c.names[0], Roles: roles, Owner: *owner, MayDecide: *mayDecide, Life: time.Duration(expires),
				})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.stdout, text)
				return err
			})
		}
	},
}

var keyList = command{
	name: "key list", about: "Lists the keys.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				keys, err := svc.Keys(ctx, domain.System)
				if err != nil {
					return err
				}
				roles, err := roleNames(ctx, svc)
				if err != nil {
					return err
				}
				rows := [][]string{{"ID", "NAME", "STATUS", "ROLES", "OWNER", "MAY DECIDE", "EXPIRES", "LAST USED"}}
				for _, k := range keys {
					decides := "no"
					if k.MayDecide {
						decides = "yes"
					}
					rows = append(rows, []string{k.ID, k.Name, k.Status(svc.Now()), roles(k.Roles), k.Owner, decides, day(k.ExpiresAt), day(k.UsedAt)})
				}
				return c.table(rows)
			})
		}
	},
}

var keyRevoke = command{
	name: "key revoke", names: []string{"NAME"},
	about: "Ends a key at once and for good. NAME is its name or id.",
	setup: change((*domain.Service).RevokeKey),
}
