package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"countersign/cmd/bench/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is what the arguments ask for. With the first three words the program
// calls itself.
func run(ctx context.Context, args []string) error {
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	switch word {
	case "ground":
		return ground(ctx, os.Stdout)
	case "router":
		return router(ctx, args[1], os.Stdout)
	case "load":
		return load.Run(ctx, os.Stdin, os.Stdout)
	case "list":
		for _, m := range measures() {
			fmt.Printf("%-10s %s\n", m.name, m.about)
		}
		return nil
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	b, err := newBench(o, os.Stdout)
	if err != nil {
		return err
	}
	return errors.Join(b.run(ctx), b.close())
}

// options are the command line's.
type options struct {
	binary, dir, out string
	only             []string
	size             size
	rounds           int
	seed             uint64
	check            bool
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.binary, "binary", ".build/countersign", "the `PROGRAM` to measure")
	f.StringVar(&o.dir, "dir", ".build/bench", "`DIRECTORY` on a disk to work in")
	f.StringVar(&o.out, "out", ".build/bench.jsonl", "`FILE` for every value measured")
	only := f.String("only", "", "`NAMES` of measures, separated by commas; else all")
	quick := f.Bool("quick", false, "small sizes and one round: shows that it works, not how fast")
	f.IntVar(&o.rounds, "rounds", 0, "how many rounds; 0: five, or one with --quick")
	f.Uint64Var(&o.seed, "seed", 0, "of the order; 0: a new one")
	f.BoolVar(&o.check, "check", false, "fail when a goal is missed")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("there is no %s", f.Arg(0))
	}
	o.size = fullSize
	if *quick {
		o.size = quickSize
	}
	if o.rounds == 0 {
		o.rounds = o.size.rounds
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	return o, nil
}
