package web

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/views"
)

const accountPath = "/account"

func (s *Server) account(v *visit) error { return s.showAccount(v, http.StatusOK, noticeOf(v), nil) }

func (s *Server) showAccount(v *visit, status int, notice *views.Notice, wrong views.Errors) error {
	sessions, err := s.svc.OwnSessions(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	view := newAccountView(v.user, sessions, v.Session, s.svc.Now())
	view.Shortcuts, view.Notice, view.Errors = !v.Preferences.ShortcutsOff, notice, wrong
	return s.show(v, status, "Your account", views.Account(view))
}

// browserName shortens a User-Agent to a name such as "Firefox on Linux". One that
// is not recognised stays as it is.
func browserName(agent string) string {
	// The order counts: most claim to be some of those behind them as well.
	browser := firstNamed(agent, "Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "FxiOS/", "Firefox",
		"CriOS/", "Chrome", "Chrome/", "Chrome", "Safari/", "Safari")
	system := firstNamed(agent, "Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows",
		"Mac OS X", "macOS", "CrOS", "ChromeOS", "Linux", "Linux")
	if browser == "" || system == "" {
		return agent
	}
	return browser + " on " + system
}

// firstNamed takes pairs of a mark and a name. It returns the name of the first
// mark that is in the text.
func firstNamed(text string, pairs ...string) string {
	for pair := range slices.Chunk(pairs, 2) {
		if strings.Contains(text, pair[0]) {
			return pair[1]
		}
	}
	return ""
}

func newAccountView(p *domain.Principal, sessions []*domain.Session, current *domain.Session, now time.Time) views.AccountView {
	view := views.AccountView{Name: p.Name}
	for _, role := range p.Roles {
		link := views.Link{Label: role.Name}
		if p.CanReadRoles() {
			link.URL = rolePath(role.ID)
		}
		view.Roles = append(view.Roles, link)
		view.Capabilities = append(view.Capabilities, names(role.Capabilities)...)
	}
	slices.Sort(view.Capabilities)
	view.Capabilities = slices.Compact(view.Capabilities)
	for _, session := range sessions {
		row := views.SessionRow{
			Current: bytes.Equal(session.Hash, current.Hash), Client: browserName(session.Browser),
			Started: views.At(session.CreatedAt), Seen: views.Ago(session.SeenAt, now),
		}
		if !row.Current {
			row.EndURL = accountPath + "/sessions/" + hex.EncodeToString(session.Hash) + "/end"
		}
		view.Sessions = append(view.Sessions, row)
	}
	return view
}

func (s *Server) changePassword(v *visit) error {
	form := v.fields()
	if form.Get("password") != form.Get("password_again") {
		return s.showAccount(v, http.StatusUnprocessableEntity, nil, views.Errors{"password_again": "The two passwords differ."})
	}
	err := s.svc.ChangePassword(v.ctx(), v.ref(), form.Get("current"), form.Get("password"), v.Session.Hash)
	if wrong := refusedForm(err, map[string]string{"old_password": "current", "password": "password"}); wrong != nil {
		retryAfter(v, err)
		return s.showAccount(v, statusOf(err), nil, wrong)
	} else if err != nil {
		return err
	}
	return redirect(v, accountPath+"?done=password-changed")
}

func (s *Server) setShortcuts(v *visit) error {
	if err := s.svc.SetPreferences(v.ctx(), v.ref(), domain.Preferences{ShortcutsOff: v.field("shortcuts") != "1"}); err != nil {
		return err
	}
	return redirect(v, accountPath+"?done=shortcuts-changed")
}

// endSession ends one of the reader's own sessions. It is named by its hash,
// from which no cookie can be made.
func (s *Server) endSession(v *visit) error {
	hash, err := hex.DecodeString(v.Param("id"))
	if err != nil {
		return &domain.Error{Code: domain.CodeNotFound, Message: "There is no such session."}
	}
	if err := s.svc.EndOwnSession(v.ctx(), v.ref(), hash); err != nil {
		return err
	}
	return redirect(v, accountPath+"?done=session-ended")
}
