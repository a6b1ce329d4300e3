package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store"
	"countersign/store/postgrestest"
)

// The bars that several nodes on one PostgreSQL database are held to. They are
// those of one node on a file, with the work spread over two.

// outside are the directories with what tests keep outside of their PostgreSQL
// databases, by URL.
var outside sync.Map

func tempPostgreSQL(t testing.TB) string {
	t.Helper()
	db := postgrestest.Database(t)
	outside.Store(db, t.TempDir())
	return db
}

// placed are the options with the files of a test's database in their place.
func placed(db string, o store.Options) store.Options {
	if dir, ok := outside.Load(db); ok {
		o.SigningKey, o.Head = filepath.Join(dir.(string), "key"), filepath.Join(dir.(string), "head")
	}
	return o
}

// environment says to the program where these files are.
func environment(db string) func(string) string {
	files := placed(db, store.Options{})
	return func(name string) string {
		switch name {
		case variable("signing-key"):
			return files.SigningKey
		case variable("head"):
			return files.Head
		}
		return ""
	}
}

// surroundings are the same for a process.
func surroundings(db string) []string {
	if files := placed(db, store.Options{}); files.SigningKey != "" {
		return append(os.Environ(), variable("signing-key")+"="+files.SigningKey, variable("head")+"="+files.Head)
	}
	return nil // as this process has them
}

// newNodes opens a database twice. What is sent to the house goes to the one node
// and the other in turn.
func newNodes(t testing.TB) (h, other *house) {
	t.Helper()
	db := tempPostgreSQL(t)
	h, other = newHouse(t, db), newHouse(t, db)
	var turn atomic.Int64
	balancer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		[]*house{h, other}[turn.Add(1)%2].web.ServeHTTP(w, r)
	}))
	t.Cleanup(balancer.Close)
	h.http = balancer
	return h, other
}

func TestBarR7_StopOneOfTwoNodes(t *testing.T) {
	t.Parallel()
	b, agents := newBar(t, "R7, two nodes", 100, 5_000)
	db := tempPostgreSQL(t)
	asker, decider := furnished(t, db)
	limits := fmt.Sprint("waits=", agents)
	p, other := spawn(t, db, "--limits", limits), spawn(t, db)
	stopWithAgents(b, p, func() *process { return other }, asker, decider, agents)
}

// TestBarR1_KillOneOfTwoNodes kills one node again and again while writers post
// and decide on both. The other one goes on through all of it.
func TestBarR1_KillOneOfTwoNodes(t *testing.T) {
	t.Parallel()
	b, cycles := newBar(t, "R1, two nodes", 4, 300)
	var db, asker, decider string
	var survivor *process
	acks := 0
	for cycle := range cycles {
		if cycle%cyclesPerFile == 0 {
			db = tempPostgreSQL(t)
			asker, decider = furnished(t, db)
			survivor = spawn(t, db)
		}
		victim := spawn(t, db)
		done := &acknowledged{created: map[string]string{}, decided: map[string]domain.Status{}}
		ctx, stop := context.WithCancel(t.Context())
		here, there := make(chan struct{}, 1), make(chan struct{}, 1)
		var writing sync.WaitGroup
		for i := range 8 {
			base, first := victim.base, here
			if i%2 == 1 {
				base, first = survivor.base, there
			}
			random := b.random(cycle*8 + i)
			writing.Go(func() {
				done.write(ctx, base, asker, decider, fmt.Sprintf("c-%d-%d", cycle, i), random, first)
			})
		}
		<-here
		<-there
		time.Sleep(time.Duration(20+b.random(-1-cycle).IntN(180)) * time.Millisecond) // a fault comes when it comes
		victim.kill(t)
		for range 2 { // the first one may have been on its way
			select {
			case <-there:
			case <-time.After(patience):
				t.Fatal("the other node did not go on")
			}
		}
		stop()
		writing.Wait()
		opened(t, db, func(h *house) { done.check(b, h) })
		if err := verified(t, db); err != nil {
			b.violated("cycle %d: %v", cycle, err)
		}
		acks += len(done.created) + len(done.decided)
		b.n.Add(1)
	}
	b.figure("acknowledged", acks)
}

