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
	"syscall"
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

// besideNone has clients repeat a step on a server that tells destinations, and on one
// that has none, in turns. Whoever does not have the turn is stopped.
func (r *round) besideNone(ctx context.Context, w *receivers, name string, clients int, step func(*server) func(int) load.Step) {
	const turns = 4
	names := [2]string{", nobody is told", fmt.Sprintf(", %d destinations are told", receiverCount)}
	var servers [2]*server
	var dirs [2]string
	var rates [2]float64
	var confirms [2][]load.Confirm
	for i := range servers {
		dirs[i] = r.fresh()
		if i == 1 {
			w.addTo(ctx, r.bench, dirs[i])
		}
		servers[i] = w.serve(ctx, r.bench, dirs[i])
		defer servers[i].kill()
		ask := func() { must(load.Run(ctx, 1, load.Window{Steps: 1}, step(servers[i]))) }
		if ask(); i == 1 {
			w.await(ctx, ask)
		}
		servers[i].pause()
	}
	before := w.told.Load()
	var spent, seconds [2]float64
	for turn := range 2 * turns {
		i := (turn + turn/2 + r.number) % 2 // so that neither is always first
		s := servers[i]
		s.resume()
		began, used := time.Now(), s.processorTime()
		result := must(load.Run(ctx, clients, r.size.window, step(s)))
		spent[i], seconds[i] = spent[i]+s.processorTime()-used, seconds[i]+time.Since(began).Seconds()
		s.pause()
		rates[i] += result.Rate() / turns
		confirms[i] = append(confirms[i], result.Confirms...)
	}
	r.set("deliveries while "+name, "1/s", float64(w.told.Load()-before)/seconds[1])
	for i, s := range servers {
		r.set(name+names[i], "1/s", rates[i])
		r.set("processor time for each of "+name+names[i], "ms", 1000*spent[i]/float64(len(confirms[i])))
		s.kill()
		r.on(ctx, dirs[i], func(s *server) {
			lost := must(load.ReadBack(ctx, s.address, s.Agents[0], confirms[i]))
			r.set("acknowledged writes lost after kill -9", "", float64(lost))
			if lost > 0 {
				check(fmt.Errorf("%d acknowledged writes are lost", lost))
			}
		})
		r.verify(ctx, dirs[i], filepath.Join(dirs[i], database))
		check(os.RemoveAll(dirs[i]))
	}
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

// pause stops the server's process until it is resumed.
func (s *server) pause() { check(s.cmd.Process.Signal(syscall.SIGSTOP)) }

func (s *server) resume() { check(s.cmd.Process.Signal(syscall.SIGCONT)) }

// processorTime returns the seconds that the server has used.
func (s *server) processorTime() float64 { return must(s.process().Stat()).CPUTime() }
