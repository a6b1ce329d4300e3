// Package notify sends messages to destinations: to programs as Standard Webhooks, and
// to channels of Slack and Microsoft Teams.
//
// Only addresses that every dial checks are connected to, so that nobody reaches inner
// services through a destination. Nothing that a receiver answers is kept or repeated.
package notify

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/time/rate"

	"countersign/domain"
)

// Sender sends messages to destinations over HTTPS. It is safe for concurrent use.
type Sender struct {
	base      *url.URL
	now       func() time.Time
	ports     []uint16
	timeout   time.Duration // of an attempt
	guard     *ssrf.Guardian
	transport *http.Transport
	pace      pace
}

// Options say where a Sender may connect to. BaseURL is required.
type Options struct {
	BaseURL *url.URL         // of this server; links of messages begin with it
	Allow   []netip.Prefix   // further addresses that may be dialled
	Ports   []uint16         // that may be dialled; empty: 443
	RootCAs *x509.CertPool   // nil: the system's
	Now     func() time.Time // nil: time.Now
}

// New returns a Sender.
func New(o Options) *Sender { return newSender(o, nil) }

// newSender returns a Sender that looks up names with this resolver. Nil: the system's.
func newSender(o Options, resolver *net.Resolver) *Sender {
	s := &Sender{base: o.BaseURL, now: o.Now, timeout: attemptTimeout, ports: o.Ports, pace: pace{limiters: map[string]*rate.Limiter{}}}
	if s.now == nil {
		s.now = time.Now
	}
	if len(s.ports) == 0 {
		s.ports = []uint16{httpsPort}
	}
	s.guard = newGuard(o.Allow, s.ports)
	s.transport = newTransport(s.guard, o.RootCAs, resolver)
	return s
}

const (
	// attemptTimeout bounds an attempt, from the look-up of the name to the answer.
	attemptTimeout = 10 * time.Second
	// maxAnswer is how much of an answer is read, in bytes. It is thrown away.
	maxAnswer = 4 << 10
)

// Send makes one attempt to send a message, of at most ten seconds, once it is the
// destination's turn. It returns what
// became of it. An attempt that the end of ctx cuts short has failed like any other.
func (s *Sender) Send(ctx context.Context, d *domain.Dispatch) domain.DeliveryResult {
	result := domain.DeliveryResult{ID: d.Message.ID}
	if s.pace.wait(ctx, d.Destination.ID) != nil {
		result.Failure = domain.FailureConnection
		return result
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := s.newRequest(ctx, d)
	if err != nil {
		result.Failure = failureOf(err)
		return result
	}
	// The transport alone follows no redirect, keeps no cookie, and puts no address
	// into its errors.
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		result.Failure = failureOf(err)
		return result
	}
	// The status tells everything. What follows is read so that the connection can
	// be used again, and it may fail.
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer)
	_ = response.Body.Close()
	result.HTTPStatus = response.StatusCode
	if result.Failure = statusFailure(response.StatusCode); result.Failure == domain.FailureStatus {
		result.RetryAfter = retryAfter(response.Header.Get("Retry-After"), s.now())
	}
	return result
}

// newRequest writes a message in the form of its destination.
func (s *Sender) newRequest(ctx context.Context, d *domain.Dispatch) (*http.Request, error) {
	if d.Secret == nil {
		return nil, errNoSecret
	}
	// The rules may have changed since the address was saved.
	if s.CheckURL(d.Secret.URL) != nil {
		return nil, errAddress
	}
	body, err := s.render(d.Destination.Format, d.Message)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Secret.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errAddress
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Countersign")
	if d.Destination.Format == domain.FormatStandard {
		err = sign(request.Header, d.Message.ID, d.Secret, s.now(), body)
	}
	return request, err
}

const (
	// maxBody bounds a message without arguments, in bytes.
	maxBody = 8 << 10
	// maxFullBody bounds a message with arguments, in bytes.
	maxFullBody = 1 << 20
)

// render returns the body of a message.
func (s *Sender) render(format domain.Format, m *domain.Message) (body []byte, err error) {
	limit := maxBody
	switch format {
	case domain.FormatStandard:
		if body, err = renderStandard(m, s.link(m)); m.Details == domain.DetailsFull {
			limit = maxFullBody
		}
	case domain.FormatSlack:
		body, err = renderSlack(m, s.link(m))
	case domain.FormatTeams:
		body, err = renderTeams(m, s.link(m))
	default:
		err = errors.New("unknown format " + string(format))
	}
	if err == nil && len(body) > limit {
		err = errSize
	}
	return body, err
}

// link returns the address of the page that a message leads to.
func (s *Sender) link(m *domain.Message) string {
	return s.base.Scheme + "://" + s.base.Host + m.Path
}