// TestNodes_WakeEachOther: who waits on one node hears at once of what is
// decided on another. The agent that waits is told in any case; how long that
// takes is measured by one who surely listened before the decision.
func TestNodes_WakeEachOther(t *testing.T) {
	t.Parallel()
	b, rounds := newBar(t, "awake on another node", 30, 1_000)
	h, other := newNodes(t)
	h.user("owner", "reviewer")
	_, ref := h.key(domain.KeyInput{Name: "asker", Roles: []string{"executor"}})
	reviewer := h.user("reviewer", "reviewer")
	var took []time.Duration
	for range rounds {
		c := h.post(ref, aCall)
		told := make(chan error)
		wait := func(d time.Duration) error {
			o, err := other.Outcome(t.Context(), ref, c.ID, d)
			if err == nil && !o.IsFinal() {
				err = errors.New("it is pending")
			}
			return err
		}
		go func() { told <- wait(30 * time.Second) }()
		listener := other.Feed().Subscribe()
		_, err := h.Decide(t.Context(), reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
		if err != nil {
			t.Fatal(err)
		}
		decided := time.Now()
		for e := range listener.Entries() {
			if e.ConfirmID == c.ID && e.Type == "confirm.approved" {
				break
			}
		}
		if err := wait(0); err != nil {
			b.violated("who was woken was told %v", err)
		}
		took = append(took, time.Since(decided))
		listener.Close()
		if err := <-told; err != nil {
			b.violated("who waited was told %v", err)
		}
		b.n.Add(1)
	}
	slices.Sort(took)
	b.figure("p50_ms", took[len(took)/2].Seconds()*1000)
	b.figure("p99_ms", took[len(took)*99/100].Seconds()*1000)
	if took[len(took)/2] > 500*time.Millisecond { // it would be the slow look then
		b.violated("half of them waited longer than %v", took[len(took)/2])
	}
}

// TestNodes_RestoredDatabase: a database that was restored with its own tools is
// not served by accident. Once it is accepted, other nodes go on with it.
func TestNodes_RestoredDatabase(t *testing.T) {
	t.Parallel()
	db := tempPostgreSQL(t)
	asker, _ := furnished(t, db)
	restored := postgrestest.Copy(t, db)
	dir, _ := outside.Load(db)
	outside.Store(restored, dir)
	opened(t, db, func(h *house) { h.user("later", "reviewer") })

	refused := launch(t, []string{"countersign"}, restored)
	if refused.listens(t) || !strings.Contains(refused.stderr.String(), "rollback detected") {
		t.Errorf("it was served:\n%s", refused.stderr)
	}
	first := spawn(t, restored, "--accept-restore")
	second := spawn(t, restored)
	for _, node := range []*process{first, second} {
		status, err := asks(t.Context(), http.DefaultClient, asker, http.MethodPost, node.base+"/api/v1/confirms", aCall, nil)
		if err != nil || status != http.StatusCreated {
			t.Errorf("post: %d %v", status, err)
		}
	}
	for _, node := range []*process{first, second} {
		if err := node.signal(t, syscall.SIGTERM); err != nil {
			t.Errorf("it ended with %v:\n%s", err, node.stderr)
		}
	}
	if err := verified(t, restored); err != nil {
		t.Error(err)
	}
}

// soundPostgreSQL asks the database itself what sound asks SQLite.
func soundPostgreSQL(b *bar, url string) {
	c, err := pgx.Connect(b.t.Context(), url)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }() // it only read
	for what, text := range unsound {
		var n int
		if err := c.QueryRow(b.t.Context(), text).Scan(&n); err != nil || n > 0 {
			b.violated("%d confirms %s (%v)", n, what, err)
		}
	}
}
