package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

var destinationList = command{
	name: "destination list", about: "Lists the destinations that are told of requests.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				list, err := svc.Destinations(ctx, domain.System)
				if err != nil {
					return err
				}
				rows := [][]string{{"NAME", "FORMAT", "HOST", "STATUS", "TOLD OF", "WAITING", "LAST SENT"}}
				for _, d := range list {
					rows = append(rows, []string{d.Name, string(d.Format), d.Host, string(d.Status), strings.Join(d.Types, ","), strconv.Itoa(d.Waiting), formatTime(d.Health.SentAt)})
				}
				return c.table(rows)
			})
		}
	},
}

// maxAddressInput bounds what is read as an address, in bytes.
const maxAddressInput = 4 << 10

var destinationAdd = command{
	name: "destination add", names: []string{"NAME"},
	flags: "--format standard|slack|teams --url-stdin [--event TYPE]… [--role ROLE]… [--target TYPE]… [--key KEY] [--details names] [--egress-allow CIDR]… [--egress-ports 443,8443]…",
	about: "Adds a destination, whose address it reads from standard input. For the format standard it prints the key that signs, only this once.",
	setup: func(f *flag.FlagSet) action {
		var events, roles, targets list
		var out egress
		format := f.String("format", "", "`FORMAT` of messages: standard, slack or teams")
		fromStdin := f.Bool("url-stdin", false, "read the address from the first line of standard input: it may be secret")
		f.Var(&events, "event", "a `TYPE` of entry to tell; repeat for several. By default confirm.requested")
		f.Var(&roles, "role", "tell only of requests that require this `ROLE`; repeat for several")
		f.Var(&targets, "target", "tell only of requests about this `TYPE` of target; repeat for several")
		key := f.String("key", "", "tell only of the requests of this `KEY`, by name or id")
		details := f.String("details", string(domain.DetailsNames), "what messages have: none, names or full")
		out.addFlags(f)
		return func(ctx context.Context, c *call) error {
			if !*fromStdin {
				return usageErrorf("--url-stdin is missing: the address is read from standard input only")
			}
			text, err := readAll(c.stdin, maxAddressInput)
			if err != nil {
				return err
			}
			address, _, _ := strings.Cut(string(text), "\n")
			if len(events) == 0 {
				events = list{"confirm.requested"}
			}
			c.checkAddress = notify.New(out.options(&url.URL{})).CheckURL
			in := domain.DestinationInput{Name: c.names[0], Format: domain.Format(*format), Address: strings.TrimSpace(address), Types: events, Roles: roles, Key: *key, Details: domain.Details(*details)}
			for _, target := range targets {
				in.TargetTypes = append(in.TargetTypes, domain.TargetType(target))
			}
			return c.service(ctx, func(svc *domain.Service) error {
				_, secret, err := svc.CreateDestination(ctx, domain.System, in)
				if err == nil && secret != "" {
					_, err = fmt.Fprintln(c.stdout, secret)
				}
				return err
			})
		}
	},
}

var destinationDisable = command{
	name: "destination disable", names: []string{"NAME"},
	about: "Disables a destination. What waits for it is not sent.",
	setup: change((*domain.Service).DisableDestination),
}

var destinationEnable = command{
	name: "destination enable", names: []string{"NAME"},
	about: "Enables a destination. It is told what happens from now on.",
	setup: change((*domain.Service).EnableDestination),
}

// How long destination test waits for the server, and how often it looks.
const (
	testWait = time.Minute
	testPoll = 200 * time.Millisecond
)

var destinationTest = command{
	name: "destination test", names: []string{"NAME"},
	about: "Has the running server send a test message, and waits up to a minute for what becomes of it.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				test, err := svc.QueueTest(ctx, domain.System, c.names[0])
				for late := time.Now().Add(testWait); err == nil && test.State == domain.DeliveryWaiting; {
					if time.Now().After(late) {
						return errors.New("no server has sent the test: is one running on this database?")
					}
					select {
					case <-time.After(testPoll):
					case <-ctx.Done():
						return ctx.Err()
					}
					test, err = svc.Delivery(ctx, domain.System, test.ID)
				}
				switch {
				case err != nil:
					return err
				case test.State == domain.DeliverySent:
					_, err = fmt.Fprintf(c.stdout, "sent: the receiver answered %d\n", test.HTTPStatus)
					return err
				case test.HTTPStatus > 0:
					return fmt.Errorf("the test did not arrive: the receiver answered %d (%s)", test.HTTPStatus, test.Failure)
				}
				return fmt.Errorf("the test did not arrive: %s", test.Failure)
			})
		}
	},
}
