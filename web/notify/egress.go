package notify

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"countersign/domain"
)

// newGuard returns what refuses to dial inner addresses and other ports than these.
func newGuard(allow []netip.Prefix, ports []uint16) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, prefix := range allow {
		if prefix.Addr().Is4() {
			v4 = append(v4, prefix)
		} else {
			v6 = append(v6, prefix)
		}
	}
	return ssrf.New(ssrf.WithPorts(ports...), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}

const (
	// httpsPort is the only port that may be dialled if no others are named.
	httpsPort        = 443
	connectTimeout   = 3 * time.Second
	handshakeTimeout = 5 * time.Second
	idleTimeout      = 30 * time.Second
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 16 << 10
	// maxBuffer bounds what HTTP/2 may send ahead of our reading, in bytes.
	maxBuffer = 64 << 10
)

// newTransport returns a transport that uses no proxy: a proxy would dial unchecked.
// The guard sees the address of each dial after the name was looked up, so a name
// cannot change its address in between.
func newTransport(guard *ssrf.Guardian, roots *x509.CertPool, resolver *net.Resolver) *http.Transport {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: guard.Safe, Resolver: resolver}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerConnection: maxBuffer, MaxReceiveBufferPerStream: maxBuffer},
	}
}

// maxURL bounds an address, in bytes.
const maxURL = 2 << 10

// CheckURL refuses an address that could not be sent to. The error is a *domain.Error
// for whoever enters it. What a name stands for is checked at each dial instead.
func (s *Sender) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > maxURL:
		return domain.Invalid("address", "limit", "The address has %d bytes. It may have at most %d.", len(raw), maxURL)
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return domain.Invalid("address", "format", "This is no address. Write it like https://example.org/hook.")
	case u.Scheme != "https":
		return domain.Invalid("address", "format", "The address must begin with https://.")
	case u.User != nil:
		return domain.Invalid("address", "format", "The address must not have a user name or password before its host.")
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return domain.Invalid("address", "format", "The address must not have a fragment: leave out # and what follows.")
	case strings.EqualFold(u.Hostname(), s.base.Hostname()):
		return domain.Invalid("address", "format", "The address is this server's own. Enter the address of the receiver.")
	}
	return s.checkHost(u)
}

var (
	// hostName is a host's name in ASCII, without a dot at its end.
	hostName = regexp.MustCompile(`^(?i:[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(?i:\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)
	// number is a last label that some resolvers read as part of an IPv4 address.
	number = regexp.MustCompile(`(^|\.)(?i:[0-9]+|0x[0-9a-f]*)$`)
)

// checkHost refuses a host or port that would not be dialled.
func (s *Sender) checkHost(u *url.URL) error {
	port := uint64(httpsPort)
	if text := u.Port(); text != "" {
		port, _ = strconv.ParseUint(text, 10, 16) // 0 may never be dialled
	}
	if !slices.Contains(s.ports, uint16(port)) {
		return domain.Invalid("address", "format", "The port of the address is not allowed. Only these are: %v.", s.ports)
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && s.guard.SafeAddr(ip) != nil:
		return domain.Invalid("address", "format", "The address %s is not public. Only a start of the server with --egress-allow allows it.", host)
	case err != nil && (!hostName.MatchString(host) || number.MatchString(host)):
		return domain.Invalid("address", "format", "%q is no name of a host. Write names in ASCII and IP addresses in their usual form.", host)
	}
	return nil
}
