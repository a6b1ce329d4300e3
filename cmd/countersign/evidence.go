package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"countersign/domain"
	"countersign/store"
)

var evidenceExport = command{
	name: "evidence export", flags: "--confirm ID | --trace ID --out FILE",
	about: "Writes what proves a confirm, or all of a trace, into a new file. It verifies offline, with evidence verify --bundle.",
	setup: func(f *flag.FlagSet) action {
		confirm := f.String("confirm", "", "`ID` of a confirm")
		trace := f.String("trace", "", "`ID` of a trace")
		out := f.String("out", "", "`FILE` to write; one that exists is refused")
		return func(ctx context.Context, c *call) error {
			if (*confirm == "") == (*trace == "") {
				return usage("say either --confirm or --trace")
			}
			if *out == "" {
				return usage("--out is missing")
			}
			return c.service(ctx, func(svc *domain.Service) error {
				export, id := svc.ConfirmBundle, *confirm
				if *trace != "" {
					export, id = svc.TraceBundle, *trace
				}
				bundle, err := export(ctx, domain.System, id)
				if err != nil {
					return err
				}
				return writeNew(*out, bundle)
			})
		}
	},
}

// writeNew writes a file that was not there, for its owner alone: a bundle has
// what was asked for in clear.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close() // the first error says more
		return err
	}
	return f.Close()
}

var evidenceRotateKey = command{
	name:  "evidence rotate-key",
	about: "Makes a new key to sign checkpoints with. The old one signs once more, to vouch for it; the new one's public half is printed. All sessions and one-time links end: everybody has to sign in again, and links have to be made anew.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				handed, err := svc.RotateKey(ctx)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.stdout, handed.NewVKey)
				return err
			})
		}
	},
}

// storeOptions are those that hold for every command on a database: where its
// signing key and its head file lie.
func (c *call) storeOptions() store.Options {
	return store.Options{SigningKey: c.getenv(variable("signing-key")), Head: c.getenv(variable("head"))}
}
