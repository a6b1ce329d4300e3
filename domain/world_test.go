package domain_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/mplp"
	"countersign/store"
)

// world is a server without HTTP: a service over a real database, with a clock
// that tests move.
type world struct {
	*domain.Service
	t    *testing.T
	ctx  context.Context
	feed *domain.Feed
	db   *store.DB
	file string // of the database

	mu    sync.Mutex
	clock time.Time
}

func newWorld(t *testing.T, change ...func(*domain.Config)) *world {
	t.Helper()
	return openWorld(t, filepath.Join(t.TempDir(), "countersign.db"), change...)
}

// openWorld is a world over a database that may have a past.
func openWorld(t *testing.T, file string, change ...func(*domain.Config)) *world {
	t.Helper()
	return openWorldAt(t, file, file, change...)
}

// openWorldAt is a world over a database whose key and head are in files of
// another name.
func openWorldAt(t *testing.T, name, file string, change ...func(*domain.Config)) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), feed: domain.NewFeed(), file: file, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	var err error
	w.db, err = store.Open(w.ctx, name, store.Options{Now: w.now, Committed: w.feed.Publish, SigningKey: file + ".key", Head: file + ".head"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.feed.Close()
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	config := domain.Config{
		Feed: w.feed, Now: w.now,
		Hasher: credential.NewHasher(credential.Params{Memory: 8, Time: 1, Parallelism: 1}, 2), CheckAddress: checkAddress,
	}
	for _, c := range change {
		c(&config)
	}
	w.Service = domain.NewService(w.db, config)
	if err := w.Prepare(w.ctx); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// pass moves the clock on.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

const password = "a quiet harbour at dawn"

// user adds a user with roles and gives who they are.
func (w *world) user(name string, roles ...string) domain.Ref {
	w.t.Helper()
	u, _, err := w.AddUser(w.ctx, domain.System, name, roles, password)
	if err != nil {
		w.t.Fatal(err)
	}
	return domain.Ref{Kind: domain.KindUser, ID: u.ID}
}

// key adds a key with roles and gives who it is.
func (w *world) key(name string, roles ...string) domain.Ref {
	w.t.Helper()
	return w.keyFor(domain.KeyInput{Name: name, Roles: roles})
}

func (w *world) keyFor(in domain.KeyInput) domain.Ref {
	w.t.Helper()
	k, _, err := w.CreateKey(w.ctx, domain.System, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return domain.Ref{Kind: domain.KindAgent, ID: k.ID}
}

// role creates a role with capabilities and gives its name.
func (w *world) role(name string, capabilities ...string) string {
	w.t.Helper()
	if _, err := w.CreateRole(w.ctx, domain.System, domain.RoleInput{Name: name, Capabilities: capabilities}); err != nil {
		w.t.Fatal(err)
	}
	return name
}

// post posts a confirm written as JSON.
func (w *world) post(ref domain.Ref, text string) *domain.Confirm {
	w.t.Helper()
	posted, err := w.tryPost(ref, text)
	if err != nil {
		w.t.Fatalf("post %s: %v", text, err)
	}
	return posted.Confirm
}

func (w *world) tryPost(ref domain.Ref, text string) (*domain.PostedConfirm, error) {
	w.t.Helper()
	in, err := mplp.ParseConfirm([]byte(text), w.Limits().MPLP())
	if err != nil {
		w.t.Fatalf("parse %s: %v", text, err)
	}
	return w.PostConfirm(w.ctx, ref, in)
}

// plan posts a plan of three steps in a row and gives its id.
func (w *world) plan(ref domain.Ref, id string) string {
	w.t.Helper()
	text := fmt.Sprintf(`{"plan_id":%q,"context_id":"ctx-1","title":"Fix the login","objective":"No more errors",
		"steps":[{"step_id":"s1","description":"Read"},{"step_id":"s2","description":"Write","dependencies":["s1"]},
		{"step_id":"s3","description":"Pay","dependencies":["s2"],"order_index":0}]}`, id)
	in, err := mplp.ParsePlan([]byte(text), w.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	posted, err := w.PostPlan(w.ctx, ref, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return posted.Plan.ID
}

func (w *world) planStatus(id string) domain.PlanStatus {
	w.t.Helper()
	detail, err := w.Plan(w.ctx, domain.System, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return detail.Plan.Status
}

// decide decides on what is there now.
func (w *world) decide(ref domain.Ref, c *domain.Confirm, status domain.Status) (*domain.Outcome, error) {
	return w.Decide(w.ctx, ref, c.ID, domain.DecisionInput{Status: status, ContentHash: c.ContentHash, Reason: "because"})
}

func (w *world) mustDecide(ref domain.Ref, c *domain.Confirm, status domain.Status) *domain.Outcome {
	w.t.Helper()
	o, err := w.decide(ref, c, status)
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// outcome looks as the system, without waiting.
func (w *world) outcome(id string) *domain.Outcome {
	w.t.Helper()
	o, err := w.Outcome(w.ctx, domain.System, id, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// entries is the whole log.
func (w *world) entryTypes() (types []string) {
	w.t.Helper()
	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	for i, e := range list {
		if e.Seq != int64(i) {
			w.t.Fatalf("entry %d has number %d: the log has a gap", i, e.Seq)
		}
		types = append(types, e.Type)
	}
	return types
}

// wantCode asserts a refusal and that it left the log alone.
func (w *world) wantCode(err error, want domain.Code) {
	w.t.Helper()
	if got := domain.ErrorCode(err); got != want {
		w.t.Errorf("code %q, want %q (%v)", got, want, err)
	}
}

const toolCall = `{"target_type":"other","reason":"Buy low","actions":[{"name":"execute_trade","args":{"symbol":"VNM","quantity":100}}]}`
const twoCalls = `{"target_type":"other","actions":[{"name":"delete_table","args":{"table":"users"}},{"name":"send_mail","args":{"to":"all"}}]}`
