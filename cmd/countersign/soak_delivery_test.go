package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

// hook is a webhook on this machine that counts what it is told.
type hook struct {
	*httptest.Server
	port        uint16
	certificate string // of it, a file

	mu   sync.Mutex
	told map[string]int // by request and type of entry
	ids  map[string]int // by webhook-id
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{told: map[string]int{}, ids: map[string]int{}}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			Type string
			Data struct {
				ConfirmID string `json:"confirm_id"`
			}
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &message) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.told[message.Data.ConfirmID+" "+message.Type]++
		h.ids[r.Header.Get("webhook-id")]++
	}))
	t.Cleanup(h.Close)
	u, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	h.port, h.certificate = uint16(port), filepath.Join(t.TempDir(), "receiver.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	if err := os.WriteFile(h.certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// serve starts a server that may send to the hook, or to these ports, and trusts it. It
// listens elsewhere: nothing is sent to the server's own host.
func (h *hook) serve(t *testing.T, db string, ports ...uint16) *process {
	t.Helper()
	return spawnAs(t, []string{"env", "SSL_CERT_FILE=" + h.certificate, "countersign"}, db,
		"--listen", "127.0.0.2:0", "--egress-allow", "127.0.0.0/8", "--egress-ports", join(append(ports, h.port)))
}

// sender sends to the hook, or to these ports, from this process.
func (h *hook) sender(ports ...uint16) *notify.Sender {
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	return notify.New(notify.Options{BaseURL: &url.URL{Scheme: "http", Host: "localhost"}, RootCAs: roots,
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: append(ports, h.port)})
}

// finish delivers what a server left behind, as one that starts two minutes later.
func (h *hook) finish(t *testing.T, file string) {
	t.Helper()
	opened(t, file, func(house *house) {
		now := func() time.Time { return time.Now().Add(2 * time.Minute) }
		deliverAll(t, domain.NewService(house.db, domain.Config{Feed: house.feed, Now: now, Hasher: cheap()}), h.sender())
	})
}

// deliverAll queues what the log has, and sends what is due.
func deliverAll(t *testing.T, svc *domain.Service, sender *notify.Sender) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = svc.QueueDeliveries(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := svc.Destinations(t.Context(), domain.System)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		for {
			claimed, err := svc.ClaimDeliveries(t.Context(), d.ID)
			if err != nil {
				t.Fatal(err)
			}
			if len(claimed) == 0 {
				break
			}
			var results []domain.DeliveryResult
			for _, dispatch := range claimed {
				results = append(results, sender.Send(t.Context(), dispatch))
			}
			if err := svc.RecordDeliveries(t.Context(), d.ID, results); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBarR16_KillWhileDelivering kills a server at any step of queueing, sending and
// recording. Each request that was acknowledged is told at least once, and at most twice,
// with one id.
func TestBarR16_KillWhileDelivering(t *testing.T) {
	t.Parallel()
	b, cycles := newBar(t, "R16", 8, 1_000)
	h := newHook(t)
	file, asker, twice := "", "", 0
	for cycle := range cycles {
		if cycle%cyclesPerFile == 0 {
			file = tempDB(t)
			asker, _ = furnished(t, file)
			opened(t, file, func(house *house) {
				svc := domain.NewService(house.db, domain.Config{CheckAddress: h.sender().CheckURL, Hasher: cheap()})
				if _, _, err := svc.CreateDestination(t.Context(), domain.System, domain.DestinationInput{Name: "hook", Format: domain.FormatStandard,
					Address: h.URL, Types: []string{"confirm.requested"}, Details: domain.DetailsNames}); err != nil {
					t.Fatal(err)
				}
			})
		}
		p := h.serve(t, file)
		acknowledged := h.ask(t, p.base, asker, cycle)
		time.Sleep(time.Duration(150+b.random(cycle).IntN(120)) * time.Millisecond) // about when it queues and sends
		p.kill(t)
		h.finish(t, file)
		h.mu.Lock()
		for _, id := range acknowledged {
			switch n := h.told[id+" confirm.requested"]; n {
			case 1:
			case 2:
				twice++
			default:
				b.violated("cycle %d: request %s was told %d times", cycle, id, n)
			}
		}
		ids, told := len(h.ids), len(h.told)
		h.mu.Unlock()
		if ids != told {
			b.violated("cycle %d: %d ids for %d requests", cycle, ids, told)
		}
		b.n.Add(1)
	}
	b.figure("told_twice", twice)
}

// ask posts requests and returns those that were acknowledged.
func (h *hook) ask(t *testing.T, base, asker string, cycle int) (ids []string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := range 5 {
		id := fmt.Sprintf("c-%d-%d", cycle, n)
		status, err := asks(ctx, client, asker, http.MethodPost, base+"/api/v1/confirms", fmt.Sprintf(`{"confirm_id":%q,"target_type":"other","actions":[{"name":"pay","args":{"n":%d}}]}`, id, n), nil)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("posting: %d, %v", status, err)
		}
		ids = append(ids, id)
	}
	return ids
}
