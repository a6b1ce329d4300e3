package domain_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/store/postgrestest"
)

// recorder is a receiver that counts what it is told.
type recorder struct {
	mu    sync.Mutex
	told  map[string]int
	grown chan struct{}
}

func newRecorder() *recorder {
	return &recorder{told: map[string]int{}, grown: make(chan struct{}, 1)}
}

func (r *recorder) send(_ context.Context, d *domain.Dispatch) domain.DeliveryResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told[d.Message.Type+" "+d.Message.Confirm.ID]++
	select {
	case r.grown <- struct{}{}:
	default:
	}
	return domain.DeliveryResult{HTTPStatus: 200}
}

// await waits until n different things were told.
func (r *recorder) await(t *testing.T, n int) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		r.mu.Lock()
		got := len(r.told)
		r.mu.Unlock()
		if got >= n {
			return
		}
		select {
		case <-r.grown:
		case <-late:
			t.Fatalf("%d were told, want %d", got, n)
		}
	}
}

// T61: two nodes queue and send together, and nothing is told twice while both live.
func TestT61_TwoNodesDeliverTogether(t *testing.T) {
	t.Parallel()
	database, dir := postgrestest.Database(t), t.TempDir()
	told := newRecorder()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var nodes []*world
	for range 2 {
		feed := domain.NewFeed()
		db, err := store.Open(t.Context(), database, store.Options{Committed: feed.Publish, SigningKey: filepath.Join(dir, "key"), Head: filepath.Join(dir, "head")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { feed.Close(); _ = db.Close() })
		w := &world{t: t, ctx: t.Context(), feed: feed, db: db, Service: domain.NewService(db, domain.Config{Feed: feed, CheckAddress: checkAddress})}
		if err := w.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, w)
	}
	agent := nodes[0].worker()
	nodes[0].destination("one")
	for _, w := range nodes {
		running.Go(func() { w.RunDeliveries(ctx, told.send) })
	}
	const requests = 60
	for i := range requests {
		nodes[i%2].post(agent, fmt.Sprintf(`{"confirm_id":"c-%d","target_type":"other","actions":[{"name":"pay","args":{}}]}`, i))
	}
	told.await(t, requests)
	told.mu.Lock()
	defer told.mu.Unlock()
	for what, n := range told.told {
		if n != 1 {
			t.Errorf("%s was told %d times", what, n)
		}
	}
}

// The server tells a destination of a request within a second, and stops when it is told
// to.
func TestRunDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, told := w.worker(), newRecorder()
	w.destination("one")
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.RunDeliveries(t.Context(), told.send)
	}()
	for i := range 3 {
		w.post(agent, toolCall)
		told.await(t, i+1)
	}
	w.feed.Close()
	<-done
}
