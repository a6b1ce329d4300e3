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
	"countersign/store/driver"
)

// tally counts statements, and those of them that are waited for.
type tally struct{ statements, waits atomic.Int64 }

func (n *tally) reset() { n.statements.Store(0); n.waits.Store(0) }

// counting is a database whose sessions count the statements they run.
type counting struct {
	driver.Driver
	n *tally
}

func (d counting) Connect(ctx context.Context, mode driver.Mode) (driver.Conn, error) {
	s, err := d.Driver.Connect(ctx, mode)
	return counted{s, d.n}, err
}

type counted struct {
	driver.Conn
	n *tally
}

func (s counted) waits() {
	s.n.statements.Add(1)
	s.n.waits.Add(1)
}

func (s counted) Exec(text string, args []any) (int64, error) {
	s.waits()
	return s.Conn.Exec(text, args)
}

func (s counted) Queue(text string, args []any) error {
	s.n.statements.Add(1)
	return s.Conn.Queue(text, args)
}

func (s counted) Query(text string, args []any, fn func(driver.Row) error) error {
	s.waits()
	return s.Conn.Query(text, args, fn)
}

func (s counted) Script(text string) error {
	s.waits()
	return s.Conn.Script(text)
}

func (s counted) Savepoint() error {
	s.n.statements.Add(1)
	return s.Conn.Savepoint()
}

func (s counted) Release() error {
	s.n.statements.Add(1)
	return s.Conn.Release()
}

func (s counted) Commit(grew bool) (bool, error) {
	s.waits()
	return s.Conn.Commit(grew)
}

// count has the connections of a database count from now on.
func count(db *DB) *tally {
	n := new(tally)
	db.ledger.Pause(func(s *driver.Session) { s.Conn = counted{s.Conn, n} })
	for range cap(db.readers.free) {
		c := <-db.readers.free
		defer func() { db.readers.free <- c }()
		c.Driver = counting{c.Driver, n}
		if c.Conn != nil {
			c.Conn = counted{c.Conn, n}
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
			in, err := mplp.ParseConfirm([]byte(body), svc.Limits().MPLP())
			must(err)
			posted, err := svc.PostConfirm(ctx, agent, in)
			must(err)
			return posted.Confirm
		}
		decide := func(c *domain.Confirm) {
			t.Helper()
			_, err := svc.DecideJSON(ctx, person, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
			must(err)
		}
		const call = `{"target_type":"other","session_id":"s","actions":[{"name":"pay","args":{"eur":1}}]}`
		var steps strings.Builder
		for i := range 50 {
			fmt.Fprintf(&steps, `,{"step_id":"s%d","description":"Read"}`, i)
		}
		plan, err := mplp.ParsePlan([]byte(`{"plan_id":"p","context_id":"c","title":"Read","objective":"Know","steps":[`+steps.String()[1:]+`]}`), svc.Limits().MPLP())
		must(err)
		_, err = svc.PostPlan(ctx, agent, plan)
		must(err)
		proposed, err := svc.ProposePlan(ctx, agent, "p", domain.ProposeInput{})
		must(err)
		decide(proposed)
		for i := range 20 {
			decide(confirm(fmt.Sprintf(`{"target_type":"other","plan_id":"p","step_id":"s%d","actions":[{"name":"pay","args":{"eur":1}}]}`, i)))
		}

		for i := range 20 { // none matches: they must not cost a statement
			_, err := svc.SavePolicy(ctx, domain.System, domain.PolicyInput{Enabled: true, Document: fmt.Appendf(nil,
				`{"v":1,"name":"p%d","effect":"require","condition":"args.eur > %d","quorum":[{"role":"reviewer","approvals":2}]}`, i, 100+i)})
			must(err)
		}
		confirm(call)

		shown, err := svc.Confirm(ctx, person, confirm(call).ID)
		must(err)
		alone, err := svc.Confirm(ctx, person, confirm(`{"target_type":"other","actions":[{"name":"tell","args":{}}]}`).ID)
		must(err)

		n := count(db)
		settle := func() { db.ledger.Pause(func(*driver.Session) {}) } // what was committed is published
		waits := map[string]int64{"create": 3, "decide": 12}           // while nobody else writes
		var pending *domain.Confirm
		for _, op := range []struct {
			name string
			most int64
			run  func() error
		}{
			{"recognize a key", 0, func() error { _, err := svc.AuthenticateCached(ctx, text); return err }},
			{"create", 12, func() error { pending = confirm(call); return nil }},
			{"outcome, pending", 9, func() error { _, err := svc.Outcome(ctx, agent, pending.ID, 0); return err }},
			{"decide", 18, func() error {
				pending = confirm(call)
				settle()
				n.reset()
				decide(pending)
				return nil
			}},
			{"outcome, decided", 10, func() error { _, err := svc.Outcome(ctx, agent, pending.ID, 0); return err }},
			{"confirm as JSON", 17, func() error { _, err := svc.ConfirmJSON(ctx, agent, pending.ID); return err }},
			{"confirm page", 19, func() error { _, err := svc.Confirm(ctx, person, pending.ID); return err }},
			{"what came before", 24, func() error {
				_, err := svc.Precedents(ctx, person, shown)
				return err
			}},
			{"what came before, with nothing", 6, func() error {
				_, err := svc.Precedents(ctx, person, alone)
				return err
			}},
			{"inbox page", 11, func() error {
				_, err := svc.Inbox(ctx, person, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
				return err
			}},
			{"plan page", 21, func() error { _, err := svc.Plan(ctx, person, "p"); return err }},
			{"gate, approved", 28, func() error {
				v, err := svc.Gate(ctx, agent, domain.GateQuery{PlanID: "p", StepID: "s3"})
				if err == nil && !v.Allows() {
					err = fmt.Errorf("the gate says %+v", v)
				}
				return err
			}},
		} {
			// In the end what may be cached is. Once a second the writer looks for
			// what others wrote, and at the end of a block of the tree an entry is
			// proved with one statement less: the bounds hold at every other place.
			statements, waited := int64(math.MaxInt64), int64(math.MaxInt64)
			for range 8 {
				settle()
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
