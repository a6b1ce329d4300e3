package store

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// maxGroup is how many transactions share one commit at most.
const maxGroup = 512

// few are so few that the writer lets others run once before it begins, if it is
// not alone with one caller: who is about to come then comes along. Beginning,
// signing and syncing cost a group of two as much as one of twenty.
const few = 16

// pollInterval is how often the writer looks for what other processes wrote.
const pollInterval = time.Second

// writer owns the only connection that writes. Its goroutine takes the
// transactions that wait, runs them as one group (group.go), answers them
// after the commit and then publishes the new entries. It does not wait for
// more to come: while one group commits, the next one gathers.
type writer struct {
	c     *conn
	queue chan *member
	stop  chan struct{} // closed to end
	ended chan struct{} // closed when the goroutine has ended

	committed func([]*evidence.Entry)
	observed  func(Group)
	now       func() time.Time
	fatal     func(error)
	logger    *slog.Logger
	delay     time.Duration
	sealer    sealer

	failed    error                   // the answer to all, once the outcome of a commit is unknown
	refused   atomic.Pointer[refusal] // why changes could not be stored last; nil once one was
	published int64                   // number of the last entry handed to committed
	behind    bool                    // there may be entries that were not handed on
	headless  bool                    // the head file could not be written
	woken     chan struct{}
	polling   context.Context // ends when nobody needs to hear of others any more
	errands   chan func()     // run between two groups
	crowd     int             // how many there were with the last group, and behind it
}

// member is one waiting transaction.
type member struct {
	ctx      context.Context
	fn       func(domain.Tx) error
	queued   time.Time // when it began to wait, if there is an observer
	err      error     // valid once answered is closed
	answered chan struct{}
}

func newWriter(ctx context.Context, c *conn, keys *signing, o Options) (*writer, error) {
	w := &writer{
		c: c, queue: make(chan *member, maxGroup), stop: make(chan struct{}), woken: make(chan struct{}, 1), errands: make(chan func()), ended: make(chan struct{}),
		committed: o.Committed, observed: o.Observed, now: o.Now, fatal: o.Fatal, logger: o.Logger, delay: o.CommitDelay,
		sealer: sealer{keys: keys, file: headFile{path: o.Head}},
	}
	if err := w.sealer.inspect(ctx, c, o); err != nil {
		return nil, err
	}
	next, err := (&reader{c: c}).NextSeq()
	if err != nil {
		return nil, err
	}
	w.published = next - 1
	keys.rights.begin(next)
	if _, err := c.dialect.moved(c); err != nil {
		return nil, err
	}
	return w, nil
}

// clock is the time, or always the same where no clock was given.
func (w *writer) clock() (now time.Time) {
	if w.now != nil {
		now = w.now()
	}
	return now
}

// submit queues fn and waits for its answer.
func (w *writer) submit(ctx context.Context, fn func(domain.Tx) error) error {
	m := &member{ctx: ctx, fn: fn, answered: make(chan struct{})}
	if w.observed != nil {
		m.queued = w.now()
	}
	select {
	case w.queue <- m:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ended:
		return errClosed
	}
	select {
	case <-m.answered:
		return m.err
	case <-w.ended:
	}
	select {
	case <-m.answered: // with the last group
		return m.err
	default:
		return errClosed // fn ended the writer's goroutine; nothing was committed
	}
}

func (w *writer) run() {
	defer close(w.ended)
	defer w.writeHead()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		select {
		case m := <-w.queue:
			w.serve(m)
		case <-w.woken:
			w.catchUp()
		case fn := <-w.errands:
			fn()
		case <-poll.C:
			w.poll()
			w.writeHead()
		case <-w.stop:
			return
		}
	}
}

// between runs fn while no group is run. It does not once the writer has ended.
func (w *writer) between(fn func()) {
	done := make(chan struct{})
	select {
	case w.errands <- func() { defer close(done); fn() }:
		<-done
	case <-w.ended:
	}
}

// gather takes all that wait, up to a full group.
func (w *writer) gather(first *member) []*member {
	group := []*member{first}
	for len(group) < maxGroup {
		select {
		case m := <-w.queue:
			group = append(group, m)
		default:
			return group
		}
	}
	return group
}

// serve runs the group of a member, answers all of it and publishes its entries.
func (w *writer) serve(first *member) {
	if w.crowd > 1 && len(w.queue) < few {
		runtime.Gosched()
	}
	begun := w.begin()
	group := w.gather(first) // who came while another process wrote comes along
	entries := w.observe(group, begun)
	w.crowd = len(group) + len(w.queue)
	for _, m := range group {
		close(m.answered)
	}
	if len(entries) > 0 {
		w.publish(entries)
	}
}

