package load

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// traveller is one client of a Trip: an agent, who has two confirms open in
// turn, and one who decides. A confirm is decided one turn after its agent began
// to wait, so that it does wait, and as much is done in a turn as in one whole
// round trip.
type traveller struct {
	job     *Job
	until   time.Time // when connections give up
	post    []byte
	key     string // the agent's
	decider string
	seats   [2]seat
	desk    *conn // the decider's

	trips, decides, awakes, wokens []time.Duration
	done                           []confirm
}

// seat is where an agent waits.
type seat struct {
	conn    *conn
	waiting confirm // no id: nobody waits
}

func (j *Job) newTraveller(i int, until time.Time) *traveller {
	t := &traveller{job: j, until: until, key: j.Agents[i%len(j.Agents)], decider: j.Deciders[i%len(j.Deciders)]}
	t.post = Post(j.Address, "/api/v1/confirms", j.Body, Bearer(t.key))
	return t
}

// connected connects c if it is not yet: a server may hang up on a connection on
// which nothing is said.
func (t *traveller) connected(ctx context.Context, c **conn, address string) (err error) {
	if *c == nil {
		*c, err = dial(ctx, address, t.until, largeBuffer)
	}
	return err
}

func (t *traveller) close() {
	for _, c := range []*conn{t.seats[0].conn, t.seats[1].conn, t.desk} {
		if c != nil {
			c.close()
		}
	}
}

// trip does round trips in a closed loop.
func (j *Job) trip(ctx context.Context) (*Result, error) {
	all := j.travellers()
	w := j.window()
	err := crowd(ctx, j.Clients, func(ctx context.Context, i int) error {
		defer all[i].close()
		return all[i].travel(ctx, w, i)
	})
	if err != nil {
		return nil, err
	}
	return j.sum(ctx, all, w.took())
}

func (j *Job) travellers() []*traveller {
	all := make([]*traveller, j.Clients)
	until := j.until()
	for i := range all {
		all[i] = j.newTraveller(i, until)
	}
	return all
}

func (j *Job) sum(ctx context.Context, all []*traveller, took time.Duration) (*Result, error) {
	var trips, decides, awakes, wokens []time.Duration
	var done []confirm
	for _, t := range all {
		trips, decides = append(trips, t.trips...), append(decides, t.decides...)
		awakes, wokens, done = append(awakes, t.awakes...), append(wokens, t.wokens...), append(done, t.done...)
	}
	r := &Result{Took: took, Done: len(done), Read: len(done), Latency: distribution(trips),
		Decide: distribution(decides), Awake: distribution(awakes), Woken: distribution(wokens)}
	return r, j.readBack(ctx, j.Agents[0], done)
}

// due is when a client's turn comes, so that all together keep the pace.
func (j *Job) due(client, turn int) time.Duration {
	return time.Duration(float64(turn*j.Clients+client) / j.Pace * float64(time.Second))
}

func (t *traveller) travel(ctx context.Context, w window, client int) error {
	start := time.Now()
	for turn := 0; ctx.Err() == nil; turn++ {
		if t.job.Pace > 0 {
			time.Sleep(time.Until(start.Add(t.job.due(client, turn))))
		}
		began := time.Now()
		if began.After(w.to) {
			_, _, err := t.decide(ctx, &t.seats[(turn+1)%2])
			return err
		}
		if err := t.ask(ctx, &t.seats[turn%2]); err != nil {
			return err
		}
		decided, awake, err := t.decide(ctx, &t.seats[(turn+1)%2])
		if err != nil {
			return err
		}
		if ended := time.Now(); turn > 0 && w.counts(ended) {
			t.trips = append(t.trips, ended.Sub(began))
			t.decided(decided, awake)
		}
	}
	return nil
}

// decided notes a decision.
func (t *traveller) decided(decided, awake time.Duration) {
	t.decides, t.awakes, t.wokens = append(t.decides, decided), append(t.awakes, awake), append(t.wokens, decided+awake)
}

// ask posts a confirm and begins to wait for its outcome.
func (t *traveller) ask(ctx context.Context, s *seat) error {
	if err := t.connected(ctx, &s.conn, t.job.Address); err != nil {
		return err
	}
	a, err := s.conn.do(t.post)
	if err != nil {
		return err
	}
	if s.waiting, err = created(a); err != nil {
		return err
	}
	return s.conn.send(Get(t.job.Address, Outcome(s.waiting.id)+"?wait=60", Bearer(t.key)))
}

// decide approves what the agent in the seat waits for, and sees it awake.
func (t *traveller) decide(ctx context.Context, s *seat) (decided, awake time.Duration, err error) {
	if s.waiting.id == "" {
		return 0, 0, nil
	}
	if err := t.connected(ctx, &t.desk, t.job.desk()); err != nil {
		return 0, 0, err
	}
	body := fmt.Appendf(nil, `{"status":"approved","content_hash":%q}`, s.waiting.hash)
	request := Post(t.job.desk(), "/api/v1/confirms/"+s.waiting.id+"/decisions", body, Bearer(t.decider))
	began := time.Now()
	a, err := t.desk.do(request)
	if err != nil {
		return 0, 0, err
	}
	acknowledged := time.Now()
	if a.status != http.StatusCreated {
		return 0, 0, unexpected(a, http.StatusCreated)
	}
	if a, err = s.conn.receive(); err != nil {
		return 0, 0, err
	}
	woken := time.Now()
	s.waiting.status = "approved"
	if err := s.waiting.check(a); err != nil {
		return 0, 0, err
	}
	t.done = append(t.done, s.waiting)
	s.waiting = confirm{}
	return acknowledged.Sub(began), woken.Sub(acknowledged), nil
}
