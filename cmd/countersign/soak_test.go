package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/static"
	"countersign/store"
	"countersign/web"
)

// The tests in soak_*_test.go hold the server to its bars of reliability. They
// run at a small size with every other test, and at full size when
// COUNTERSIGN_SOAK=1 (make soak). COUNTERSIGN_SEED repeats a run.

// bar is one measured promise. Its line of figures is printed when the test
// ends.
type bar struct {
	t     *testing.T
	name  string
	seed  uint64
	began time.Time

	n, violations atomic.Int64
	mu            sync.Mutex
	figures       map[string]any
}

// newBar begins a bar and gives its size.
func newBar(t *testing.T, name string, small, full int) (b *bar, size int) {
	t.Helper()
	b = &bar{t: t, name: name, seed: 1, began: time.Now(), figures: map[string]any{}}
	if text := os.Getenv("COUNTERSIGN_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("COUNTERSIGN_SEED: %v", err)
		}
		b.seed = seed
	}
	t.Cleanup(b.report)
	return b, sized(small, full)
}

// sized is full when soaking.
func sized(small, full int) int {
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		return full
	}
	return small
}

// random is a source of its own for a part of the bar, the same in every run
// with the same seed.
func (b *bar) random(part int) *rand.Rand { return rand.New(rand.NewPCG(b.seed, uint64(part))) }

// violated notes that the promise was broken.
func (b *bar) violated(format string, args ...any) {
	b.t.Helper()
	if b.violations.Add(1) <= 20 { // the first ones tell enough
		b.t.Errorf(format, args...)
	}
}

func (b *bar) figure(name string, value any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.figures[name] = value
}

func (b *bar) report() {
	b.figure("bar", b.name)
	b.figure("n", b.n.Load())
	b.figure("violations", b.violations.Load())
	b.figure("seed", b.seed)
	b.figure("wall_s", time.Since(b.began).Round(10*time.Millisecond).Seconds())
	line, err := json.Marshal(b.figures)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("%s", line)
}

// house is a server without a process: the service over a real database file,
// and every page and address over loopback HTTP.
type house struct {
	*domain.Service
	t    testing.TB
	file string
	db   *store.DB
	feed *domain.Feed
	web  *web.Server
	http *httptest.Server

	ahead atomic.Int64 // nanoseconds that its clock is before the machine's
}

// unlimited are the limits of a house that is to be filled fast.
func unlimited() domain.Limits {
	l := domain.DefaultLimits()
	l.Creates, l.Burst, l.Pending = 1<<30, 1<<30, 1<<30
	return l
}

// cheap hashes passwords fast: what is tested is not how well.
func cheap() *credential.Hasher {
	return credential.NewHasher(credential.Params{Memory: 8, Time: 1, Parallelism: 1}, 2)
}

// newHouse opens a database, new unless the file is there.
func newHouse(t testing.TB, file string, change ...func(*web.Config)) *house {
	t.Helper()
	h := &house{t: t, file: file, feed: domain.NewFeed()}
	var err error
	if h.db, err = store.Open(t.Context(), file, placed(file, store.Options{Now: h.now, Committed: h.feed.Publish})); err != nil {
		t.Fatal(err)
	}
	h.Service = domain.NewService(h.db, domain.Config{Feed: h.feed, Now: h.now, Limits: unlimited(), Hasher: cheap(), CheckAddress: func(string) error { return nil }})
	if err := h.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	assets, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	config := web.Config{Service: h.Service, Assets: assets, Checks: []web.Check{{Name: "database", Ask: h.db.Ready}}}
	for _, c := range change {
		c(&config)
	}
	h.web = web.New(config)
	h.http = httptest.NewServer(h.web)
	t.Cleanup(func() {
		h.feed.Close()
		h.http.Close()
		if err := h.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

// key makes a key and gives its text.
func (h *house) key(in domain.KeyInput) (text string, ref domain.Ref) {
	h.t.Helper()
	k, text, err := h.CreateKey(h.t.Context(), domain.System, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return text, domain.Ref{Kind: domain.KindAgent, ID: k.ID}
}

func (h *house) user(name string, roles ...string) domain.Ref {
	h.t.Helper()
	u, _, err := h.AddUser(h.t.Context(), domain.System, name, roles, password)
	if err != nil {
		h.t.Fatal(err)
	}
	return domain.Ref{Kind: domain.KindUser, ID: u.ID}
}

// post posts a confirm written as JSON.
func (h *house) post(ref domain.Ref, text string) *domain.Confirm {
	h.t.Helper()
	in, err := mplp.ParseConfirm([]byte(text), h.Limits().MPLP())
	if err != nil {
		h.t.Fatal(err)
	}
	posted, err := h.PostConfirm(h.t.Context(), ref, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return posted.Confirm
}

// finals lists the entries that ended a confirm.
func (h *house) finals(id string) (types []string) {
	h.t.Helper()
	entries, err := h.Entries(h.t.Context(), domain.System, domain.EntryFilter{ConfirmID: id, Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		switch e.Type {
		case "confirm.approved", "confirm.rejected", "confirm.cancelled":
			types = append(types, e.Type)
		}
	}
	return types
}

// differences compares the log with the tables: the digests that the entries
// name last must be those of the rows that are there, no more and no less.
func differences(t testing.TB, db *store.DB) (list []string) {
	t.Helper()
	want := map[string][]byte{}
	after, next := int64(-1), int64(0)
	for {
		var entries []*evidence.Entry
		err := db.View(t.Context(), func(r domain.Reader) (err error) {
			entries, err = r.Entries(domain.EntryFilter{After: &after, Limit: 1000})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			if e.Seq != next {
				list = append(list, fmt.Sprintf("entry %d stands at %d", e.Seq, next))
			}
			next++
			for _, row := range e.Rows {
				want[row.Table+" "+row.Key] = row.Digest
			}
		}
		after = entries[len(entries)-1].Seq
	}
	err := db.Rows(t.Context(), func(table, key string, digest []byte) error {
		name := table + " " + key
		if !bytes.Equal(want[name], digest) {
			list = append(list, name+" is not what the log says")
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, digest := range want {
		if digest != nil {
			list = append(list, name+" is missing")
		}
	}
	return list
}

func tempDB(t testing.TB) string { return filepath.Join(t.TempDir(), "countersign.db") }
