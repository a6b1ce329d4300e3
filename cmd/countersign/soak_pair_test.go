package main

import (
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/domain"
)

// pair are two nodes on one PostgreSQL database: the house, which stays, and a
// process, which is killed. What is sent to the house goes to both in turn, and
// to the house alone while there is no other.
type pair struct {
	*house
	t      *testing.T
	victim atomic.Pointer[process]
	turn   atomic.Int64
}

func newPair(t *testing.T) *pair {
	p := &pair{house: newHouse(t, tempPostgreSQL(t)), t: t}
	balancer := httptest.NewServer(p)
	t.Cleanup(balancer.Close)
	p.http = balancer
	p.start()
	return p
}

func (p *pair) start() { p.victim.Store(spawn(p.t, p.file)) }

// strike kills the victim, and waits for nothing.
func (p *pair) strike() { _ = p.victim.Load().cmd.Process.Kill() } // of what has ended, nothing

// bury kills the victim if it lives, and waits for its end.
func (p *pair) bury() {
	p.strike()
	_ = p.victim.Swap(nil).conclude(p.t, true) // it was killed
}

func (p *pair) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	victim := p.victim.Load()
	if victim == nil || p.turn.Add(1)%2 == 0 {
		p.web.ServeHTTP(w, r)
		return
	}
	answer, body, err := relayed(r, victim.base)
	if err != nil {
		w.WriteHeader(unanswered)
		return
	}
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body) // whoever asked may have left
}

// unanswered is what a load balancer says of a node that died while it was asked.
// No node says it.
const unanswered = http.StatusBadGateway

// relayed sends a request on to a node.
func relayed(r *http.Request, base string) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.RequestURI, r.Body)
	if err != nil {
		return nil, nil, err
	}
	out.Header, out.Host, out.ContentLength = r.Header, r.Host, r.ContentLength
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// TestBarR3_DoubleDecideOnTwoNodes has the race for one decision on two nodes,
// of which one is killed in the middle of some, and started again.
func TestBarR3_DoubleDecideOnTwoNodes(t *testing.T) {
	t.Parallel()
	b, rounds := newBar(t, "R3, two nodes", 20, 10_000)
	p := newPair(t)
	killed := 0
	doubleDecide(b, p.house, rounds, func(round int, random *rand.Rand) func(<-chan struct{}) {
		switch round % 10 {
		case 4:
			killed++
			before := random.IntN(6) // answers that come before
			return func(answered <-chan struct{}) {
				for range before {
					<-answered
				}
				p.strike()
			}
		case 5:
			p.bury() // the house is alone in this round
		case 6:
			p.start()
		}
		return nil
	})
	b.figure("killed", killed)
	if err := verified(t, p.file); err != nil {
		b.violated("%v", err)
	}
}

// TestBarR11_AccessMatrixOnTwoNodes asks on two nodes in turn. In the middle
// rights are taken away on the one that is killed then; the other one goes on.
func TestBarR11_AccessMatrixOnTwoNodes(t *testing.T) {
	t.Parallel()
	b, _ := newBar(t, "R11, two nodes", 0, 0)
	p := newPair(t)
	accessMatrix(b, p.house, sized(12, 1), func() { p.revokeAndDie(b) })
}

// revokeAndDie takes rights away on the victim and kills it as soon as it has
// answered. The house, which knew those rights, must not grant them any more.
func (p *pair) revokeAndDie(b *bar) {
	h := p.house
	if _, err := h.CreateRole(p.t.Context(), domain.System, domain.RoleInput{ID: "narrowed", Name: "narrowed", Capabilities: []string{"trace.read"}}); err != nil {
		p.t.Fatal(err)
	}
	h.user("administrator", "admin")
	disabled := h.user("disabled", "guest")
	h.user("leaving", "guest")
	h.user("narrowed", "narrowed")
	h.user("foreseen", "guest")
	posts(h, "foreseen", "foreseen")
	text, key := h.key(domain.KeyInput{Name: "revoked", Roles: []string{"guest"}})
	administrator, leaving := h.signedIn("administrator"), h.signedIn("leaving")
	holders := []struct {
		name, path string
		*visitor
		before, after int
	}{
		{"a revoked key", "/api/v1/confirms", &visitor{house: h, key: text}, http.StatusOK, http.StatusUnauthorized},
		{"a disabled user", "/confirms", h.signedIn("disabled"), http.StatusOK, http.StatusSeeOther},
		{"an ended session", "/confirms", leaving, http.StatusOK, http.StatusSeeOther},
		{"a narrowed role", "/confirms/foreseen", h.signedIn("narrowed"), http.StatusOK, http.StatusNotFound},
	}
	house := httptest.NewServer(h.web)
	defer house.Close()
	ask := func(when string, want func(i int) int) {
		for i, who := range holders {
			if got := who.at(house.URL).do(http.MethodGet, who.path, "", nil); got.status != want(i) {
				b.violated("%s: %s got %d: %.300s", who.name, when, got.status, got.body)
			}
		}
	}
	ask("before", func(i int) int { return holders[i].before })
	victim := p.victim.Load().base
	for _, took := range []told{
		administrator.at(victim).do(http.MethodPost, "/keys/"+key.ID+"/revoke", "", url.Values{}),
		administrator.at(victim).do(http.MethodPost, "/users/"+disabled.ID+"/disable", "", url.Values{}),
		administrator.at(victim).do(http.MethodPost, "/roles/narrowed", "", url.Values{"name": {"narrowed"}, "capabilities": {"a.b"}}),
		leaving.at(victim).do(http.MethodPost, "/logout", "", url.Values{}),
	} {
		if took.status != http.StatusSeeOther || strings.HasPrefix(took.header.Get("Location"), "/login?") {
			b.violated("rights could not be taken away: %d to %s", took.status, took.header.Get("Location"))
		}
	}
	p.bury()
	ask("after they were taken away", func(i int) int { return holders[i].after })
	b.figure("revoked", len(holders))
}
