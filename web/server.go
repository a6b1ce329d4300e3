package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"countersign/domain"
	"countersign/static"
	"countersign/web/budget"
	"countersign/web/route"
)

// Config is what a Server needs. Service and Assets are required.
type Config struct {
	Service *domain.Service
	Assets  *static.Assets
	Logger  *slog.Logger // nil: nothing is logged
	// BaseURL is how browsers reach the server. HTTPS makes cookies Secure and
	// __Host-. Nil: http://127.0.0.1:8080.
	BaseURL *url.URL
	// Hosts are further names that requests may be sent to, beside that of
	// BaseURL and the loopback names if that one is loopback.
	Hosts []string
	// TrustedProxies are the networks whose X-Forwarded-For is believed.
	TrustedProxies []*net.IPNet
	// Checks are what the server cannot work without, beside its assets.
	Checks []Check
	// Send sends tests to destinations. Nil: they fail.
	Send domain.Send
	// Observed is told of every request once it is answered, and Waiting when
	// somebody begins (1) or ends (-1) to wait or to listen: long-poll, sse,
	// websocket, or page. Neither may block. Nil: nobody is told.
	Observed func(Request)
	Waiting  func(kind string, by int)
}

// Server answers every request. It is safe for concurrent use.
type Server struct {
	echo            *echo.Echo
	table           *route.Table
	svc             *domain.Service
	assets          *static.Assets
	logger          *slog.Logger
	base            *url.URL
	hosts           map[string]bool
	securityHeaders http.Header
	origins         *http.CrossOriginProtection
	sessions        *sessionStore
	anonCookie      sessions.Options // cookies of forms that come before a session
	drawings        *drawingCache
	drafts          map[string]renderDraft // by the path that a form is posted to
	largeFormSlots  chan struct{}          // as many as there are large forms of strangers; see few
	forms           *budget.Budget         // of those who are signed in
	ready           *readiness
	observed        func(Request)
	waiting         func(kind string, by int)
	send            domain.Send
}

var _ http.Handler = (*Server)(nil)

// New builds a Server. It panics if the configuration is not one a program
// could have meant, such as a base URL without a host.
func New(c Config) *Server {
	s := &Server{
		echo: echo.New(), svc: c.Service, assets: c.Assets, logger: c.Logger, base: c.BaseURL,
		observed: c.Observed, waiting: c.Waiting, send: c.Send, drafts: map[string]renderDraft{}, largeFormSlots: make(chan struct{}, largeForms), forms: budget.New(formsEach, formsInAll),
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.send == nil {
		s.send = func(_ context.Context, d *domain.Dispatch) domain.DeliveryResult {
			return domain.DeliveryResult{ID: d.Message.ID, Failure: domain.FailureConnection}
		}
	}
	if s.observed == nil {
		s.observed = func(Request) {}
	}
	if s.waiting == nil {
		s.waiting = func(string, int) {}
	}
	s.ready = newReadiness(append([]Check{{Name: "assets", Ask: s.haveAssets}}, c.Checks...), s.logger)
	if s.base == nil {
		s.base = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
	}
	s.hosts, s.securityHeaders = allowedHosts(s.base, c.Hosts), securityHeaders(s.https())
	s.origins = http.NewCrossOriginProtection()
	if err := s.origins.AddTrustedOrigin(s.base.Scheme + "://" + s.base.Host); err != nil {
		panic("web: base URL: " + err.Error())
	}
	s.sessions = newSessionStore(c.Service, s.https())
	s.anonCookie = cookieOptions(s.https(), anonTokenTTL)
	s.drawings = newDrawingCache(c.Service.Limits().DrawnSteps)

	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.HTTPErrorHandler = s.fail
	s.echo.IPExtractor = clientAddress(c.TrustedProxies)
	s.echo.Pre(
		s.accessLog(),
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true, DisableErrorHandler: true, LogErrorFunc: panicked}),
		s.requireSameOrigin,
	)
	s.table = route.NewTable(s.echo)
	s.addRoutes()
	return s
}

// ServeHTTP implements http.Handler. Its headers are set before anything can
// fail, so that errors have them too.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setRequestID(w.Header())
	maps.Copy(w.Header(), s.securityHeaders)
	s.echo.ServeHTTP(w, r)
}

// Routes lists every address with what it needs.
func (s *Server) Routes() []route.Route { return s.table.Routes() }

func (s *Server) https() bool { return s.base.Scheme == "https" }

// panicked makes an error of a panic, with the stack for the operator's log.
func panicked(_ echo.Context, err error, stack []byte) error {
	return errors.Join(err, errors.New(string(stack)))
}

// clientAddress says where a request comes from. Without trusted proxies that
// is the connection: headers may say anything.
func clientAddress(proxies []*net.IPNet) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range proxies {
		trust = append(trust, echo.TrustIPRange(network))
	}
	extract := echo.ExtractIPFromXFFHeader(trust...)
	return func(r *http.Request) string {
		forwarded := strings.Split(strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ","), ",")
		for i, client := range forwarded {
			// Some proxies name the port too, which the extractor takes for no address.
			if at, err := netip.ParseAddrPort(strings.TrimSpace(client)); err == nil {
				forwarded[i] = at.Addr().String()
			}
		}
		return extract(&http.Request{RemoteAddr: r.RemoteAddr, Header: http.Header{echo.HeaderXForwardedFor: {strings.Join(forwarded, ",")}}})
	}
}
