package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"countersign/cmd/bench/load"
)

// measures are all of them. Each has a file.
var measures = []measure{
	{"ground", "what the machine can do at best: one fdatasync, raw commits by the same driver, and a server that does nothing", 5, measureGround},
	{"create", "agents create requests, each with a key, a capability check and an entry in the log", 5, measureCreate},
	{"trip", "round trips: an agent creates a request and waits, it is decided, the agent is awake", 5, measureTrip},
	{"native", "coding agents ask through their hooks, beside the same calls as requests", 5, measureNative},
	{"waiting", "agents wait by long polls: the memory for each, and whether the others feel it", 3, measureWaiting},
	{"inbox", "the page that reviewers look at most, over many requests and over few, and while agents create", 5, measureInbox},
	{"plan", "the page of a large plan with its drawing", 3, measurePlan},
	{"evidence", "verifying a large log, and the proof of one request", 1, measureEvidence},
	{"start", "how long a server takes until it answers, and what it holds when nothing happens", 5, measureStart},
	{"groups", "many requests in one commit against one commit each, without HTTP", 3, measureGroups},
	{"decisions", "many decisions at one moment, and a minute of them", 1, measureDecisions},
	{"deliver", "requests and round trips while destinations are told of them, beside a server without destinations", 3, measureDeliver},
	{"policies", "requests while policies are in force, the largest posts under the worst policies, and the inbox of requests with a quorum", 3, measurePolicies},
	{"nodes", "two servers on one PostgreSQL database against one, all on this machine", 3, measureNodes},
}

// measure is one thing to measure. It takes part in the first rounds only.
type measure struct {
	name, about string
	rounds      int
	run         func(ctx context.Context, r *round)
}

// bench is one run of the benchmark.
type bench struct {
	binary, dir, out, results, only string // flags
	rounds                          int
	seed                            uint64
	quick, check                    bool

	size      size
	stdout    io.Writer
	processor string   // its model
	self      string   // this program
	work      string   // the directory of this run, removed at its end
	template  string   // the directory of a database with users and keys
	log       *os.File // what all servers write to standard error
	figures   figures
}

// round is one round of the benchmark.
type round struct {
	*bench
	number  int
	measure string
}

// prepare makes what all measures need.
func (b *bench) prepare(ctx context.Context) (err error) {
	defer catch(&err)
	check(os.MkdirAll(b.dir, 0o755))
	b.dir, b.binary, b.self = must(filepath.Abs(b.dir)), must(filepath.Abs(b.binary)), must(os.Executable())
	check(isOnDisk(b.dir))
	b.processor = must(must(procfs.NewDefaultFS()).CPUInfo())[0].ModelName
	b.log = must(os.Create(filepath.Join(b.dir, "servers.log")))
	b.work = must(os.MkdirTemp(b.dir, "work-"))
	b.template = filepath.Join(b.work, "template")
	check(os.Mkdir(b.template, 0o755))
	b.furnish(ctx, b.template, filepath.Join(b.template, database))
	return nil
}

// isOnDisk refuses directories in memory, where a commit costs nothing.
func isOnDisk(dir string) error {
	const tmpfs, ramfs = 0x01021994, 0x858458f6
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return fmt.Errorf("file system of %s: %w", dir, err)
	}
	if s.Type == tmpfs || s.Type == ramfs {
		return fmt.Errorf("%s is in memory: set --dir to a directory on a disk", dir)
	}
	return nil
}

// run measures everything, in a new order in each round, and reports. A measure
// that fails has no result in its round, and the others go on.
func (b *bench) run(ctx context.Context) (failed error) {
	began := time.Now()
	chosen := slices.DeleteFunc(slices.Clone(measures), func(m measure) bool {
		return b.only != "" && !slices.Contains(strings.Split(b.only, ","), m.name)
	})
	if b.only != "" && len(chosen) != len(strings.Split(b.only, ",")) {
		return fmt.Errorf("not every measure of %s exists: see bench list", b.only)
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	random := rand.New(rand.NewPCG(b.seed, 0))
	for number := range b.rounds {
		random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		for _, m := range chosen {
			if number >= m.rounds {
				continue
			}
			began := time.Now()
			if err := m.try(ctx, &round{b, number, m.name}); err != nil {
				failed = errors.Join(failed, fmt.Errorf("round %d: %s has no result: %w (see also %s)", number+1, m.name, err, b.log.Name()))
			}
			fmt.Fprintf(os.Stderr, "round %d %s %.1fs\n", number+1, m.name, time.Since(began).Seconds())
		}
	}
	report, missed := b.report(time.Since(began))
	fmt.Fprint(b.stdout, report)
	if isWhole := b.only == "" && !b.quick; isWhole && failed == nil {
		failed = os.WriteFile(b.results, []byte(report), 0o644)
	}
	if b.check && missed > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d goals are missed", missed))
	}
	return errors.Join(failed, b.figures.write(b.out))
}

func (m measure) try(ctx context.Context, r *round) (err error) {
	defer catch(&err)
	m.run(ctx, r)
	return nil
}

// set records a figure of this round.
func (r *round) set(name, unit string, value float64) {
	r.figures = append(r.figures, line{r.number + 1, r.measure, name, unit, value})
}

// setTimes records one of the times that clients took.
func (r *round) setTimes(name string, result *load.Result, part string) {
	r.set(name+", p50", "ms", result.Percentile(part, 50))
	r.set(name+", p99", "ms", result.Percentile(part, 99))
}

// runClients has clients repeat a step for the usual window, and records how
// often and how fast.
func (r *round) runClients(ctx context.Context, name string, clients int, step func(int) load.Step) *load.Result {
	result := must(load.Run(ctx, clients, r.size.window, step))
	r.set(name+forClients(clients), "1/s", result.Rate())
	r.setTimes(name+forClients(clients), result, load.Whole)
	return result
}

func forClients(n int) string {
	if n == 1 {
		return ", 1 client"
	}
	return fmt.Sprintf(", %d clients", n)
}

// failure is what check panics with, so that a measure reads without a
// condition after every line. Catch turns it into an error again.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func catch(err *error) {
	switch f := recover().(type) {
	case nil:
	case failure:
		*err = f.error
	default:
		panic(f)
	}
}
