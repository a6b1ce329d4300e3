package notify_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

// patience is how long the attempts of these tests may take that last until their end.
const patience = 300 * time.Millisecond

// calm is more time than an attempt ever takes that ends before its end.
const calm = time.Minute

// endless writes a text until that fails, and counts the bytes.
func endless(w io.Writer, text string, pause time.Duration, written *atomic.Int64) {
	tick := time.NewTicker(max(pause, 1))
	defer tick.Stop()
	for {
		n, err := io.WriteString(w, text)
		written.Add(int64(n))
		if err != nil {
			return
		}
		if pause > 0 {
			<-tick.C
		}
	}
}

// Whatever a receiver does with a connection, an attempt ends in time and takes little.
func TestSend_HostileConnections(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	const most = 8 << 20 // what sockets of both sides may hold
	mebibyte := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name   string
		start  string // of the answer
		repeat string // without end; empty: the connection is closed
		pause  time.Duration
		want   domain.DeliveryFailure
		isSlow bool // it lasts until the attempt's end
	}{
		{"closes", "", "", 0, domain.FailureConnection, false},
		{"answers garbage", "\x00\xffgarbage\r\n\r\n", "", 0, domain.FailureConnection, false},
		{"answers endless garbage", "", mebibyte, 0, domain.FailureConnection, false},
		{"closes within the header", ok + "Content-Le", "", 0, domain.FailureConnection, false},
		{"closes within the body", ok + "Content-Length: 100\r\n\r\nx", "", 0, "", false},
		{"an endless header", ok, "X: " + mebibyte + "\r\n", 0, domain.FailureConnection, false},
		{"an endless line", ok + "X: ", mebibyte, 0, domain.FailureConnection, false},
		{"endless early hints", "", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0, domain.FailureConnection, false},
		{"an endless body", ok + "Content-Length: 1073741824000\r\n\r\n", mebibyte, 0, "", false},
		{"endless chunks", ok + "Transfer-Encoding: chunked\r\n\r\n", "100000\r\n" + mebibyte + "\r\n", 0, "", false},
		{"packed zeros", ok + "Content-Encoding: gzip\r\n\r\n", mebibyte, 0, "", false},
		{"drips a header", ok + "X: ", "x", 5 * time.Millisecond, domain.FailureTimeout, true},
		{"drips a body", ok + "\r\n", "x", 5 * time.Millisecond, "", true},
		{"drips hints", "", "HTTP/1.1 100 Continue\r\n\r\n", 5 * time.Millisecond, domain.FailureTimeout, true},
		{"a status of its own", "HTTP/1.1 999 Unknown\r\nContent-Length: 0\r\n\r\n", "", 0, domain.FailureStatus, false},
		{"no status", "HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n", "", 0, domain.FailureStatus, false},
		{"switches protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "", 0, domain.FailureStatus, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var written atomic.Int64
			ended := make(chan struct{})
			r := newReceiver(t, false, func(w http.ResponseWriter, _ *http.Request) {
				defer close(ended)
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }() // the sender may have been first
				if _, err := io.WriteString(conn, test.start); err == nil && test.repeat != "" {
					endless(conn, test.repeat, test.pause, &written)
				}
			})
			checkAttempt(t, notify.New(r.options()), r.URL, test.want, test.isSlow)
			<-ended
			if n := written.Load(); n > most {
				t.Errorf("%d bytes were taken", n)
			}
		})
	}
}

// checkAttempt makes an attempt that ends with this failure. A slow one lasts until its
// timeout.
func checkAttempt(t *testing.T, s *notify.Sender, address string, want domain.DeliveryFailure, isSlow bool) {
	t.Helper()
	timeout := calm
	if isSlow {
		timeout = patience
	}
	s.SetTimeout(timeout)
	began := time.Now()
	if got := s.Send(t.Context(), dispatch(domain.FormatStandard, address)); got.Failure != want {
		t.Errorf("got %+v, want %q", got, want)
	}
	if took := time.Since(began); took >= calm || isSlow && took < patience {
		t.Errorf("it took %v", took)
	}
}

// HTTP/2 lets a receiver send ahead of reading, and no more than its window.
func TestSend_EndlessHTTP2(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	ended := make(chan struct{})
	r := newReceiver(t, true, func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		endless(w, strings.Repeat("x", 1<<16), 0, &written)
	})
	checkAttempt(t, notify.New(r.options()), r.URL, "", false)
	<-ended
	if n := written.Load(); n > 1<<20 || r.requests()[0].proto != 2 {
		t.Errorf("%d bytes were taken", n)
	}
	large := newReceiver(t, true, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	})
	checkAttempt(t, notify.New(large.options()), large.URL, domain.FailureConnection, false)
}

// A receiver that is not there, hangs or is somebody else.
func TestSend_Connects(t *testing.T) {
	t.Parallel()
	hanging := newReceiver(t, true, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	checkAttempt(t, notify.New(hanging.options()), hanging.URL, domain.FailureTimeout, true)

	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }() // it was closed
	o := hanging.options()
	o.Ports = []uint16{port(silent.Addr())}
	checkAttempt(t, notify.New(o), "https://"+silent.Addr().String(), domain.FailureTimeout, true)
	_ = silent.Close() // from here on nobody is there
	checkAttempt(t, notify.New(o), "https://"+silent.Addr().String(), domain.FailureConnection, false)

	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	o.Ports = []uint16{port(plain.Listener.Addr())}
	checkAttempt(t, notify.New(o), "https://"+plain.Listener.Addr().String(), domain.FailureConnection, false)

	r := newReceiver(t, true, nil)
	o = r.options()
	here := newResolver(t, func(int) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	checkAttempt(t, notify.NewWithResolver(o, here), strings.Replace(r.URL, "127.0.0.1", "example.org", 1), domain.FailureCertificate, false)
	nowhere := newResolver(t, func(int) []netip.Addr { return nil })
	checkAttempt(t, notify.NewWithResolver(o, nowhere), strings.Replace(r.URL, "127.0.0.1", "example.com", 1), domain.FailureName, false)
	o.RootCAs = nil
	checkAttempt(t, notify.New(o), r.URL, domain.FailureCertificate, false)

	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	defer old.Close()
	o.Ports = []uint16{port(old.Listener.Addr())}
	checkAttempt(t, notify.New(o), old.URL, domain.FailureConnection, false)
	if n := len(r.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
