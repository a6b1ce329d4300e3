package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// bench is one run of the benchmark.
type bench struct {
	options
	self     string // this program, to be started as a server of its own or a load
	work     string // the directory of this run, removed at its end
	template string // a database with users and keys and nothing else
	say      io.Writer
	figures  *figures
}

func newBench(o options, say io.Writer) (*bench, error) {
	b := &bench{options: o, say: say}
	if b.seed == 0 {
		b.seed = rand.Uint64()
	}
	var err error
	if err = os.MkdirAll(o.dir, 0o755); err != nil {
		return nil, err
	}
	if b.dir, err = filepath.Abs(o.dir); err != nil {
		return nil, err
	}
	if err = onDisk(b.dir); err != nil {
		return nil, err
	}
	if b.binary, err = filepath.Abs(o.binary); err != nil {
		return nil, err
	}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.figures, err = newFigures(o.out); err != nil {
		return nil, err
	}
	if b.work, err = os.MkdirTemp(b.dir, "work-"); err != nil {
		return nil, err
	}
	b.template = filepath.Join(b.work, "template")
	return b, os.Mkdir(b.template, 0o755)
}

// close removes what the run left.
func (b *bench) close() error { return errors.Join(b.figures.close(), os.RemoveAll(b.work)) }

// run measures everything, prints the tables and judges.
func (b *bench) run(ctx context.Context) error {
	chosen, err := b.chosen()
	if err != nil {
		return err
	}
	if _, err := b.furnish(ctx, b.template, filepath.Join(b.template, database)); err != nil {
		return err
	}
	fmt.Fprintf(b.say, "%s, %d processors, %s, seed %d, limits lifted: %s\n\n", time.Now().UTC().Format(time.DateTime), runtime.NumCPU(), runtime.Version(), b.seed, lifted)
	failed := b.measure(ctx, chosen)
	b.figures.write(b.say)
	missed := judge(b.say, b.figures, len(b.only) == 0)
	if b.check && missed > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d goals are missed", missed))
	}
	return failed
}

// measure runs all rounds. A measure that fails has no result in its round, and
// the others go on.
func (b *bench) measure(ctx context.Context, chosen []measure) (failed error) {
	random := rand.New(rand.NewPCG(b.seed, 0))
	for number := range b.rounds {
		random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		for _, m := range chosen {
			if m.rounds > 0 && number >= m.rounds {
				continue
			}
			began := time.Now()
			if err := m.run(ctx, &round{bench: b, number: number}); err != nil {
				failed = errors.Join(failed, fmt.Errorf("round %d: %s has no result: %w", number+1, m.name, err))
			}
			if ctx.Err() != nil {
				return failed
			}
			fmt.Fprintf(os.Stderr, "round %d %s %.1fs\n", number+1, m.name, time.Since(began).Seconds())
		}
	}
	return failed
}

// chosen are the measures that --only names.
func (b *bench) chosen() (list []measure, err error) {
	all := measures()
	if len(b.only) == 0 {
		return all, nil
	}
	for _, name := range b.only {
		at := slices.IndexFunc(all, func(m measure) bool { return m.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no measure %s", name)
		}
		list = append(list, all[at])
	}
	return list, nil
}
