package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"countersign/cmd/bench/load"
	"countersign/domain"
	"countersign/store"
)

// receiverCount is how many destinations are told of every request and decision.
const receiverCount = 5

// receivers are webhooks on this machine.
type receivers struct {
	servers     []*httptest.Server
	certificate string // of all of them, a file
	told        atomic.Int64
	arrived     chan struct{} // has one when something was told since it was emptied
}

func newReceivers(dir string) *receivers {
	w := &receivers{certificate: filepath.Join(dir, "receiver.pem"), arrived: make(chan struct{}, 1)}
	for range receiverCount {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // what is lost is sent again
			w.told.Add(1)
			select {
			case w.arrived <- struct{}{}:
			default:
			}
		}))
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // servers are killed while they connect
		s.StartTLS()
		w.servers = append(w.servers, s)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.servers[0].Certificate().Raw})
	check(os.WriteFile(w.certificate, text, 0o600))
	return w
}

// await does something of which destinations are told, and waits until one is.
func (w *receivers) await(ctx context.Context, do func()) {
	const patience = 30 * time.Second
	select {
	case <-w.arrived:
	default:
	}
	do()
	select {
	case <-w.arrived:
	case <-ctx.Done():
		check(ctx.Err())
	case <-time.After(patience):
		check(errors.New("no destination was told anything"))
	}
}

func (w *receivers) close() {
	for _, s := range w.servers {
		s.Close()
	}
}

// flags let a program send to the receivers.
func (w *receivers) flags() []string {
	var ports []string
	for _, s := range w.servers {
		_, port, _ := strings.Cut(s.Listener.Addr().String(), ":")
		ports = append(ports, port)
	}
	return []string{"--egress-allow", "127.0.0.0/8", "--egress-ports", strings.Join(ports, ",")}
}

// addTo adds the receivers to the database in dir as destinations.
func (w *receivers) addTo(ctx context.Context, b *bench, dir string) {
	for i, s := range w.servers {
		words := append(strings.Fields(fmt.Sprintf("destination add receiver-%d --format standard --url-stdin --event confirm.requested --event confirm.approved", i)), w.flags()...)
		b.command(ctx, dir, s.URL, append(words, "--db", filepath.Join(dir, database))...)
	}
}

// serve starts a server that may send to the receivers. It listens elsewhere than they:
// nothing is sent to the server's own host.
func (w *receivers) serve(ctx context.Context, b *bench, dir string) *server {
	words := []string{"SSL_CERT_FILE=" + w.certificate, b.binary, "serve", "--db", filepath.Join(dir, database), "--listen", "127.0.0.2:0", "--host", "localhost",
		"--limits", lifted, "--verify-every", "0"}
	return b.startFurnished(ctx, dir, "env", append(words, w.flags()...)...)
}

func measureDeliver(ctx context.Context, r *round) {
	w := newReceivers(r.work)
	defer w.close()
	for _, m := range []struct {
		name    string
		clients int
		step    func(*server) func(int) load.Step
	}{
		{"requests created", 128, (*server).create},
		{"round trips", 16, func(s *server) func(int) load.Step { return s.trip }},
	} {
		r.besideNone(ctx, w, m.name+", "+fmt.Sprint(m.clients)+" clients", m.clients, m.step)
	}
	r.idle(ctx, w)
}

// besideNone compares a server that tells destinations with one that has none.
func (r *round) besideNone(ctx context.Context, w *receivers, name string, clients int, step func(*server) func(int) load.Step) {
	sides := []*side{{name: name + ", nobody is told", dir: r.fresh()}, {name: fmt.Sprintf("%s, %d destinations are told", name, receiverCount), dir: r.fresh()}}
	w.addTo(ctx, r.bench, sides[1].dir)
	for i, s := range sides {
		s.server = w.serve(ctx, r.bench, s.dir)
		defer s.kill()
		ask := func() { must(load.Run(ctx, 1, load.Window{Steps: 1}, step(s.server))) }
		if ask(); i == 1 {
			w.await(ctx, ask)
		}
	}
	before := w.told.Load()
	r.inTurns(ctx, sides, clients, step)
	r.set("deliveries while "+name, "1/s", float64(w.told.Load()-before)/sides[1].seconds)
	r.readBack(ctx, sides)
}

// idle compares two servers in the same time while nothing happens: one has deliveries
// that wait and are not due.
func (r *round) idle(ctx context.Context, w *receivers) {
	var servers [2]*server
	for i := range servers {
		dir := r.fresh()
		w.addTo(ctx, r.bench, dir)
		if i == 1 {
			r.addWaiting(ctx, dir)
		}
		servers[i] = w.serve(ctx, r.bench, dir)
		defer servers[i].kill()
	}
	time.Sleep(r.size.rest)
	var used [2]float64
	for i, s := range servers {
		used[i] = s.processorTime()
	}
	time.Sleep(r.size.idle)
	for i, s := range servers {
		used[i] = s.processorTime() - used[i]
		s.stop()
	}
	r.set("processor time of an idle server, nothing waits", "s", used[0])
	r.set("processor time of an idle server, 10,000 deliveries wait", "s", used[1])
	r.set("processor time that waiting deliveries add", "s", math.Round((used[1]-used[0])*100)/100) // in ticks of the clock
}

// addWaiting adds deliveries that are due in an hour.
func (r *round) addWaiting(ctx context.Context, dir string) {
	db := must(store.Open(ctx, filepath.Join(dir, database), store.Options{Now: time.Now}))
	check(db.Tx(ctx, func(tx domain.Tx) error {
		all, err := tx.Destinations()
		if err != nil {
			return err
		}
		var list []*domain.Delivery
		for i := range r.size.undelivered {
			list = append(list, &domain.Delivery{ID: fmt.Sprint("d-", i), DestinationID: all[i%len(all)].ID, Type: "confirm.requested",
				State: domain.DeliveryWaiting, DueAt: time.Now().Add(time.Hour), CreatedAt: time.Now()})
		}
		return tx.InsertDeliveries(list)
	}))
	check(db.Close())
}
