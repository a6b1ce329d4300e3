package web

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/route"
)

// sessionStore is gorilla's Store over the service's sessions. The cookie holds
// nothing but the opaque token, which is the session's ID here; who it belongs
// to is looked up with every request.
type sessionStore struct {
	svc     *domain.Service
	name    string
	options sessions.Options
}

var _ sessions.Store = (*sessionStore)(nil)

// visitorKey is that of a session's only value.
type visitorKey struct{}

func newSessionStore(svc *domain.Service, https bool) *sessionStore {
	return &sessionStore{svc: svc, name: cookieName("countersign", https), options: cookieOptions(https, domain.SessionLifetime)}
}

// cookieName adds the prefix by which browsers hold a cookie to this very host.
func cookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}

// cookieOptions sets every field: gorilla's zero values are not safe.
func cookieOptions(https bool, life time.Duration) sessions.Options {
	return sessions.Options{
		Path: "/", Domain: "", MaxAge: int(life.Seconds()),
		Secure: https, HttpOnly: true, Partitioned: false, SameSite: http.SameSiteLaxMode,
	}
}

// Get implements sessions.Store: the session is looked up once per request.
func (s *sessionStore) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New implements sessions.Store. A missing, unknown or ended session is a new
// one without values; the error is that of the database.
func (s *sessionStore) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	options := s.options
	session.Options, session.IsNew = &options, true
	cookie, err := r.Cookie(name)
	if err != nil {
		return session, nil
	}
	find := s.svc.SessionUser
	if isBackgroundRequest(r) {
		find = s.svc.PeekSession
	}
	visitor, err := find(r.Context(), cookie.Value)
	if domain.ErrorCode(err) == domain.CodeUnauthenticated {
		return session, nil
	} else if err != nil {
		return session, err
	}
	session.ID, session.IsNew = cookie.Value, false
	session.Values[visitorKey{}] = visitor
	return session, nil
}

// isBackgroundRequest reports whether a page sent the request by itself. Scripts only ever
// GET what the page refreshes and the stream of signals, whether anybody looks
// at it or not. A hidden page follows the stream without a header that says so.
func isBackgroundRequest(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.Header.Get(headerHTMX) == "true" || r.URL.Path == livePath || r.URL.Path == waitingPath)
}

// Save implements sessions.Store. A negative MaxAge ends the session and takes
// the cookie away, this also while nothing can be stored.
func (s *sessionStore) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) (err error) {
	if session.Options.MaxAge < 0 {
		err = s.svc.SignOut(r.Context(), session.ID)
		session.ID = ""
	}
	http.SetCookie(w, sessions.NewCookie(session.Name(), session.ID, session.Options))
	return err
}

// visit is one request of a signed-in user.
type visit struct {
	echo.Context
	*domain.Visitor // as read before anything else
	user            *domain.Principal
	token           string                  // the cookie's, from which the form token is made
	pending         *domain.PendingConfirms // see Server.pending
	address         string                  // of the page, where it answers a form that was sent elsewhere
}

// visit finds who is asking; nobody is CodeUnauthenticated.
func (s *Server) visit(c echo.Context) (*visit, error) {
	session, err := s.sessions.Get(c.Request(), s.sessions.name)
	if err != nil {
		return nil, err
	}
	if session.IsNew {
		return nil, &domain.Error{Code: domain.CodeUnauthenticated, Message: "Sign in first."}
	}
	visitor := session.Values[visitorKey{}].(*domain.Visitor)
	route.SetPrincipal(c, visitor.Principal.Ref)
	return &visit{Context: c, Visitor: visitor, user: visitor.Principal, token: session.ID}, nil
}

func (v *visit) ctx() context.Context { return v.Request().Context() }

func (v *visit) ref() domain.Ref { return v.user.Ref }

// signIn sets the cookie of a new session and ends the former one, which somebody
// else may have set (session fixation).
func (s *Server) signIn(c echo.Context, token string) error {
	session, err := s.sessions.Get(c.Request(), s.sessions.name)
	if err != nil {
		return err
	}
	if !session.IsNew {
		if err := s.svc.SignOut(c.Request().Context(), session.ID); err != nil {
			return err
		}
	}
	session.ID, session.IsNew = token, false
	return session.Save(c.Request(), c.Response())
}

// signOut ends the session and takes its cookie away.
func (s *Server) signOut(v *visit) error {
	session, err := s.sessions.Get(v.Request(), s.sessions.name)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(v.Request(), v.Response())
}
