package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"countersign/domain"
)

// TestBarR13_LongRun has agents ask and reviewers decide for a long time, while
// the server is killed, started again and paused. What was acknowledged is
// there, every agent is told what was decided, the log is verified all the
// while, and at the end, when nothing is killed any more, memory does not
// grow, and no file, connection or goroutine is left over.
func TestBarR13_LongRun(t *testing.T) {
	t.Parallel()
	b, seconds := newBar(t, "R13", 6, 3_600)
	l := &longRun{
		bar: b, file: tempDB(t), rest: time.Duration(sized(20, 200)) * time.Millisecond,
		done: acknowledged{created: map[string]string{}, decided: map[string]domain.Status{}},
	}
	l.asker, l.decider = furnished(t, l.file)
	l.start()
	idle := holdings(t, l.server)

	whole := time.Duration(seconds) * time.Second
	ctx, stop := context.WithTimeout(t.Context(), whole)
	defer stop()
	var running sync.WaitGroup
	for i := range sized(20, 100) {
		running.Go(func() { l.agent(ctx, i) })
	}
	for i := range sized(5, 20) {
		running.Go(func() { l.reviewer(ctx, b.random(1_000+i)) })
	}
	running.Go(func() { l.verify(ctx) })
	l.disturb(ctx, whole/2, sized(2, 100), true) // and what the pauses take
	l.disturb(ctx, whole/30, 0, false)           // what the last start needs
	early := holdings(t, l.server)
	l.disturb(ctx, whole/4, sized(1, 20), false)
	late := holdings(t, l.server)
	stop()
	running.Wait()

	quiet := l.quiet(idle)
	b.figure("memory_kib", []int{idle.memory, early.memory, late.memory, quiet.memory})
	b.figure("files", []int{idle.files, early.files, late.files, quiet.files})
	b.figure("sockets", []int{idle.sockets, early.sockets, late.sockets, quiet.sockets})
	b.figure("goroutines", []int{idle.goroutines, early.goroutines, late.goroutines, quiet.goroutines})
	b.figure("restarts", l.restarts)
	b.figure("pauses", l.pauses)
	b.figure("verified", l.verified.Load())
	b.figure("created", len(l.done.created))
	b.figure("decided", len(l.done.decided))
	b.figure("told", b.n.Load())
	if seconds >= 600 && float64(late.memory) > float64(early.memory)*1.1 { // garbage is not yet steady in a short one
		b.violated("it grew from %d to %d KiB", early.memory, late.memory)
	}
	if err := l.server.signal(t, syscall.SIGTERM); err != nil {
		b.violated("it ended with %v:\n%s", err, l.server.stderr)
	}
	opened(t, l.file, func(h *house) { l.done.check(b, h) })
	if err := verified(t, l.file); err != nil {
		b.violated("%v", err)
	}
	if b.n.Load() == 0 || l.verified.Load() == 0 || l.restarts == 0 {
		b.violated("nothing happened")
	}
}

// longRun is a server with those who use it.
type longRun struct {
	*bar
	file           string
	asker, decider string
	rest           time.Duration // of an agent or reviewer between two deeds, on average

	server           *process
	base             atomic.Pointer[string]
	restarts, pauses int
	verified         atomic.Int64
	done             acknowledged
}

func (l *longRun) start() {
	l.server = spawn(l.t, l.file, "--metrics", "127.0.0.1:0")
	l.base.Store(&l.server.base)
}

// pass lets time go by. It says whether there is more of it.
func pass(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// disturb pauses the server a number of times, spread over a time, or kills it
// and starts it again.
func (l *longRun) disturb(ctx context.Context, over time.Duration, times int, kills bool) {
	random := l.random(l.restarts)
	each := over / time.Duration(times+1)
	for i := range times {
		if !pass(ctx, each) {
			return
		}
		if kills && (i == 0 || random.IntN(2) == 0) {
			l.server.kill(l.t)
			l.start()
			l.restarts++
			continue
		}
		for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
			if err := l.server.cmd.Process.Signal(s); err != nil {
				l.t.Fatal(err)
			}
			pass(ctx, time.Duration(random.Int64N(int64(min(5*time.Second, each)))))
		}
		l.pauses++
	}
	pass(ctx, each)
}

