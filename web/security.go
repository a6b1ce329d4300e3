package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/web/mcp"
)

// contentSecurityPolicy is the content security policy: nothing inline, nothing foreign.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"

// securityHeaders are the security headers, as all answers share them.
func securityHeaders(https bool) http.Header {
	header := http.Header{}
	header.Set(echo.HeaderContentSecurityPolicy, contentSecurityPolicy)
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

// requireSameOrigin refuses requests that were meant for another server, or that another site
// makes a browser send.
func (s *Server) requireSameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := s.checkHost(c.Request())
		if err == nil {
			err = s.checkOrigin(c.Request())
		}
		if err != nil {
			return err
		}
		return next(c)
	}
}

// checkHost refuses requests that were meant for another name: a page elsewhere
// may have its name lead to this server's address. Health may be asked by any
// name, for it tells nothing.
func (s *Server) checkHost(r *http.Request) error {
	if !s.hosts[hostname(r.Host)] && r.URL.Path != healthPath && r.URL.Path != readyPath {
		return &failure{status: http.StatusMisdirectedRequest, title: "Unknown server name",
			message: "This server does not answer to that name. An administrator can allow it with --host."}
	}
	return nil
}

// checkOrigin refuses what another site makes a browser send. The JSON interface
// is left out, because it refuses cookies; MCP demands the check. A request that says
// neither where it comes from nor how it was made is no browser of today; with a session
// cookie it is refused rather than believed.
func (s *Server) checkOrigin(r *http.Request) error {
	if (!isAPI(r.URL.Path) || r.URL.Path == mcp.Path) && (s.origins.Check(r) != nil || s.lacksOrigin(r)) {
		return &failure{status: http.StatusForbidden, title: "Sent from elsewhere",
			message: "This form did not come from a page of this server. Nothing was changed."}
	}
	return nil
}

// lacksOrigin reports whether a request that would change something as a signed-in
// user does not say where it comes from.
func (s *Server) lacksOrigin(r *http.Request) bool {
	if !isUnsafeMethod(r.Method) || r.Header.Get(echo.HeaderOrigin) != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		return false
	}
	_, missing := r.Cookie(s.sessions.name)
	return missing == nil
}

func isUnsafeMethod(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// isAPI reports whether programs call an address, with a key and never with a cookie.
func isAPI(path string) bool {
	return path == "/api" || strings.HasPrefix(path, "/api/") || path == mcp.Path
}
