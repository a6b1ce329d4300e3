package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"countersign/domain"
)

// ledger is what the writers of one server were told.
type ledger struct {
	*bar
	about   string
	refused func() // called with each refusal

	mu        sync.Mutex
	done      acknowledged
	absent    []string // approval keys of requests that did not happen
	undecided []string // and of decisions
	unknown   int      // answers that say so
	broken    int      // connections
	recovered bool     // something was done after a refusal
}

func newLedger(b *bar, about string, refused func()) *ledger {
	return &ledger{bar: b, about: about, refused: refused,
		done: acknowledged{created: map[string]string{}, decided: map[string]domain.Status{}}}
}

func (l *ledger) violated(format string, args ...any) {
	l.t.Helper()
	l.bar.violated(l.about+": "+format, args...)
}

func (l *ledger) acknowledgements() int { return len(l.done.created) + len(l.done.decided) }

func (l *ledger) refusals() int { return len(l.absent) + len(l.undecided) }

// uncertain says whether somebody cannot know what happened.
func (l *ledger) uncertain() bool { return l.unknown+l.broken > 0 }

// faultPosts is how often each writer posts.
const faultPosts = 20

// load posts and decides until the server is gone, or there was enough of it.
// A server that is to recover gets more until it has.
func (l *ledger) load(ctx context.Context, base, asker, decider string, random *rand.Rand, recovers bool) {
	var writing sync.WaitGroup
	late := time.Now().Add(patience)
	for i := range 8 {
		w := &faultWriter{ledger: l, base: base + "/api/v1/approvals", asker: asker, decider: decider,
			client: &http.Client{Transport: &http.Transport{}}, random: rand.New(rand.NewPCG(random.Uint64(), uint64(i)))}
		writing.Go(func() {
			defer w.client.CloseIdleConnections()
			for n := 0; n < faultPosts || recovers && !l.hasRecovered() && time.Now().Before(late); n++ {
				if !w.write(ctx, fmt.Sprintf("c-%d-%d", i, n)) {
					return
				}
			}
		})
	}
	writing.Wait()
}

func (l *ledger) hasRecovered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.recovered
}

// faultWriter is one client of a server whose disk fails.
type faultWriter struct {
	*ledger
	base, asker, decider string
	client               *http.Client
	random               *rand.Rand
}

// write asks for an approval and mostly decides it, and reads what became of it
// where that was not done. It says whether the server is still there.
func (w *faultWriter) write(ctx context.Context, id string) (there bool) {
	key := id + "_1"
	posted, there := w.told(key, &w.absent)(fetches(ctx, w.client, w.asker, http.MethodPost, w.base,
		fmt.Sprintf(`{"approval_key":%q,"confirm_id":%q,"actions":[{"name":"pay","args":{}}]}`, key, id)))
	if posted == nil {
		return there && w.read(ctx, key)
	}
	if w.random.IntN(4) == 0 {
		return true // stays pending
	}
	verdict := []string{"approve", "reject"}[w.random.IntN(2)]
	decided, there := w.told(key, &w.undecided)(fetches(ctx, w.client, w.decider, http.MethodPost, w.base+"/"+key,
		fmt.Sprintf(`{"content_hash":%q,"decisions":[{"type":%q}]}`, posted.Hash, verdict)))
	if decided == nil {
		return there && w.read(ctx, key)
	}
	return true
}

// read asks what a request has come to. What it is told is a promise as well.
func (w *faultWriter) read(ctx context.Context, key string) (there bool) {
	var found answer
	status, err := asks(ctx, w.client, w.asker, http.MethodGet, w.base+"/"+key, "", &found)
	if err == nil && status == http.StatusOK {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.enter(key, found)
	}
	return err == nil
}

// told sorts the answer to a change. A refusal puts the key into not; done is
// nil then, and where the outcome is unknown.
func (l *ledger) told(key string, not *[]string) func(int, []byte, error) (done *answer, there bool) {
	return func(status int, text []byte, err error) (*answer, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		var done answer
		var problem struct{ Detail string }
		if err == nil && status < http.StatusMultipleChoices {
			err = json.Unmarshal(text, &done)
		} else if err == nil {
			err = json.Unmarshal(text, &problem)
		}
		switch {
		case err != nil:
			l.broken++
			return nil, false
		case done.Key != "":
			l.enter(key, done)
			l.recovered = l.recovered || l.refusals() > 0
			return &done, true
		case status == http.StatusServiceUnavailable && strings.Contains(problem.Detail, "did not happen"):
			*not = append(*not, key)
			l.refused()
		case status == http.StatusServiceUnavailable && strings.Contains(problem.Detail, "unknown"):
			l.unknown++
		default:
			l.violated("it was answered with %d %s", status, text)
		}
		return nil, true
	}
}

// enter takes note of what a request has come to. l.mu is held.
func (l *ledger) enter(key string, a answer) {
	l.done.created[key] = a.Hash
	if a.Status != domain.Pending {
		l.done.decided[key] = a.Status
	}
}

// check holds a database to what was told.
func (l *ledger) check(file string) {
	h, err := reopen(l.t, file)
	if err != nil {
		l.violated("%v", err)
		return
	}
	before := l.violations.Load()
	l.done.check(l.bar, h)
	for _, key := range l.absent {
		var refused *domain.Error
		if _, err := h.Approval(l.t.Context(), domain.System, key, 0); !errors.As(err, &refused) || refused.Code != domain.CodeNotFound {
			l.violated("%s was answered as not done and is there (%v)", key, err)
		}
	}
	for _, key := range l.undecided {
		o, err := h.Approval(l.t.Context(), domain.System, key, 0)
		if err != nil || o.Confirm.Status != domain.Pending {
			l.violated("%s was answered as not decided and is (%v)", key, err)
		}
	}
	if err := h.db.Close(); err != nil {
		l.violated("close: %v", err)
	}
	if err := verified(l.t, file); err != nil {
		l.violated("verify: %v", err)
	}
	if l.violations.Load() > before {
		l.t.Log("that was", l.about)
	}
}
