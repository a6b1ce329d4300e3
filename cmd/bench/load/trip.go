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

func (j *Job) newTraveller(ctx context.Context, i int, until time.Time) (*traveller, error) {
	t := &traveller{job: j, key: j.Agents[i%len(j.Agents)], decider: j.Deciders[i%len(j.Deciders)]}
	t.post = Post(j.Address, "/api/v1/confirms", j.Body, Bearer(t.key))
	var err error
	for _, s := range []*seat{&t.seats[0], &t.seats[1]} {
		if s.conn, err = dial(ctx, j.Address, until, largeBuffer); err != nil {
			return nil, err
		}
	}
	t.desk, err = dial(ctx, j.desk(), until, largeBuffer)
	return t, err
}

func (t *traveller) close() {
	t.seats[0].conn.close()
	t.seats[1].conn.close()
	t.desk.close()
}

// trip does round trips in a closed loop.
func (j *Job) trip(ctx context.Context) (*Result, error) {
	all, err := j.travellers(ctx)
	if err != nil {
		return nil, err
	}
	w := j.window()
	err = crowd(ctx, j.Clients, func(ctx context.Context, i int) error {
		defer all[i].close()
		return all[i].travel(ctx, w)
	})
	if err != nil {
		return nil, err
	}
	return j.sum(ctx, all, w.took())
}

func (j *Job) travellers(ctx context.Context) ([]*traveller, error) {
	all := make([]*traveller, j.Clients)
	until := j.until()
	for i := range all {
		var err error
		if all[i], err = j.newTraveller(ctx, i, until); err != nil {
			return nil, err
		}
	}
	return all, nil
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

func (t *traveller) travel(ctx context.Context, w window) error {
	for turn := 0; ctx.Err() == nil; turn++ {
		began := time.Now()
		if began.After(w.to) {
			_, _, err := t.decide(&t.seats[(turn+1)%2])
			return err
		}
		if err := t.ask(&t.seats[turn%2]); err != nil {
			return err
		}
		decided, awake, err := t.decide(&t.seats[(turn+1)%2])
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
func (t *traveller) ask(s *seat) error {
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
func (t *traveller) decide(s *seat) (decided, awake time.Duration, err error) {
	if s.waiting.id == "" {
		return 0, 0, nil
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
