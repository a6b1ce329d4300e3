package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// policy is DESIGN's content security policy: nothing inline, nothing foreign.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"

// hardened are the security headers, as all answers share them.
func hardened(https bool) http.Header {
	header := http.Header{}
	header.Set(echo.HeaderContentSecurityPolicy, policy)
	header.Set(echo.HeaderXContentTypeOptions, "nosniff")
	header.Set(echo.HeaderReferrerPolicy, "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Assets, which say nothing about anybody, set their own.
	header.Set(echo.HeaderCacheControl, "no-store")
	if https {
		header.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	return header
}

// allowedHosts are the names a request may be sent to, without ports.
func allowedHosts(base *url.URL, further []string) map[string]bool {
	hosts := map[string]bool{strings.ToLower(base.Hostname()): true}
	if isLoopback(base.Hostname()) {
		for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
			hosts[name] = true
		}
	}
	for _, name := range further {
		hosts[hostname(name)] = true
	}
	return hosts
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// hostname is a Host header without its port and brackets, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// own refuses requests that were meant for another server, or that another site
// makes a browser send.
func (s *Server) own(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := s.ownHost(c.Request())
		if err == nil {
			err = s.ownOrigin(c.Request())
		}
		if err != nil {
			return err
		}
		return next(c)
	}
}

// ownHost refuses requests that were meant for another name: a page elsewhere
// may have its name lead to this server's address. Health may be asked by any
// name, for it tells nothing.
func (s *Server) ownHost(r *http.Request) error {
	if !s.hosts[hostname(r.Host)] && r.URL.Path != healthPath && r.URL.Path != readyPath {
		return &failure{status: http.StatusMisdirectedRequest, title: "Not this server",
			message: "This server does not answer to that name. Whoever runs it can allow the name with --host."}
	}
	return nil
}

// ownOrigin refuses what another site makes a browser send. The JSON interface
// is left out, because it refuses cookies. A request that says neither where it
// comes from nor how it was made is no browser of today; with a session cookie
// it is refused rather than believed.
func (s *Server) ownOrigin(r *http.Request) error {
	if !isAPI(r.URL.Path) && (s.origins.Check(r) != nil || s.silent(r)) {
		return &failure{status: http.StatusForbidden, title: "Sent from elsewhere",
			message: "This request did not come from a page of this server, so nothing was done."}
	}
	return nil
}

// silent says whether a request that would change something as a signed-in
// user does not say where it comes from.
func (s *Server) silent(r *http.Request) bool {
	if !unsafe(r.Method) || r.Header.Get(echo.HeaderOrigin) != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		return false
	}
	_, missing := r.Cookie(s.sessions.name)
	return missing == nil
}

func unsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }
