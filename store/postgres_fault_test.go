package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store"
)

// What happens to a connection while it commits.
const (
	passed   int32 = iota
	cutSend        // the database does not get the commit
	cutReply       // it commits, and nobody hears of it
	away           // and nobody can ask
)

// commit is the name under which the driver has prepared that statement.
var commit = func() []byte {
	sum := sha256.Sum256([]byte("COMMIT"))
	return []byte("stmtcache_" + hex.EncodeToString(sum[:24]))
}()

// wire stands between a node and its database, and is cut.
type wire struct {
	listener net.Listener
	server   string
	fate     atomic.Int32
	cut      chan struct{} // gets one for each connection that was cut

	mu    sync.Mutex
	conns map[net.Conn]bool // to nodes
}

// down cuts every connection, and takes none until the fate is another.
func (w *wire) down() {
	w.fate.Store(away)
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

// newWire gives the URL to reach a database by over the wire.
func newWire(t *testing.T, database string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, server: u.Host, cut: make(chan struct{}, 100), conns: map[net.Conn]bool{}}
	var carried sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); carried.Wait() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			carried.Go(func() { w.carry(client) })
		}
	}()
	u.Host = l.Addr().String()
	return w, u.String()
}

func (w *wire) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	if w.fate.Load() == away {
		return
	}
	w.mu.Lock()
	w.conns[client] = true
	w.mu.Unlock()
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var isCut atomic.Bool
	committed := make(chan struct{})
	go func() {
		defer close(committed)
		awaitCommit(client, server, &isCut)
		_ = client.Close()
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		fate := w.fate.Load()
		if fate == passed || !bytes.Contains(buf[:n], commit) {
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
			continue
		}
		if fate != cutSend {
			isCut.Store(true)
			_, _ = server.Write(buf[:n])
			<-committed
		}
		if fate != away {
			w.fate.Store(passed)
		}
		w.cut <- struct{}{}
		return
	}
}

// awaitCommit passes on what the server answers. Once the connection is cut it drops the
// answers, and returns when the server has committed: who hears of the cut earlier asks
// the server to cancel, and that may come before the commit.
func awaitCommit(client io.Writer, server io.Reader, isCut *atomic.Bool) {
	var dropped []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		if isCut.Load() {
			dropped = append(dropped, buf[:n]...)
			if bytes.Contains(dropped, []byte("COMMIT\x00")) {
				return
			}
		} else if _, err := client.Write(buf[:n]); err != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

// published collects the objects of the entries that a database hands on.
type published struct {
	mu      sync.Mutex
	objects []string
	grown   chan struct{}
}

func newPublished() *published { return &published{grown: make(chan struct{}, 1)} }

func (p *published) take(entries []*evidence.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range entries {
		p.objects = append(p.objects, e.ObjectID)
	}
	select {
	case p.grown <- struct{}{}:
	default:
	}
}

// await waits until n objects were published, and gives them.
func (p *published) await(t *testing.T, n int) []string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		p.mu.Lock()
		got := slices.Clone(p.objects)
		p.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-p.grown:
		case <-late:
			t.Fatalf("published %v, want %d", got, n)
		}
	}
}

func addRole(db *store.DB, id string) error {
	return db.Tx(context.Background(), func(tx domain.Tx) error {
		if err := tx.InsertRole(&domain.Role{ID: id, Name: id}); err != nil {
			return err
		}
		return tx.Append(&evidence.Entry{Type: "role.created", ObjectID: id})
	})
}

func hasRole(t *testing.T, db *store.DB, id string) bool {
	t.Helper()
	err := db.View(context.Background(), func(r domain.Reader) error {
		_, err := r.Role(id)
		return err
	})
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// A connection that breaks while a group is committed: who waits is told what
// became of it, and the server goes on.
func TestCommitThatIsCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fate int32
		want string // of the answer; "": it was committed
		kept bool
	}{
		{"before it came to the database", cutSend, "did not happen", false},
		{"before the answer came back", cutReply, "", true},
		{"before the answer, and nobody can ask", away, "is unknown", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			database := postgres(t)
			wire, over := newWire(t, database)
			heard := newPublished()
			o := files(t)
			o.Committed = heard.take
			o.Fatal = func(err error) { t.Errorf("fatal: %v", err) }
			db := open(t, over, o)
			if err := addRole(db, "before"); err != nil {
				t.Fatal(err)
			}
			wire.fate.Store(tt.fate)
			err := addRole(db, "cut")
			if len(wire.cut) == 0 {
				t.Fatal("nothing was cut")
			}
			wire.fate.Store(passed)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.want != "" && (domain.ErrorCode(err) != domain.CodeEvidenceUnavailable || !strings.Contains(domain.AsError(err).Message, tt.want)):
				t.Errorf("error %v, want that it %s", err, tt.want)
			}
			if got := hasRole(t, db, "cut"); got != tt.kept {
				t.Errorf("kept: %t, want %t", got, tt.kept)
			}
			if err := addRole(db, "after"); err != nil {
				t.Fatal(err)
			}
			want := []string{"before", "cut", "after"}
			if !tt.kept {
				want = []string{"before", "after"}
			}
			if got := heard.await(t, len(want)); !slices.Equal(got, want) {
				t.Errorf("published %v, want %v", got, want)
			}
		})
	}
}

// While the database is away nothing happens, everybody is told so, and nobody
// hangs. When it is back the server goes on by itself, and hears of others.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	database, o := postgres(t), files(t)
	other := open(t, database, o)
	heard := newPublished()
	o.Committed = heard.take
	wire, over := newWire(t, database)
	db := open(t, over, o)
	if err := errors.Join(addRole(db, "before"), db.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	wire.down()
	for range 2 { // over the broken connection, and without one
		for name, err := range map[string]error{"Tx": addRole(db, "meanwhile"), "Ready": db.Ready(t.Context())} {
			if domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
	wire.fate.Store(passed)
	for _, err := range []error{db.Ready(t.Context()), addRole(db, "after"), addRole(other, "elsewhere")} {
		if err != nil {
			t.Errorf("when it is back: %v", err)
		}
	}
	if got, want := heard.await(t, 3), []string{"before", "after", "elsewhere"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if hasRole(t, db, "meanwhile") {
		t.Error("what did not happen is there")
	}
}
