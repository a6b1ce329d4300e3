package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

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

func run(ctx context.Context, args []string) error {
	switch strings.Join(args, " ") {
	case "list":
		for _, m := range measures {
			fmt.Printf("%-10s %s\n", m.name, m.about)
		}
		return nil
	case "noop": // the program starts itself this way
		return serveNoop()
	}
	b := &bench{stdout: os.Stdout, size: fullSize}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&b.binary, "binary", ".build/countersign", "the `PROGRAM` to measure")
	f.StringVar(&b.dir, "dir", ".build/bench", "`DIRECTORY` on a disk to work in")
	f.StringVar(&b.out, "out", ".build/bench.jsonl", "`FILE` for every value, one on a line")
	f.StringVar(&b.results, "results", "cmd/bench/RESULTS.md", "`FILE` that a whole run, without --only and --quick, writes")
	f.StringVar(&b.only, "only", "", "`NAMES` of measures, separated by commas (default all)")
	f.IntVar(&b.rounds, "rounds", 0, "how many rounds (default 5, or 1 with --quick)")
	f.Uint64Var(&b.seed, "seed", rand.Uint64(), "of the order of measures")
	f.BoolVar(&b.quick, "quick", false, "small sizes and one round: shows that it works, not how fast")
	f.BoolVar(&b.check, "check", false, "fail when a goal is missed")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("there is no command %q", f.Arg(0))
	}
	if b.quick {
		b.size = quickSize
	}
	if b.rounds == 0 {
		b.rounds = b.size.rounds
	}
	return b.run(ctx)
}

// size is how much is measured.
type size struct {
	rounds       int
	window       load.Window
	rest         time.Duration // before memory is measured
	minute       time.Duration // for which decisions arrive as fast as they can
	large, small int           // requests in the databases behind the inbox
	waiting      int           // agents at the same time
	burst        int           // decisions at the same moment
	undelivered  int           // deliveries that wait and are not due
	idle         time.Duration // for which a server does nothing
	plans, steps int
	rows         int // requests whose rows are written by the driver alone
}

var (
	fullSize = size{
		rounds: 5, window: load.Window{Warm: 500 * time.Millisecond, Length: 2 * time.Second}, rest: 2 * time.Second, minute: time.Minute,
		large: 1_000_000, small: 1_000, waiting: 10_000, burst: 1_000, undelivered: 10_000, idle: 10 * time.Second, plans: 20, steps: 500, rows: 10_000,
	}
	quickSize = size{
		rounds: 1, window: load.Window{Warm: 50 * time.Millisecond, Length: 200 * time.Millisecond}, rest: 100 * time.Millisecond, minute: 500 * time.Millisecond,
		large: 2_000, small: 200, waiting: 100, burst: 50, undelivered: 100, idle: 200 * time.Millisecond, plans: 2, steps: 100, rows: 256,
	}
)
