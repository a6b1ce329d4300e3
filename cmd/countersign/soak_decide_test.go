package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
)

// visitor sends requests as somebody known: a user with a session, or a key.
type visitor struct {
	*house
	token string // of the session
	key   string
	htmx  bool
	base  string // the node it asks; empty: the house
	// origin is the site of the page that a form comes from; empty: the node's.
	origin string
}

// at is the visitor at a node.
func (v visitor) at(base string) *visitor {
	v.base = base
	return &v
}

// signedIn opens a session.
func (h *house) signedIn(name string) *visitor {
	h.t.Helper()
	token, _, err := h.SignIn(h.t.Context(), name, password, domain.Client{Address: "192.0.2.1"})
	if err != nil {
		h.t.Fatal(err)
	}
	return &visitor{house: h, token: token}
}

// told is an answer.
type told struct {
	status int
	header http.Header
	body   string
}

// do sends a form (a page's), or text (JSON, with a key).
func (v *visitor) do(method, path, text string, form url.Values) told {
	v.t.Helper()
	if form != nil {
		form.Set("csrf", credential.FormToken(v.token))
		text = form.Encode()
	}
	base := cmp.Or(v.base, v.http.URL)
	r, err := http.NewRequestWithContext(v.t.Context(), method, base+path, strings.NewReader(text))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if v.key != "" {
		r.Header.Set("Authorization", "Bearer "+v.key)
		r.Header.Set("If-Match", `"`+wrongHash+`"`) // what PATCH must have, and nothing else reads
		if path == "/mcp" {
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
	} else {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", cmp.Or(v.origin, base))
		r.Header.Set("Cookie", "countersign="+v.token)
	}
	if v.htmx {
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Request-Type", "partial")
	}
	answer, err := v.http.Client().Transport.RoundTrip(r) // follows nothing
	if err != nil {
		v.t.Error(err)
		return told{}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Error(err)
	}
	return told{answer.StatusCode, answer.Header, string(body)}
}

// contender tries to end a confirm in one way.
type contender struct {
	name string
	json bool
	want domain.Status // of the confirm, if it wins
	try  func(c *domain.Confirm) told
}

// contenders are every way there is, for two users, a key that may decide and
// the one that asks.
func contenders(h *house, asker string) (list []contender) {
	decider, _ := h.key(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "owner", MayDecide: true})
	machine, requester, canceller := &visitor{house: h, key: decider}, &visitor{house: h, key: asker}, h.signedIn("reviewer")
	for i, verdict := range []string{"approve", "reject"} {
		form := h.signedIn("reviewer")
		fragment := h.signedIn("second")
		fragment.htmx = true
		decide := func(v *visitor) func(c *domain.Confirm) told {
			return func(c *domain.Confirm) told {
				return v.do(http.MethodPost, "/confirms/"+c.ID+"/decision", "", url.Values{
					"decision": {verdict}, "reason": {"because"}, "content_hash": {c.ContentHash}})
			}
		}
		status := []domain.Status{domain.Approved, domain.Rejected}[i]
		list = append(list,
			contender{"page " + verdict, false, status, decide(form)},
			contender{"fragment " + verdict, false, status, decide(fragment)},
			contender{"JSON " + verdict, true, status, func(c *domain.Confirm) told {
				return machine.do(http.MethodPost, "/api/v1/confirms/"+c.ID+"/decisions",
					`{"status":"`+string(status)+`","content_hash":"`+c.ContentHash+`"}`, nil)
			}})
	}
	return append(list,
		contender{"JSON cancel", true, domain.Cancelled, func(c *domain.Confirm) told {
			return requester.do(http.MethodPost, "/api/v1/confirms/"+c.ID+"/cancel", `{}`, nil)
		}},
		contender{"page cancel", false, domain.Cancelled, func(c *domain.Confirm) told {
			return canceller.do(http.MethodPost, "/confirms/"+c.ID+"/cancel", "", url.Values{"reason": {"no need"}})
		}})
}

// TestBarR3_DoubleDecide lets pages, fragments, JSON, cancelling and the clock race
// for one confirm after another: exactly one of them ends it, and each loser is
// told who did.
func TestBarR3_DoubleDecide(t *testing.T) {
	t.Parallel()
	b, rounds := newBar(t, "R3", 100, 10_000)
	doubleDecide(b, newHouse(t, tempDB(t)), rounds, undisturbed)
}

