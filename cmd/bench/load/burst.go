package load

import (
	"context"
	"time"
)

// burst has every client's agent wait, and then all of them decided at the same
// moment.
func (j *Job) burst(ctx context.Context) (*Result, error) {
	all := j.travellers()
	defer func() {
		for _, t := range all {
			t.close()
		}
	}()
	began := time.Now()
	for range j.Times {
		if err := crowd(ctx, j.Clients, func(ctx context.Context, i int) error { return all[i].ask(ctx, &all[i].seats[0]) }); err != nil {
			return nil, err
		}
		time.Sleep(j.Warm) // the last of them are not waiting yet
		err := crowd(ctx, j.Clients, func(ctx context.Context, i int) error {
			decided, awake, err := all[i].decide(ctx, &all[i].seats[0])
			all[i].decided(decided, awake)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return j.sum(ctx, all, time.Since(began))
}
