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
	about: "Creates a key for an agent. It prints only the key, and only this once: the key is not stored. " +
		"Whoever creates a key on the page Keys cannot decide its requests. For a key created here, only the owner cannot.",
	setup: func(f *flag.FlagSet) action {
		var roles list
		var expires lifetime
		f.Var(&roles, "role", "a `ROLE`, by name or id; repeat for several")
		owner := f.String("owner", "", "the `USER` who is responsible for the key and cannot decide its requests. A key without an owner sees only its own requests")
		mayDecide := f.Bool("may-decide", false, "let the key decide requests of others; needs an owner")
		f.Var(&expires, "expires", "when it expires: a `SPAN` such as 90d or 12h; by default never")
		return func(ctx context.Context, c *call) error {
			switch {
			case len(roles) == 0:
				return usageErrorf("--role is missing")
			case *mayDecide && *owner == "":
				return usageErrorf("--may-decide needs --owner")
			}
			return c.service(ctx, func(svc *domain.Service) error {
				_, text, err := svc.CreateKey(ctx, domain.System, domain.KeyInput{
					Name: c.names[0], Roles: roles, Owner: *owner, MayDecide: *mayDecide, Lifetime: time.Duration(expires),
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
					rows = append(rows, []string{k.ID, k.Name, k.Status(svc.Now()), roles(k.Roles), k.Owner, decides, formatTime(k.ExpiresAt), formatTime(k.UsedAt)})
				}
				return c.table(rows)
			})
		}
	},
}

var keyRevoke = command{
	name: "key revoke", names: []string{"NAME"},
	about: "Revokes a key immediately and for good. NAME is its name or id.",
	setup: change((*domain.Service).RevokeKey),
}