// verify verifies the log while it grows.
func (l *longRun) verify(ctx context.Context) {
	for began := time.Now(); pass(ctx, max(l.rest, 3*time.Since(began))); {
		began = time.Now()
		if err := verified(l.t, l.file); err != nil {
			l.violated("meanwhile: %v", err)
			return
		}
		l.verified.Add(1)
	}
}

// agent asks, and waits until it is told. What the server does not answer, it
// asks again.
func (l *longRun) agent(ctx context.Context, i int) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	random := l.random(i)
	for n := 0; pass(ctx, time.Duration(random.Int64N(int64(2*l.rest)))); n++ {
		id := fmt.Sprintf("c-%d-%d", i, n)
		body := fmt.Sprintf(`{"approval_key":%q,"confirm_id":%q,"actions":[{"name":"pay","args":{"n":%d}}],"review_configs":[{"timeout":86400}]}`, id+"_1", id, n)
		posted := l.insist(ctx, client, http.MethodPost, "/api/v1/approvals", body)
		if posted == nil {
			return
		}
		l.done.mu.Lock()
		l.done.created[id+"_1"] = posted.Hash
		l.done.mu.Unlock()
		for told := posted; told.Status == domain.Pending; {
			if told = l.insist(ctx, client, http.MethodGet, "/api/v1/approvals/"+id+"_1?wait=30", ""); told == nil {
				return
			}
			l.told(id+"_1", told)
		}
		l.n.Add(1)
	}
}

// told holds what an agent is told to what the reviewer was.
func (l *longRun) told(key string, told *answer) {
	l.done.mu.Lock()
	defer l.done.mu.Unlock()
	if want, known := l.done.decided[key]; known && told.Status != want {
		l.violated("%s was acknowledged as %s and its agent is told %s", key, want, told.Status)
	}
	if told.Hash != l.done.created[key] {
		l.violated("%s was acknowledged with %s and its agent is told %s", key, l.done.created[key], told.Hash)
	}
	if told.Status != domain.Pending {
		l.done.decided[key] = told.Status // a promise as well
	}
}

// insist sends a request until it is answered. A server that says that it is
// stopping, or that something was not done, is asked again as one that is away.
func (l *longRun) insist(ctx context.Context, client *http.Client, method, path, body string) *answer {
	for ctx.Err() == nil {
		var got answer
		status, err := asks(ctx, client, l.asker, method, *l.base.Load()+path, body, &got)
		switch {
		case err == nil && status < http.StatusMultipleChoices:
			return &got
		case err == nil && status != http.StatusServiceUnavailable:
			l.violated("%s %s was answered with %d", method, path, status)
			return nil
		}
		pass(ctx, l.rest)
	}
	return nil
}

// reviewer decides whatever is pending, and is not alone in it.
func (l *longRun) reviewer(ctx context.Context, random *rand.Rand) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for pass(ctx, time.Duration(random.Int64N(int64(2*l.rest)))) {
		base := *l.base.Load()
		var list struct {
			Items []struct {
				ID string `json:"confirm_id"`
			} `json:"items"`
		}
		status, err := asks(ctx, client, l.decider, http.MethodGet, base+"/api/v1/confirms?status=pending&limit=50", "", &list)
		if err != nil || status != http.StatusOK || len(list.Items) == 0 {
			continue
		}
		key := list.Items[random.IntN(len(list.Items))].ID + "_1"
		verdict, want := "approve", domain.Approved
		if random.IntN(2) == 0 {
			verdict, want = "reject", domain.Rejected
		}
		status, err = asks(ctx, client, l.decider, http.MethodPost, base+"/api/v1/approvals/"+key, fmt.Sprintf(`{"decisions":[{"type":%q}]}`, verdict), nil)
		switch {
		case err != nil || status == http.StatusConflict || status == http.StatusServiceUnavailable:
		case status/100 != 2:
			l.violated("the decision on %s was answered with %d", key, status)
		default:
			l.done.mu.Lock()
			if before, known := l.done.decided[key]; known && before != want {
				l.violated("%s was acknowledged as %s and as %s", key, before, want)
			}
			l.done.decided[key] = want
			l.done.mu.Unlock()
		}
	}
}
