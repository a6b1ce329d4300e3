package ledger

import (
	"context"
	"errors"
	"runtime"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// maxGroup is how many transactions share one commit at most.
const maxGroup = 512

// smallGroup is a group so small that the writer first lets other goroutines run once, if
// there is more than one caller. Those about to queue join it. A group of two costs as
// much to begin, sign and sync as one of twenty.
const smallGroup = 16

// pollInterval is how often the writer looks for what other processes wrote.
const pollInterval = time.Second

// pendingTx is one waiting transaction.
type pendingTx struct {
	ctx      context.Context
	fn       func(*Tx) error
	queued   time.Time // when it began to wait, if there is an observer
	err      error     // valid once answered is closed
	answered chan struct{}
}

// ErrClosed is the answer after Close.
var ErrClosed = domain.ErrStoreClosed.Because(errors.New("the database is closed"))

// clock returns the time, or the zero time if there is no clock.
func (l *Ledger) clock() (now time.Time) {
	if l.o.Now != nil {
		now = l.o.Now()
	}
	return now
}

// Write queues fn and waits until its group was committed. fn runs on the writer's
// goroutine: it must not call Write. An error of fn is returned as it is. If the database
// fails, or another process keeps it locked, the whole group is refused.
func (l *Ledger) Write(ctx context.Context, fn func(*Tx) error) error {
	m := &pendingTx{ctx: ctx, fn: fn, answered: make(chan struct{})}
	if l.o.Observed != nil {
		m.queued = l.o.Now()
	}
	select {
	case l.queue <- m:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ended:
		return ErrClosed
	}
	select {
	case <-m.answered:
		return m.err
	case <-l.ended:
	}
	select {
	case <-m.answered: // with the last group
		return m.err
	default:
		return ErrClosed // fn ended the writer's goroutine; nothing was committed
	}
}

func (l *Ledger) run() {
	defer close(l.ended)
	defer l.writeHead()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		select {
		case m := <-l.queue:
			l.commitGroup(m)
		case <-l.woken:
			l.catchUp()
		case fn := <-l.idleTasks:
			fn()
		case <-poll.C:
			l.poll()
			l.writeHead()
		case <-l.stop:
			return
		}
	}
}

// runBetweenGroups runs fn while no group runs. After Close it does not run fn.
func (l *Ledger) runBetweenGroups(fn func()) {
	done := make(chan struct{})
	select {
	case l.idleTasks <- func() { defer close(done); fn() }:
		<-done
	case <-l.ended:
	}
}

// drainQueue returns the transactions that wait, at most a full group.
func (l *Ledger) drainQueue(first *pendingTx) []*pendingTx {
	group := []*pendingTx{first}
	for len(group) < maxGroup {
		select {
		case m := <-l.queue:
			group = append(group, m)
		default:
			return group
		}
	}
	return group
}

// commitGroup runs a group, answers its members and publishes its entries.
func (l *Ledger) commitGroup(first *pendingTx) {
	if l.lastLoad > 1 && len(l.queue) < smallGroup {
		runtime.Gosched()
	}
	begun := l.beginGroup()
	group := l.drainQueue(first) // with those queued while another process wrote
	entries := l.observe(group, begun)
	l.lastLoad = len(group) + len(l.queue)
	for _, m := range group {
		close(m.answered)
	}
	if len(entries) > 0 {
		l.publish(entries)
	}
}

// publish hands on new entries without a gap: entries of other processes in between are
// read first.
func (l *Ledger) publish(entries []*evidence.Entry) {
	if entries[0].Seq != l.lastNotified+1 {
		l.catchUp()
		return
	}
	l.notify(entries)
}

func (l *Ledger) notify(entries []*evidence.Entry) {
	l.lastNotified = entries[len(entries)-1].Seq
	if l.o.Committed != nil {
		l.o.Committed(entries)
	}
}

// writeHead writes the newest checkpoint to the head file. A failure is logged once, and
// the next poll tries again.
func (l *Ledger) writeHead() {
	err := l.signer.file.write(l.signer.head)
	if err != nil && !l.isHeadFileStale {
		l.o.Logger.Error("the head file cannot be written: until it is, a rollback would not be noticed", "error", err)
	}
	l.isHeadFileStale = err != nil
}
