package notify_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"countersign/domain"
	"countersign/web/notify"
)

// innerHosts are hosts that must not be reached, in every way of writing them.
var innerHosts = []string{
	// Loopback.
	"127.0.0.1", "127.0.0.2", "127.1.2.3", "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::1%25lo]",
	"localhost", "LOCALHOST", "localhost.", "foo.localhost", "ip6-localhost", "localhost.localdomain",
	// Ways in which some resolvers write 127.0.0.1 and 169.254.169.254.
	"2130706433", "0x7f000001", "0X7F.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "0177.0000.0000.0001", "127.1", "127.0.1", "127.0.0.1.",
	"0x7f.1", "127.0.0.01", "127.0.0.0x1", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518",
	// IPv4 inside IPv6: mapped, compatible, NAT64, 6to4, Teredo, ISATAP.
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:169.254.169.254]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]",
	"[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:7f00:1::]", "[fe80::5efe:7f00:1]",
	// Anything, private, shared, link-local, metadata, multicast, broadcast, documentation.
	"0.0.0.0", "0", "[::]", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200",
	"169.254.169.254", "169.254.170.2", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "203.0.113.1",
	"[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]", "[2606:4700::1%25eth0]",
	// Characters that are mapped to others.
	"①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1", "ⓛocalhost", "%31%32%37.0.0.1", "127.0.0.1%00.example.org",
}

// trap is a port on all addresses of this machine that nobody may connect to.
type trap struct {
	port uint16
	hits atomic.Int64
}

func newTrap(t *testing.T, address string) *trap {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trap{port: port(listener.Addr())}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			tr.hits.Add(1)
			_ = conn.Close() // whoever connects has lost
		}
	}()
	// A connection made now is accepted after all that were made before.
	t.Cleanup(func() {
		before, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(tr.port))))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = before.Read(make([]byte, 1)) // until it was accepted and closed
		if n := tr.hits.Load(); n != 1 {
			t.Errorf("%d connections reached the trap", n-1)
		}
		_ = listener.Close()
		<-done
	})
	return tr
}

// No address of an inner host is saved, or it is refused when it is dialled.
func TestEgress_InnerHosts(t *testing.T) {
	t.Parallel()
	tr := newTrap(t, ":0")
	o := options()
	o.Ports = []uint16{443, tr.port}
	s := notify.New(o)
	for _, host := range innerHosts {
		t.Run(host, func(t *testing.T) {
			for _, port := range []string{"", ":" + strconv.Itoa(int(tr.port))} {
				address := "https://" + host + port + "/"
				got := s.Send(t.Context(), dispatch(domain.FormatStandard, address))
				isName := strings.Contains(strings.ToLower(host), "localhost")
				if got.Failure != domain.FailureAddress && (!isName || got.Failure != domain.FailureName) {
					t.Errorf("%s: got %+v", address, got)
				}
				if err := s.CheckURL(address); err == nil && !isName {
					t.Errorf("%s may be saved", address)
				}
			}
		})
	}
}

// A name that stands for an inner address is refused when it is dialled.
func TestEgress_NamesOfInnerHosts(t *testing.T) {
	t.Parallel()
	tr := newTrap(t, ":0")
	tried := 0
	for _, host := range append(innerHosts, "[::ffff:10.0.0.1]") {
		unescaped, _ := url.PathUnescape(strings.Trim(host, "[]")) // a name is no address either way
		ip, err := netip.ParseAddr(unescaped)
		if err != nil || ip.Zone() != "" {
			continue
		}
		tried++
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Ports = []uint16{tr.port}
			s := notify.NewWithResolver(o, newResolver(t, func(int) []netip.Addr { return []netip.Addr{ip} }))
			address := "https://example.com:" + strconv.Itoa(int(tr.port))
			if err := s.CheckURL(address); err != nil {
				t.Fatal(err)
			}
			if got := s.Send(t.Context(), dispatch(domain.FormatStandard, address)); got.Failure != domain.FailureAddress {
				t.Errorf("got %+v", got)
			}
		})
	}
	if tried < 35 {
		t.Errorf("only %d addresses were tried", tried)
	}
}

