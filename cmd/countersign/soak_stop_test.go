package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/domain"
)

// TestBarR7_StopWithWaitingAgents ends the server by SIGTERM while agents wait and
// decisions arrive. It is gone within five seconds, every agent has got a
// well-formed answer, and after a restart all of them hear what was decided.
func TestBarR7_StopWithWaitingAgents(t *testing.T) {
	t.Parallel()
	b, agents := newBar(t, "R7", 500, 5_000)
	file := tempDB(t)
	asker, decider := furnished(t, file)
	p := spawn(t, file, "--limits", fmt.Sprint("waits=", agents))
	stopWithAgents(b, p, func() *process { return spawn(t, file) }, asker, decider, agents)
}

// stopWithAgents stops p, which holds as many waits as there are agents. They go
// on with next.
func stopWithAgents(b *bar, p *process, next func() *process, asker, decider string, agents int) {
	t := b.t
	post := func(id string) {
		status, err := asks(t.Context(), http.DefaultClient, asker, http.MethodPost, p.base+"/api/v1/confirms",
			fmt.Sprintf(`{"confirm_id":%q,"timeout":3600,"target_type":"other","actions":[{"name":"pay","args":{}}]}`, id), nil)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("post: %d %v", status, err)
		}
	}
	for i := range agents {
		post(fmt.Sprint("c-", i))
	}
	const busy = 50
	for i := range busy {
		post(fmt.Sprint("busy-", i))
	}

	// Each waits on a connection of its own.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	wait := func(id string) (state string, status int, err error) {
		var o struct{ Status string }
		status, err = asks(t.Context(), client, asker, http.MethodGet, p.base+"/api/v1/confirms/"+id+"/outcome?wait=60", "", &o)
		return o.Status, status, err
	}
	var waiting, deciding sync.WaitGroup
	for i := range agents {
		waiting.Go(func() {
			state, status, err := wait(fmt.Sprint("c-", i))
			for status == http.StatusTooManyRequests { // the spare one was there first
				state, status, err = wait(fmt.Sprint("c-", i))
			}
			b.n.Add(1)
			if err != nil || state != string(domain.Pending) {
				b.violated("agent %d was told %q (%v)", i, state, err)
			}
		})
	}
	// Once the server holds as many as it may, one more is refused. One that is
	// decided is told at once.
	cancel := p.base + "/api/v1/confirms/spare/cancel"
	post("spare")
	if status, err := asks(t.Context(), client, asker, http.MethodPost, cancel, "", nil); err != nil || status != http.StatusOK {
		t.Fatalf("cancel: %d %v", status, err)
	}
	for {
		_, status, err := wait("spare")
		if err != nil {
			t.Fatal(err)
		}
		if status == http.StatusTooManyRequests {
			break
		}
	}
	var mu sync.Mutex
	acknowledged, under := map[string]bool{}, make(chan struct{}, 1)
	approve := func(id string) (int, error) {
		var o struct {
			Hash string `json:"content_hash"`
		}
		status, err := asks(t.Context(), http.DefaultClient, asker, http.MethodGet, p.base+"/api/v1/confirms/"+id+"/outcome", "", &o)
		if err != nil || status != http.StatusOK {
			return status, err
		}
		return asks(t.Context(), http.DefaultClient, decider, http.MethodPost, p.base+"/api/v1/confirms/"+id+"/decisions",
			fmt.Sprintf(`{"status":"approved","content_hash":%q}`, o.Hash), nil)
	}
	for i := range busy {
		deciding.Go(func() {
			id := fmt.Sprint("busy-", i)
			status, err := approve(id)
			select {
			case under <- struct{}{}:
			default:
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil && status == http.StatusCreated {
				acknowledged[id] = true
			} else if err == nil && status != http.StatusServiceUnavailable {
				b.violated("a decision on the way was answered with %d", status)
			}
		})
	}
	<-under                                                             // way
	idle, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://")) // says nothing, and must hold up nobody
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	began := time.Now()
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		b.violated("it ended with %v:\n%s", err, p.stderr)
	}
	took := time.Since(began)
	if took > 5*time.Second {
		b.violated("it took %v to stop", took)
	}
	waiting.Wait()
	deciding.Wait()
	b.figure("stop_ms", took.Milliseconds())

	p = next()
	for i := range agents {
		waiting.Go(func() {
			if state, _, err := wait(fmt.Sprint("c-", i)); err != nil || state != string(domain.Approved) {
				b.violated("after the restart agent %d was told %q (%v)", i, state, err)
			}
		})
	}
	// Sooner than a wait ends by itself.
	for worker := range busy {
		deciding.Go(func() {
			for i := worker; i < agents; i += busy {
				if status, err := approve(fmt.Sprint("c-", i)); err != nil || status != http.StatusCreated {
					b.violated("approve: %d %v", status, err)
				}
			}
		})
	}
	deciding.Wait()
	waiting.Wait()
	for id := range acknowledged {
		if state, _, err := wait(id); err != nil || state != string(domain.Approved) {
			b.violated("the decision on %s was acknowledged and is %q (%v)", id, state, err)
		}
	}
	b.figure("decided_while_stopping", len(acknowledged))
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		b.violated("it ended with %v:\n%s", err, p.stderr)
	}
}