// meddler is asked before each round what is to happen during the race, of which
// it hears of every answer.
type meddler func(round int, random *rand.Rand) (during func(answered <-chan struct{}))

func undisturbed(int, *rand.Rand) func(<-chan struct{}) { return nil }

// doubleDecide has so many rounds of the race.
func doubleDecide(b *bar, h *house, rounds int, meddle meddler) {
	t := b.t
	many := sized(8, 16)
	for _, name := range []string{"owner", "reviewer", "second"} {
		h.user(name, "reviewer")
	}
	asker, ref := h.key(domain.KeyInput{Name: "asker", Roles: []string{"executor"}})
	ways := contenders(h, asker)
	random := b.random(0)
	won, lost := map[string]int{}, 0 // answers
	for round := range rounds {
		during := meddle(round, random)
		// Each is another call: one that a person rejected before has to be acknowledged.
		text := fmt.Sprintf(`{"target_type":"other","timeout":300,"actions":[{"name":"pay","args":{"round":%d}}]}`, round)
		clock := round%4 == 0
		if clock {
			text = strings.Replace(text, `"timeout":300`, `"timeout":1`, 1)
		}
		c := h.post(ref, text)
		start, answered := make(chan struct{}), make(chan struct{}, many)
		answers, who := make([]told, many), make([]contender, many)
		var racing sync.WaitGroup
		for i := range many {
			who[i] = ways[random.IntN(len(ways))]
			racing.Go(func() {
				<-start
				answers[i] = who[i].try(c)
				answered <- struct{}{}
			})
		}
		if clock {
			before := random.IntN(2) // answers that come before the deadline
			racing.Go(func() {
				<-start
				for range before {
					<-answered
				}
				h.ahead.Add(int64(c.ExpiresAt.Sub(h.now()))) // to the deadline, exactly
			})
		}
		if during != nil {
			racing.Go(func() { <-start; during(answered) })
		}
		close(start)
		racing.Wait()
		if clock && h.now().Before(c.ExpiresAt) {
			h.ahead.Add(int64(c.ExpiresAt.Sub(h.now()) + time.Millisecond))
		}
		final, err := h.Outcome(t.Context(), domain.System, c.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		if entries := h.finals(c.ID); len(entries) != 1 || !final.IsFinal() {
			b.violated("round %d: final entries %v", round, entries)
		}
		winners, silent := 0, false // nobody was told whether that one had won
		for i, answer := range answers {
			switch {
			case answer.status == unanswered:
				lost++
				silent = silent || who[i].want == final.Confirm.Status
			case answer.status == http.StatusSeeOther || answer.status/100 == 2:
				winners++
				won[who[i].name]++
				if who[i].want != final.Confirm.Status {
					b.violated("round %d: %s was told that it had won, and the confirm is %s", round, who[i].name, final.Confirm.Status)
				}
			case answer.status != http.StatusConflict:
				b.violated("round %d: %s got %d: %s", round, who[i].name, answer.status, answer.body)
			case who[i].json && !namesWinner(answer.body, final):
				b.violated("round %d: %s lost and was not told the winner: %s", round, who[i].name, answer.body)
			}
		}
		want := 1
		if final.Decision.Cause == domain.CauseTimeout {
			want = 0
			won["clock"]++
		} else if winners == 0 && silent {
			want = 0
			won["one that was not answered"]++
		}
		if winners != want {
			b.violated("round %d: %d were told that they had won, want %d (%s)", round, winners, want, final.Decision.Cause)
		}
		h.ahead.Store(0) // other nodes have clocks too
		b.n.Add(1)
	}
	b.figure("contenders", many)
	b.figure("won", won)
	b.figure("unanswered", lost)
	if list := differences(t, h.db); len(list) > 0 {
		b.violated("log and tables differ: %v", list)
	}
}

// namesWinner says whether a problem carries the decision that counts.
func namesWinner(body string, final *domain.Outcome) bool {
	var problem struct {
		Type     string
		Decision *struct {
			LogIndex int64 `json:"log_index"`
		}
	}
	return json.Unmarshal([]byte(body), &problem) == nil && problem.Decision != nil && problem.Decision.LogIndex == final.Decision.Seq
}
