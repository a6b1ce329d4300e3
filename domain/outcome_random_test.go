package domain_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
)

// TestOutcome_WhateverHappens while agents wait, in whatever order and however
// much at once, made by whichever of two processes: they hear of every decision,
// of none that is not stored, and of none that was made after their rights ended.
func TestOutcome_WhateverHappens(t *testing.T) {
	t.Parallel()
	told := 0
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, rand.New(rand.NewPCG(seed, 7)))
			for range 30 {
				c.turn()
			}
			told += c.check()
		})
	}
	if told == 0 {
		t.Error("all who waited looked: this shows nothing of what is told")
	}
}

// crowd are agents who wait for outcomes, while two processes decide and take
// away the agents' rights.
type crowd struct {
	*world    // where they wait
	random    *rand.Rand
	processes []*world
	service   *domain.Service
	looks     *counted

	reviewer domain.Ref
	agents   []agent
	confirms []*domain.Confirm
	waits    []*awaited
	waiting  sync.WaitGroup
}

// agent is a key, the user who owns it if any, and who posts what it waits for.
type agent struct {
	domain.Ref
	owner, poster domain.Ref
	expires       time.Time
}

// awaited is the answer that an agent was given.
type awaited struct {
	agent
	confirm      *domain.Confirm
	began, ended time.Time
	outcome      *domain.Outcome
	err          error
}

func newCrowd(t *testing.T, random *rand.Rand) *crowd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "countersign.db")
	clock := func(c *domain.Config) { c.Now = time.Now }
	w := openWorld(t, file, clock)
	c := &crowd{world: w, random: random, processes: []*world{w, openWorld(t, file, clock)}, looks: &counted{Store: w.db}}
	c.service = domain.NewService(c.looks, domain.Config{Feed: w.feed, Now: time.Now})
	c.reviewer = w.user("reviewer", "reviewer")
	w.role("watching", "confirm.approve")
	w.user("asker", "reviewer")
	poster := w.keyFor(domain.KeyInput{Name: "poster", Roles: []string{"executor"}, Owner: "asker"})
	for i := range 3 {
		name := fmt.Sprintf("owner-%d", i)
		owner := w.user(name, "reviewer")
		life := time.Duration(1+random.IntN(30)) * time.Second
		owned := w.keyFor(domain.KeyInput{Name: fmt.Sprint("owned-", i), Roles: []string{"executor"}, Owner: name})
		c.agents = append(c.agents,
			agent{Ref: w.keyFor(domain.KeyInput{Name: fmt.Sprint("plain-", i), Roles: []string{"executor"}, Owner: "asker"}), poster: poster},
			agent{Ref: w.keyFor(domain.KeyInput{Name: fmt.Sprint("brief-", i), Roles: []string{"executor"}, Owner: "asker", Lifetime: life}), poster: poster, expires: time.Now().Add(life)},
			agent{Ref: owned, owner: owner, poster: owned},
			agent{Ref: w.keyFor(domain.KeyInput{Name: fmt.Sprint("watcher-", i), Roles: []string{"watching"}, Owner: name, MayDecide: true}), owner: owner, poster: poster})
	}
	return c
}

// turn is one moment, in which some things happen at once.
func (c *crowd) turn() {
	var now sync.WaitGroup
	for range 1 + c.random.IntN(4) {
		w := anyOf(c.random, c.processes)
		switch c.random.IntN(16) {
		case 0: // rights end, or had ended before
			end := c.ending(w)
			now.Go(func() { _ = end() })
		case 1, 2, 3, 4: // first wins
			if len(c.confirms) > 0 {
				confirm := anyOf(c.random, c.confirms)
				now.Go(func() { _, _ = w.decide(c.reviewer, confirm, domain.Approved) })
			}
		default:
			c.wait(w)
		}
	}
	now.Wait()
	if c.random.IntN(2) == 0 {
		time.Sleep(time.Duration(c.random.IntN(1500)) * time.Millisecond)
	}
}

