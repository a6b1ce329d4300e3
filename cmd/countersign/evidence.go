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
	about: "Exports the evidence of a request or of a whole trace into a new file. Verify it offline with evidence verify --bundle.",
	setup: func(f *flag.FlagSet) action {
		confirm := f.String("confirm", "", "`ID` of a request")
		trace := f.String("trace", "", "`ID` of a trace")
		out := f.String("out", "", "`FILE` to write; an existing file is refused")
		return func(ctx context.Context, c *call) error {
			if (*confirm == "") == (*trace == "") {
				return usageErrorf("give either --confirm or --trace")
			}
			if *out == "" {
				return usageErrorf("--out is missing")
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

// writeNew creates a file that only its owner can read, because a bundle contains
// the content of requests. It fails if the file exists.
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
	about: "Creates a new key to sign checkpoints with. The old key vouches for it with a last signature, and the new public key is printed. All sessions and one-time links end: everybody must sign in again and needs new links.",
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

// storeOptions returns the options of every command: where the signing key and
// the head file are.
func (c *call) storeOptions() store.Options {
	return store.Options{SigningKey: c.getenv(variable("signing-key")), Head: c.getenv(variable("head"))}
}
