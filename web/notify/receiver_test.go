package notify_test

import (
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

// loopback are the addresses that tests allow.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// options are those of a server at https://countersign.example.org.
func options() notify.Options {
	return notify.Options{BaseURL: &url.URL{Scheme: "https", Host: "countersign.example.org"}}
}

// request is what a receiver got.
type request struct {
	header http.Header
	proto  int
	path   string
	body   string
}

// receiver is a server on loopback with TLS. It answers 200, or what its handler says.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []request
}

func newReceiver(t *testing.T, http2 bool, handler http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, incoming *http.Request) {
		body, _ := io.ReadAll(incoming.Body)
		r.mu.Lock()
		r.got = append(r.got, request{incoming.Header.Clone(), incoming.ProtoMajor, incoming.URL.RequestURI(), string(body)})
		r.mu.Unlock()
		if handler != nil {
			handler(w, incoming)
		}
	}))
	r.EnableHTTP2 = http2
	r.Config.ErrorLog = log.New(io.Discard, "", 0) // senders refuse some certificates
	r.StartTLS()
	t.Cleanup(r.Close)
	return r
}

// requests returns what it got so far.
func (r *receiver) requests() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// options allow to send to the receiver.
func (r *receiver) options() notify.Options {
	o := options()
	o.Allow, o.Ports, o.RootCAs = loopback, []uint16{port(r.Listener.Addr())}, x509.NewCertPool()
	o.RootCAs.AddCert(r.Certificate())
	return o
}

// send sends a message to the receiver. The receiver got it, or the test fails.
func (r *receiver) send(t *testing.T, s *notify.Sender, d *domain.Dispatch) request {
	t.Helper()
	s.SetTimeout(calm) // a busy machine is no failure
	before := len(r.requests())
	if got := s.Send(t.Context(), d); got != (domain.DeliveryResult{ID: d.Message.ID, HTTPStatus: http.StatusOK}) {
		t.Fatalf("result %+v", got)
	}
	return r.requests()[before]
}

func port(address net.Addr) uint16 { return address.(*net.TCPAddr).AddrPort().Port() }

// keys that sign.
const (
	key    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldKey = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
)

var at = time.Date(2026, 5, 4, 12, 30, 0, 123_000_000, time.UTC)

// destinations counts those that tests send to: each is paced alone.
var destinations atomic.Int64

// dispatch returns a message about a request that waits, for a destination of its own.
func dispatch(format domain.Format, address string) *domain.Dispatch {
	return &domain.Dispatch{
		Destination: &domain.Destination{ID: fmt.Sprint("d", destinations.Add(1)), Format: format},
		Secret:      &domain.DestinationSecret{URL: address, Key: key},
		Message: &domain.Message{
			ID: "m1", Type: "confirm.requested", At: at, Path: "/confirms/c1", LogIndex: 7,
			Checkpoint: "countersign\n8\nabc=\n\n— countersign xyz=\n", Details: domain.DetailsNames,
			Confirm: &domain.MessageConfirm{
				ID: "c1", Status: domain.Pending, TargetType: domain.TargetOther, ContentHash: "sha256:" + strings.Repeat("a", 64),
				ExpiresAt: at.Add(95 * time.Minute), Tool: "wire_transfer", Actions: 1, Requester: "payments-agent",
			},
		},
	}
}