// ending ends the rights of somebody.
func (c *crowd) ending(w *world) func() error {
	a := anyOf(c.random, c.agents)
	switch {
	case a.owner.ID != "" && c.random.IntN(2) == 0:
		return func() error { return w.DisableUser(w.ctx, domain.System, a.owner.ID) }
	case c.random.IntN(6) == 0:
		return func() error {
			_, err := w.UpdateRole(w.ctx, domain.System, "watching", domain.RoleInput{Name: "watching", Capabilities: []string{"trace.read"}})
			return err
		}
	}
	return func() error { return w.RevokeKey(w.ctx, domain.System, a.ID) }
}

// wait has an agent wait for a confirm that one of the processes is posted.
func (c *crowd) wait(w *world) {
	a := &awaited{agent: anyOf(c.random, c.agents), began: time.Now()}
	posted, err := w.tryPost(a.poster, toolCall)
	if err != nil {
		return // its key has ended
	}
	a.confirm = posted.Confirm
	c.confirms, c.waits = append(c.confirms, a.confirm), append(c.waits, a)
	c.waiting.Go(func() {
		a.outcome, a.err = c.service.Outcome(c.ctx, a.Ref, a.confirm.ID, domain.MaxWait)
		a.ended = time.Now()
	})
}

// lag is how long it may take until a process hears of what another has committed.
const lag = 2 * time.Second

// check holds every answer to the log, and says how many were given without a
// look at the database.
func (c *crowd) check() (told int) {
	c.t.Helper()
	for _, confirm := range c.confirms {
		_, _ = c.decide(c.reviewer, confirm, domain.Rejected) // but for those that are
	}
	c.waiting.Wait()
	log, err := c.Entries(c.ctx, domain.System, domain.EntryFilter{Limit: 10_000})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, a := range c.waits {
		decided, ended := a.history(log)
		if wrong := a.wrong(decided, ended); wrong != "" {
			c.t.Errorf("%v waits from %v to %v: %s\ndecided %+v\nended %+v, expires %v", a.Ref, a.began, a.ended, wrong, decided, ended, a.expires)
		}
		if a.err == nil && a.outcome.IsFinal() {
			told++
			if diff := cmp.Diff(c.outcome(a.confirm.ID), a.outcome); diff != "" {
				c.t.Errorf("what was told is not what is stored (-stored +told):\n%s", diff)
			}
		}
	}
	// Each looked when it began to listen, and then once.
	return told - (int(c.looks.views.Load()) - 2*len(c.waits))
}

// history is which entry decided the confirm, and which was the first that ended
// the agent's right to hear of it; nil: none.
func (a *awaited) history(log []*evidence.Entry) (decided, ended *evidence.Entry) {
	for _, e := range log {
		switch {
		case e.ConfirmID == a.confirm.ID && e.Cause != "":
			decided = e
		case ended != nil:
		case e.Type == "key.revoked" && e.ObjectID == a.ID,
			e.Type == "user.disabled" && e.ObjectID == a.owner.ID,
			e.Type == "role.modified" && a.poster != a.Ref && a.owner.ID != "":
			ended = e
		}
	}
	return decided, ended
}

// wrong says what is, empty if nothing.
func (a *awaited) wrong(decided, ended *evidence.Entry) string {
	expired := !a.expires.IsZero() && !a.ended.Before(a.expires)
	switch {
	case a.err != nil && ended == nil && !expired:
		return fmt.Sprintf("refused, and nothing ended: %v", a.err)
	case a.err != nil && !expired && a.ended.Before(ended.At):
		return fmt.Sprintf("refused too early: %v", a.err)
	case a.err != nil && !expired && a.ended.After(later(a.began, ended.At).Add(lag)):
		return fmt.Sprintf("refused too late: %v", a.err)
	case a.err != nil:
	case !a.outcome.IsFinal() && a.ended.Sub(a.began) < domain.MaxWait:
		return "it did not wait"
	case !a.outcome.IsFinal() && decided.At.Before(a.ended.Add(-lag)):
		return "it missed the decision"
	case !a.outcome.IsFinal():
	case a.ended.After(later(a.began, decided.At).Add(lag)):
		return "told too late"
	case ended != nil && ended.Seq < decided.Seq:
		return "told after its rights had ended"
	case !a.expires.IsZero() && !decided.At.Before(a.expires):
		return "told after its key had expired"
	}
	return ""
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func anyOf[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }
