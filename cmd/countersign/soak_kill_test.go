package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// acknowledged is what writers were told had happened.
type acknowledged struct {
	mu      sync.Mutex
	created map[string]string // confirm id to content hash
	decided map[string]domain.Status
}

// cyclesPerFile bounds how much each cycle has to verify.
const cyclesPerFile = 50

// TestBarR1_KillUnderLoad kills the server again and again while eight writers
// post and decide. What was acknowledged is there afterwards, nothing was
// decided twice, and the log says what the tables say.
func TestBarR1_KillUnderLoad(t *testing.T) {
	t.Parallel()
	b, cycles := newBar(t, "R1", 25, 1_000)
	var acks, file = 0, ""
	var asker, decider string
	var restarts []time.Duration
	for cycle := range cycles {
		if cycle%cyclesPerFile == 0 {
			file = tempDB(t)
			asker, decider = furnished(t, file)
		}
		p := spawn(t, file)
		restarts = append(restarts, p.ready)
		done := &acknowledged{created: map[string]string{}, decided: map[string]domain.Status{}}
		ctx, stop := context.WithCancel(t.Context())
		first := make(chan struct{}, 8)
		var writing sync.WaitGroup
		for i := range 8 {
			random := b.random(cycle*8 + i)
			writing.Go(func() {
				done.write(ctx, p.base, asker, decider, fmt.Sprintf("c-%d-%d", cycle, i), random, first)
			})
		}
		<-first
		time.Sleep(time.Duration(20+b.random(-1-cycle).IntN(180)) * time.Millisecond) // a fault comes when it comes
		p.kill(t)
		stop()
		writing.Wait()
		opened(t, file, func(h *house) { done.check(b, h) })
		if err := verified(t, file); err != nil {
			b.violated("cycle %d: %v", cycle, err)
		}
		acks += len(done.created) + len(done.decided)
		b.n.Add(1)
	}
	slices.Sort(restarts)
	b.figure("acknowledged", acks)
	b.figure("ready_p99_ms", restarts[len(restarts)*99/100].Milliseconds())
}

// write posts confirms and decides them until the server is gone.
func (a *acknowledged) write(ctx context.Context, base, asker, decider, prefix string, random *rand.Rand, first chan<- struct{}) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := 0; ; n++ {
		id := fmt.Sprintf("%s-%d", prefix, n)
		var posted struct {
			Hash string `json:"content_hash"`
			Key  string `json:"approval_key"`
		}
		status, err := asks(ctx, client, asker, http.MethodPost, base+"/api/v1/approvals",
			fmt.Sprintf(`{"approval_key":%q,"confirm_id":%q,"actions":[{"name":"pay","args":{"n":%d}}]}`, id+"_1", id, n), &posted)
		if err != nil {
			return
		}
		if status != http.StatusCreated {
			continue // refused, and so not acknowledged
		}
		a.mu.Lock()
		a.created[id+"_1"] = posted.Hash
		a.mu.Unlock()
		select {
		case first <- struct{}{}:
		default:
		}
		if random.IntN(4) == 0 {
			continue // stays pending
		}
		verdict, want := "approve", domain.Approved
		if random.IntN(2) == 0 {
			verdict, want = "reject", domain.Rejected
		}
		status, err = asks(ctx, client, decider, http.MethodPost, base+"/api/v1/approvals/"+id+"_1",
			fmt.Sprintf(`{"content_hash":%q,"decisions":[{"type":%q}]}`, posted.Hash, verdict), nil)
		if err != nil {
			return
		}
		if status/100 == 2 {
			a.mu.Lock()
			a.decided[id+"_1"] = want
			a.mu.Unlock()
		}
	}
}

// lost lists what was acknowledged and is not there.
func (a *acknowledged) lost(h *house) (list []string) {
	for key, hash := range a.created {
		o, err := h.Approval(h.t.Context(), domain.System, key, 0)
		if err != nil || o.Confirm.ContentHash != hash {
			list = append(list, fmt.Sprintf("%s was acknowledged and is lost (%v)", key, err))
			continue
		}
		if want, ok := a.decided[key]; ok && o.Confirm.Status != want {
			list = append(list, fmt.Sprintf("%s was acknowledged as %s and is %s", key, want, o.Confirm.Status))
		}
	}
	return list
}

// check compares what was acknowledged with what is there.
func (a *acknowledged) check(b *bar, h *house) {
	for _, loss := range a.lost(h) {
		b.violated("%s", loss)
	}
	for _, difference := range differences(h.t, h.db) {
		b.violated("log and tables: %s", difference)
	}
	sound(b, h.file)
}

// sound asks the database itself, and that no confirm has two decisions.
func sound(b *bar, file string) {
	if store.IsPostgreSQL(file) {
		soundPostgreSQL(b, file)
		return
	}
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	var integrity string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
		b.violated("integrity_check: %s %v", integrity, err)
	}
	for what, text := range unsound {
		var n int
		if err := db.QueryRow(text).Scan(&n); err != nil || n > 0 {
			b.violated("%d confirms %s (%v)", n, what, err)
		}
	}
}

// unsound counts what must not be.
var unsound = map[string]string{
	"were decided twice":               "SELECT count(*) FROM (SELECT requested_seq FROM decisions GROUP BY requested_seq HAVING count(*) > 1) AS twice",
	"do not agree with their decision": "SELECT count(*) FROM confirms WHERE imported = 0 AND (status = 'pending') = (requested_seq IN (SELECT requested_seq FROM decisions))",
}
