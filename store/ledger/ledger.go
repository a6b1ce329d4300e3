// Package ledger is the one writer of a database: it commits waiting transactions in
// groups, appends to the log, and signs what the log is with each commit. It knows rows by
// their names and digests only.
package ledger

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// Options are what a Ledger needs. Now, Committed and Observed may be nil.
type Options struct {
	Now              func() time.Time        // Observed needs it
	Committed        func([]*evidence.Entry) // gets all entries after they were committed, in order
	Observed         func(Group)             // gets each group before its members are answered
	Fatal            func(error)             // the process must end
	Logger           *slog.Logger
	SigningKey, Head string // files
	AcceptRestore    bool   // takes a restored database; nothing can be written before BeginEpoch
}

// Ledger owns the only connection that writes. Its goroutine takes the transactions that
// wait, runs them as one group (group.go), answers them after the commit and then
// publishes the new entries. It does not wait for more to come: while one group commits,
// the next one gathers.
type Ledger struct {
	o     Options
	conn  *driver.Session
	queue chan *pendingTx
	stop  chan struct{} // closed to end
	ended chan struct{} // closed when the goroutine has ended

	keys   *keyFile
	signer signer
	counts counters
	proofs *proofs // of the group

	failed          error                   // the answer to all once nothing is written any more
	refused         atomic.Pointer[refusal] // the last failure to store a change; nil after a success
	lastNotified    int64                   // number of the last entry handed to Committed
	needsCatchUp    bool                    // there may be entries that Committed did not get
	isHeadFileStale bool                    // the head file could not be written
	woken           chan struct{}
	idleTasks       chan func() // run between two groups
	lastLoad        int         // members of the last group, and waiting after it

	polling     context.Context // ends when the Ledger is closed
	stopPolling context.CancelFunc
	listeners   sync.WaitGroup
}

// New compares a database with its newest checkpoint and with the head file. Without an
// error the Ledger owns the session, which is the one that writes.
func New(ctx context.Context, s *driver.Session, o Options) (*Ledger, error) {
	l := &Ledger{
		o: o, conn: s, keys: &keyFile{path: o.SigningKey}, proofs: &proofs{},
		queue: make(chan *pendingTx, maxGroup), stop: make(chan struct{}), woken: make(chan struct{}, 1), idleTasks: make(chan func()), ended: make(chan struct{}),
	}
	l.signer = signer{keys: l.keys, file: headFile{path: o.Head}}
	if err := l.inspect(ctx); err != nil {
		return nil, err
	}
	next, err := l.reader().NextSeq()
	if err != nil {
		return nil, err
	}
	l.lastNotified = next - 1
	if _, err := s.Driver.HasForeignCommits(s.Conn); err != nil {
		return nil, err
	}
	return l, nil
}

// Size returns how many entries the log had when the Ledger was made. Committed gets the
// later ones.
func (l *Ledger) Size() int64 { return l.lastNotified + 1 }

// Start begins to write, and to listen to other processes, until Close.
func (l *Ledger) Start(ctx context.Context) {
	l.polling, l.stopPolling = context.WithCancel(context.WithoutCancel(ctx))
	go l.run()
	host := driver.Host{Pause: l.runBetweenGroups, Wake: l.wake, Refuse: l.refuse, Fatal: l.o.Fatal, Logger: l.o.Logger}
	l.listeners.Go(func() { l.conn.Driver.Maintain(l.polling, host) })
}

// Close waits for the group that runs, and closes the connection, which folds the journal
// of a file into it. Other connections must be closed before.
func (l *Ledger) Close() error {
	l.stopPolling()
	l.listeners.Wait()
	close(l.stop)
	<-l.ended
	return l.conn.Close()
}

// reader reads over the connection that writes.
func (l *Ledger) reader() *Reader { return &Reader{Conn: l.conn, keys: l.keys, proofs: l.proofs} }

// Begin begins a snapshot over another connection.
func (l *Ledger) Begin(ctx context.Context, s *driver.Session) (*Reader, error) {
	r := &Reader{Conn: s, keys: l.keys, proofs: &proofs{minSize: l.keys.minSize()}}
	return r, s.Begin(ctx)
}

// Pause runs fn while no group runs, with the connection that writes. After Close it does
// not run fn.
func (l *Ledger) Pause(fn func(*driver.Session)) { l.runBetweenGroups(func() { fn(l.conn) }) }
