package domain

import (
	"context"
	"time"
)

// outcomeOf is what a waiting agent gets of a confirm as it is stored now.
func outcomeOf(r Reader, c *Confirm) (*Outcome, error) {
	o := &Outcome{Confirm: c}
	if c.Imported {
		o.Text = "Imported with its decisions: this server did not see them made, so they prove nothing here."
		return o, nil
	}
	if !c.Final() {
		return o, nil
	}
	decisions, err := decisionsOn(r, c)
	if err != nil {
		return nil, err
	}
	o.Decision = decisions[len(decisions)-1]
	o.Text = o.Decision.text()
	return o, nil
}

// Settled says whether waiting on is of no use.
func (o *Outcome) Settled() bool { return o.Confirm.Final() || o.Confirm.Imported }

// awaits is what would change the outcome, nil when it is settled.
func (o *Outcome) awaits() *Change {
	if o.Settled() {
		return nil
	}
	return &Change{topic: o.Confirm.ID, Due: o.Confirm.ExpiresAt}
}

// Outcome gives what became of a confirm, waiting up to wait (at most MaxWait)
// for a final status. It answers at once when there is one, and as soon as the
// decision is committed otherwise. An expiry is settled before it answers.
func (s *Service) Outcome(ctx context.Context, ref Ref, id string, wait time.Duration) (*Outcome, error) {
	return s.await(ctx, ref, id, byID(id), wait)
}

// await is Outcome of the confirm with the id that find finds.
func (s *Service) await(ctx context.Context, ref Ref, id string, find finder, wait time.Duration) (o *Outcome, err error) {
	if wait <= 0 {
		o, _, err = s.outcome(ctx, ref, find)
		return o, err
	}
	var by *Principal
	err = s.wait(ctx, ref, id, wait, func(told *Outcome) (_ *Change, err error) {
		// What ended rights before the decision was told before it, and has who
		// waits look; but nobody tells that a key has expired.
		if told != nil && by.live(s.clock()) {
			o = told
			return nil, nil
		}
		if o, by, err = s.outcome(ctx, ref, find); err != nil {
			return nil, err
		}
		return o.awaits(), nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// outcome looks once, as the principal that it gives.
func (s *Service) outcome(ctx context.Context, ref Ref, find finder) (o *Outcome, by *Principal, err error) {
	err = s.settled(ctx, ref, find, func(r Reader, p *Principal, c *Confirm) error {
		by = p
		o, err = outcomeOf(r, c)
		return err
	})
	return o, by, err
}

// finder finds a confirm.
type finder func(Reader) (*Confirm, error)

func byID(id string) finder {
	return func(r Reader) (*Confirm, error) { return r.Confirm(id) }
}

// visible finds a confirm that the principal sees: any other is not found.
func (find finder) visible(r Reader, p *Principal) (*Confirm, error) {
	c, err := find(r)
	if err != nil {
		return nil, found(err, "confirm")
	}
	if !p.sees(c) {
		return nil, notFound("confirm")
	}
	return c, nil
}

// settled runs fn on a snapshot in which a confirm that the principal sees is
// not due: its expiry is settled first.
func (s *Service) settled(ctx context.Context, ref Ref, find finder, fn func(Reader, *Principal, *Confirm) error) error {
	due := ""
	look := func(r Reader, p *Principal) error {
		c, err := find.visible(r, p)
		if err != nil {
			return err
		}
		if due == "" && c.Due(s.clock()) {
			due = c.ID
			return nil
		}
		return fn(r, p, c)
	}
	if err := s.read(ctx, ref, look); err != nil || due == "" {
		return err
	}
	if err := s.settle(ctx, due); err != nil {
		return err
	}
	return s.read(ctx, ref, look)
}