// publish hands on new entries, without a gap: what another process wrote in
// between is read back first.
func (w *writer) publish(entries []*evidence.Entry) {
	if entries[0].Seq != w.published+1 {
		w.catchUp()
		return
	}
	w.hand(entries)
}

func (w *writer) hand(entries []*evidence.Entry) {
	w.published = entries[len(entries)-1].Seq
	w.sealer.keys.rights.add(entries)
	if w.committed != nil {
		w.committed(entries)
	}
}

// writeHead keeps what was committed last in the head file. The next poll tries
// again what failed, which is logged once.
func (w *writer) writeHead() {
	err := w.sealer.file.write(w.sealer.head)
	if err != nil && !w.headless {
		w.logger.Error("the head file cannot be written: until it is, a rollback would not be noticed", "error", err)
	}
	w.headless = err != nil
}

// wake tells the writer that other processes have committed.
func (w *writer) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it was told already
	}
}

// poll looks whether other processes have committed.
func (w *writer) poll() {
	moved, err := w.c.dialect.moved(w.c)
	if err != nil {
		w.complain(err)
		return
	}
	if moved || w.behind {
		w.catchUp()
	}
}

// catchUp publishes all entries that were not.
func (w *writer) catchUp() {
	if _, err := w.c.revive(w.polling); err != nil {
		w.complain(err)
		return
	}
	next, err := (&reader{c: w.c}).NextSeq()
	if err == nil {
		err = w.follow(next)
	}
	if err == nil {
		err = w.recognize(next)
	}
	if err != nil {
		w.complain(err)
		return
	}
	w.behind = false
}

// recognize refuses a log that is shorter than it was. Once nothing could be
// signed any more, it says when something can.
func (w *writer) recognize(next int64) error {
	if next <= w.published {
		return fmt.Errorf("%w: the database has %d log entries, and had %d", ErrRollback, next, w.published+1)
	}
	if !w.refused.Load().lasts() {
		return nil
	}
	_, _, err := w.sealer.resume(w.c, next, nil)
	if err == nil {
		w.refused.Store(nil)
	}
	return err
}

// follow publishes the entries before next that were not, which others have
// committed, and lets the tree grow with them.
func (w *writer) follow(next int64) error {
	for w.published+1 < next {
		entries, leaves, err := w.others()
		if err != nil || len(entries) == 0 {
			return err
		}
		w.sealer.follow(entries, leaves)
		if slices.ContainsFunc(entries, (*evidence.Entry).HandsOver) {
			w.reloadKey()
		}
		w.hand(entries)
	}
	return nil
}

// reloadKey reads the key that another process has handed over to: what is made
// with the one before would be worth nothing. Until it can be read nothing can be
// signed, which says why.
func (w *writer) reloadKey() {
	if signed, err := (&reader{c: w.c}).head(); err == nil {
		_, _ = w.sealer.keys.load(signed)
	}
}

// others returns the next entries that were not published, with their leaves. They
// are heard of once, so they must be those that were signed, without a gap.
func (w *writer) others() (entries []*evidence.Entry, leaves []evidence.Hash, err error) {
	r := &reader{c: w.c, keys: w.sealer.keys}
	numbered := map[int64]evidence.Hash{}
	err = r.leaves("WHERE seq > $1 ORDER BY seq LIMIT $2", []any{w.published, maxGroup}, func(e *evidence.Entry, data []byte) {
		leaf := evidence.LeafHash(data)
		entries, leaves, numbered[e.Seq] = append(entries, e), append(leaves, leaf), leaf
	})
	if err != nil || len(entries) == 0 {
		return nil, nil, err
	}
	_, c, err := r.Checkpoint()
	if err != nil {
		return nil, nil, err
	}
	proven, err := evidence.ProveAll(c, numbered, r)
	if err != nil {
		return nil, nil, err
	}
	for i, e := range entries {
		if seq := w.published + 1 + int64(i); e.Seq != seq || !proven[seq] {
			return nil, nil, notAsSigned(fmt.Errorf("entry %d is not the one that was signed", seq))
		}
	}
	return entries, leaves, nil
}

// complain logs what no caller waits for, once, and that the log is not the one
// that was signed also after something else. The next poll tries again.
func (w *writer) complain(err error) {
	w.c.doomed = nil
	worse := unsigned(err) && !w.refused.Load().lasts()
	if worse {
		w.refused.Store(&refusal{w.clock(), err})
	}
	if !w.behind || worse {
		w.logger.Error("new log entries could not be read", "error", err)
	}
	w.behind = true
}
