package domain

import (
	"context"
	"time"
)

// outcomeOf returns the outcome of a confirm as it is stored now.
func outcomeOf(r Reader, c *Confirm) (o *Outcome, err error) {
	o = &Outcome{Confirm: c}
	if c.Imported {
		o.Text = "Imported with its decisions. Nobody decided on this server, so they prove nothing here."
		return o, nil
	}
	if !c.IsFinal() {
		o.Requires, err = loadProgress(r, c)
		return o, err
	}
	decisions, err := loadDecisions(r, c)
	if err != nil {
		return nil, err
	}
	o.Decision = decisions[len(decisions)-1]
	o.Text = o.Decision.explanation()
	return o, nil
}

// IsFinal reports whether the outcome can no longer change.
func (o *Outcome) IsFinal() bool { return o.Confirm.IsFinal() || o.Confirm.Imported }

// waitsFor returns what may change the outcome, nil when it is final.
func (o *Outcome) waitsFor() *waitTopic {
	if o.IsFinal() {
		return nil
	}
	return &waitTopic{topic: o.Confirm.ID, due: o.Confirm.ExpiresAt}
}

// Outcome returns the outcome of a confirm. It waits up to wait (at most MaxWait) for a
// final status and returns as soon as the decision is committed. The confirm is expired
// first if it is due.
func (s *Service) Outcome(ctx context.Context, ref Ref, id string, wait time.Duration) (*Outcome, error) {
	return s.awaitOutcome(ctx, ref, id, byID(id), wait)
}

// awaitOutcome is Outcome for the confirm with this id, which find returns.
func (s *Service) awaitOutcome(ctx context.Context, ref Ref, id string, find finder, wait time.Duration) (o *Outcome, err error) {
	if wait <= 0 {
		o, _, err = s.readOutcome(ctx, ref, find)
		return o, err
	}
	var by *Principal
	err = s.wait(ctx, ref, id, wait, func(told *Outcome) (_ *waitTopic, err error) {
		// A loss of rights before the decision was notified before it, and led to a new
		// look. Only the expiry of a key is never notified.
		if told != nil && by.isActive(s.clock()) {
			o = told
			return nil, nil
		}
		if o, by, err = s.readOutcome(ctx, ref, find); err != nil {
			return nil, err
		}
		return o.waitsFor(), nil
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// readOutcome reads the outcome once, and returns the principal who reads.
func (s *Service) readOutcome(ctx context.Context, ref Ref, find finder) (o *Outcome, by *Principal, err error) {
	err = s.readConfirm(ctx, ref, find, func(r Reader, p *Principal, c *Confirm) error {
		by = p
		o, err = outcomeOf(r, c)
		return err
	})
	return o, by, err
}

// finder finds a confirm by its id or approval key.
type finder func(Reader) (*Confirm, error)

func byID(id string) finder {
	return func(r Reader) (*Confirm, error) { return r.Confirm(id) }
}

// findVisible returns the confirm if the principal may see it, or else not-found.
func (find finder) findVisible(r Reader, p *Principal) (*Confirm, error) {
	c, err := find(r)
	if err != nil {
		return nil, notFoundOr(err, "request")
	}
	if !p.canSee(c) {
		return nil, errNotFound("request")
	}
	return c, nil
}

// readConfirm runs fn on a snapshot in which the confirm is not due: it is expired
// first.
func (s *Service) readConfirm(ctx context.Context, ref Ref, find finder, fn func(Reader, *Principal, *Confirm) error) error {
	due := ""
	look := func(r Reader, p *Principal) error {
		c, err := find.findVisible(r, p)
		if err != nil {
			return err
		}
		if due == "" && c.IsDue(s.clock()) {
			due = c.ID
			return nil
		}
		return fn(r, p, c)
	}
	if err := s.read(ctx, ref, look); err != nil || due == "" {
		return err
	}
	if err := s.expireOne(ctx, due); err != nil {
		return err
	}
	return s.read(ctx, ref, look)
}