// A name that is changed after it was looked up once gains nothing: the address of each
// dial is checked.
func TestEgress_Rebinding(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, false, nil) // at 127.0.0.1; the test allows it and forbids 127.0.0.2
	r.Config.SetKeepAlivesEnabled(false)
	tr := newTrapBeside(t, r)
	good, bad := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	address := "https://example.com:" + strconv.Itoa(int(tr.port))
	o := r.options()
	o.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	s := notify.NewWithResolver(o, newResolver(t, func(asked int) []netip.Addr {
		if asked == 0 {
			return []netip.Addr{good}
		}
		return []netip.Addr{bad}
	}))
	r.send(t, s, dispatch(domain.FormatStandard, address))
	for range 3 {
		if got := s.Send(t.Context(), dispatch(domain.FormatStandard, address)); got.Failure != domain.FailureAddress {
			t.Errorf("after the change: %+v", got)
		}
	}
	both := notify.NewWithResolver(o, newResolver(t, func(int) []netip.Addr { return []netip.Addr{bad, good} }))
	r.send(t, both, dispatch(domain.FormatStandard, address))
}

// newTrapBeside returns a trap at 127.0.0.2 with the port of a receiver at 127.0.0.1.
func newTrapBeside(t *testing.T, r *receiver) *trap {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", strconv.Itoa(int(port(r.Listener.Addr())))))
	if err != nil {
		t.Fatal(err)
	}
	tr := &trap{port: port(listener.Addr())}
	t.Cleanup(func() {
		if err := listener.(*net.TCPListener).SetDeadline(at); err != nil { // it has passed
			t.Error(err)
		}
		if conn, err := listener.Accept(); err == nil {
			t.Errorf("%v reached the trap", conn.RemoteAddr())
		}
		_ = listener.Close()
	})
	return tr
}

// A redirect leads nowhere.
func TestEgress_Redirects(t *testing.T) {
	t.Parallel()
	tr := newTrap(t, ":0")
	there := "127.0.0.1:" + strconv.Itoa(int(tr.port))
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{"https://" + there, "http://" + there, "//" + there, "https://localhost:" + strconv.Itoa(int(tr.port)), "file:///etc/passwd", "/"} {
			r := newReceiver(t, true, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", location)
				w.Header().Set("Refresh", "0; url="+location)
				w.Header().Set("Alt-Svc", `h2="`+there+`"; ma=60`)
				w.WriteHeader(status)
			})
			o := r.options()
			o.Ports = append(o.Ports, tr.port)
			got := notify.New(o).Send(t.Context(), dispatch(domain.FormatStandard, r.URL))
			if got.Failure != domain.FailureRedirect || got.HTTPStatus != status || len(r.requests()) != 1 {
				t.Errorf("%d to %s: %+v, %d requests", status, location, got, len(r.requests()))
			}
		}
	}
}

// A proxy would dial unchecked, so the environment's is not used.
func TestEgress_Proxy(t *testing.T) {
	tr := newTrap(t, ":0")
	r := newReceiver(t, true, nil)
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:"+strconv.Itoa(int(tr.port)))
	}
	o := r.options()
	s := notify.NewWithResolver(o, newResolver(t, func(int) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }))
	r.send(t, s, dispatch(domain.FormatStandard, "https://example.com:"+strconv.Itoa(int(o.Ports[0]))))
}

// newResolver returns a resolver whose server answers with these addresses. They are
// told how often addresses of their family were asked for.
func newResolver(t *testing.T, answer func(asked int) []netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = conn.Close(); <-done })
	go func() {
		defer close(done)
		asked := map[dnsmessage.Type]int{}
		for buffer := make([]byte, 1<<10); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if err := m.Unpack(buffer[:n]); err != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			for _, ip := range answer(asked[q.Type]) {
				h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
				switch {
				case q.Type == dnsmessage.TypeA && ip.Is4():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
				case q.Type == dnsmessage.TypeAAAA && ip.Is6():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
				}
			}
			asked[q.Type]++
			if text, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(text, from) // who is not answered asks again
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
