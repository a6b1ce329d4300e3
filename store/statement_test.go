package store

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/mplp"
)

// tally counts statements, and those of them that are waited for.
type tally struct{ statements, waits atomic.Int64 }

func (n *tally) reset() { n.statements.Store(0); n.waits.Store(0) }

// counting is a database whose sessions count the statements they run.
type counting struct {
	dialect
	n *tally
}

func (d counting) connect(ctx context.Context, u use) (session, error) {
	s, err := d.dialect.connect(ctx, u)
	return counted{s, d.n}, err
}

type counted struct {
	session
	n *tally
}

func (s counted) waits() {
	s.n.statements.Add(1)
	s.n.waits.Add(1)
}

func (s counted) exec(text string, args []any) (int64, error) {
	s.waits()
	return s.session.exec(text, args)
}

func (s counted) later(text string, args []any) error {
	s.n.statements.Add(1)
	return s.session.later(text, args)
}

func (s counted) query(text string, args []any, fn func(row) error) error {
	s.waits()
	return s.session.query(text, args, fn)
}

func (s counted) script(text string) error {
	s.waits()
	return s.session.script(text)
}

func (s counted) mark() error {
	s.n.statements.Add(1)
	return s.session.mark()
}

func (s counted) release() error {
	s.n.statements.Add(1)
	return s.session.release()
}

func (s counted) commit(grew bool) (bool, error) {
	s.waits()
	return s.session.commit(grew)
}

// count has the connections of a database count from now on.
func count(db *DB) *tally {
	n := new(tally)
	db.writer.between(func() { db.writer.c.session = counted{db.writer.c.session, n} })
	for _, c := range db.readers.idle {
		c.dialect = counting{c.dialect, n}
		if c.session != nil {
			c.session = counted{c.session, n}
		}
	}
	return n
}

// What one operation costs is how many statements it runs, and each that is waited
// for is a way to the server and back on PostgreSQL. The bounds are what is needed
// now, with what begins and ends transactions: whoever adds one has to say so here.
// Proving the rows of one entry takes four: the checkpoint, the entry, and the hashes
// of its block and of what is above it. That there is no later entry, or none at all, of
// an object takes one more.
// Reading begins with two, which go in one way.
func TestStatementsOfAnOperation(t *testing.T) {
	both(t, func(t *testing.T, name string) {
		feed := domain.NewFeed()
		db := openTest(t, name, Options{Committed: feed.Publish})
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		svc := domain.NewService(db, domain.Config{Feed: feed, Now: func() time.Time { return at }})
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ctx := t.Context()
		must(svc.Prepare(ctx))
		reviewer, _, err := svc.AddUser(ctx, domain.System, "reviewer", []string{"reviewer"}, "")
		must(err)
		key, text, err := svc.CreateKey(ctx, domain.System, domain.KeyInput{Name: "agent", Roles: []string{"executor", "planner", "architect"}})
		must(err)
		agent, person := domain.Ref{Kind: domain.KindAgent, ID: key.ID}, domain.Ref{Kind: domain.KindUser, ID: reviewer.ID}

		confirm := func(body string) *domain.Confirm {
			t.Helper()
			in, err := mplp.ParseConfirm([]byte(body), svc.Limits().Wire())
			must(err)
			posted, err := svc.PostConfirm(ctx, agent, in)
			must(err)
			return posted.Confirm
		}
		decide := func(c *domain.Confirm) {
			t.Helper()
			_, err := svc.DecideObject(ctx, person, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
			must(err)
		}
		const call = `{"target_type":"other","session_id":"s","actions":[{"name":"pay","args":{"eur":1}}]}`
		var steps strings.Builder
		for i := range 50 {
			fmt.Fprintf(&steps, `,{"step_id":"s%d","description":"Read"}`, i)
		}
		plan, err := mplp.ParsePlan([]byte(`{"plan_id":"p","context_id":"c","title":"Read","objective":"Know","steps":[`+steps.String()[1:]+`]}`), svc.Limits().Wire())
		must(err)
		_, err = svc.PostPlan(ctx, agent, plan)
		must(err)
		proposed, err := svc.ProposePlan(ctx, agent, "p", domain.ProposeInput{})
		must(err)
		decide(proposed)
		for i := range 20 {
			decide(confirm(fmt.Sprintf(`{"target_type":"other","plan_id":"p","step_id":"s%d","actions":[{"name":"pay","args":{"eur":1}}]}`, i)))
		}

		n := count(db)
		waits := map[string]int64{"create": 3, "decide": 11} // while nobody else writes
		var pending *domain.Confirm
		for _, op := range []struct {
			name string
			most int64
			run  func() error
		}{
			{"recognize a key", 0, func() error { _, err := svc.Recognize(ctx, text); return err }},
			{"create", 12, func() error { pending = confirm(call); return nil }},
			{"outcome, pending", 9, func() error { _, err := svc.Outcome(ctx, agent, pending.ID, 0); return err }},
			{"decide", 17, func() error {
				pending = confirm(call)
				n.reset()
				decide(pending)
				return nil
			}},
			{"outcome, decided", 10, func() error { _, err := svc.Outcome(ctx, agent, pending.ID, 0); return err }},
			{"confirm as JSON", 17, func() error { _, err := svc.ConfirmObject(ctx, agent, pending.ID); return err }},
			{"confirm page", 19, func() error { _, err := svc.Confirm(ctx, person, pending.ID); return err }},
			{"inbox page", 9, func() error {
				_, err := svc.Inbox(ctx, person, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
				return err
			}},
			{"plan page", 21, func() error { _, err := svc.Plan(ctx, person, "p"); return err }},
			{"gate, approved", 28, func() error {
				v, err := svc.Gate(ctx, agent, domain.GateQuery{PlanID: "p", StepID: "s3"})
				if err == nil && !v.Allow() {
					err = fmt.Errorf("the gate says %+v", v)
				}
				return err
			}},
		} {
			// In the end the connection that reads has seen it before, and remembers
			// what it may. Now and then the writer looks what others did.
			statements, waited := int64(math.MaxInt64), int64(math.MaxInt64)
			for range 8 {
				n.reset()
				must(op.run())
				statements, waited = min(statements, n.statements.Load()), min(waited, n.waits.Load())
			}
			if statements > op.most {
				t.Errorf("%s: %d statements, want at most %d", op.name, statements, op.most)
			}
			if waits[op.name] > 0 && waited > waits[op.name] {
				t.Errorf("%s: %d statements are waited for, want at most %d", op.name, waited, waits[op.name])
			}
		}
	})
}
