package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"countersign/domain"
	"countersign/views"
)

const usersPath = "/users"

func userPath(id string) string { return usersPath + "/" + url.PathEscape(id) }

func (s *Server) users(v *visit) error {
	return s.showUsers(v, http.StatusOK, views.UsersView{Notice: noticeOf(v)}, nil)
}

// showUsers renders a page of the list; wrong is why an invitation was refused.
func (s *Server) showUsers(v *visit, status int, view views.UsersView, wrong views.Errors) error {
	name, cursor := v.QueryParam("q"), v.QueryParam("cursor")
	users, next, err := s.svc.UserRows(v.ctx(), v.ref(), domain.UserFilter{Name: name}, domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	list := pager{path: usersPath, filter: url.Values{"q": {name}}}
	view.NextURL, view.FirstURL = list.next(next), list.first(cursor)
	view.Search = newNameSearch(usersPath, "Name", name, cursor+next)
	view.ShowKeys = v.user.CanReadKeys()
	for _, u := range users {
		row := newUserRow(u, s.svc.Now())
		row.Self = u.ID == v.user.ID
		view.Rows = append(view.Rows, row)
	}
	if v.user.Can(domain.UserModify) {
		view.Invite = &views.InviteForm{Errors: wrong}
		if view.Invite.Roles, err = s.roleChoice(v, v.fields()["role"], nil); err != nil {
			return err
		}
		if wrong != nil {
			view.Invite.Username = v.field("username")
		}
	} else if wrong != nil {
		view.Notice = notSubmittedNotice("You need the capability user.modify to invite users.")
	}
	return s.show(v, status, "Users", views.Users(view))
}

// newNameSearch is the search of a list, of which a page is shown that is not the
// only one if there are cursors; nil where nothing needs to be searched.
func newNameSearch(path, label, words, cursors string) *views.NameSearch {
	if words+cursors == "" {
		return nil
	}
	return &views.NameSearch{Action: path, Label: label, Words: words}
}

func newUserRow(u *domain.UserRow, now time.Time) views.UserRow {
	return views.UserRow{
		URL: userPath(u.ID), Name: u.Name, Roles: roleNames(u.HeldRoles), Status: u.Status(),
		Sessions: u.Sessions, Keys: len(u.Keys), LastSeen: views.Ago(u.SeenAt, now),
	}
}

// oneTimeLink is the address that lets a user choose their password.
func (s *Server) oneTimeLink(name, token string) *views.OneTimeLink {
	link := s.base.JoinPath("/password")
	link.RawQuery = url.Values{"token": {token}}.Encode()
	return &views.OneTimeLink{For: name, URL: link.String(), Expires: views.At(s.svc.Now().Add(domain.OneTimeLinkLifetime))}
}

// inviteUser shows the link in its answer: it exists nowhere else.
func (s *Server) inviteUser(v *visit) error {
	if v.searchesRole() {
		return s.renderInviteDraft(v, http.StatusOK, views.Errors{})
	}
	user, token, err := s.svc.AddUser(v.ctx(), v.ref(), v.field("username"), v.fields()["role"], "")
	if wrong := refusedForm(err, map[string]string{"username": "username", "roles": "role"}); wrong != nil {
		return s.renderInviteDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	delete(v.fields(), "role") // the next invitation begins anew
	delete(v.fields(), "find_role")
	return s.showUsers(v, http.StatusOK, views.UsersView{Link: s.oneTimeLink(user.Name, token)}, nil)
}

// renderInviteDraft renders the form with what was sent.
func (s *Server) renderInviteDraft(v *visit, status int, wrong views.Errors) error {
	return s.showUsers(v, status, views.UsersView{}, wrong)
}

// renderUserDraft renders a user, with the roles that were ticked.
func (s *Server) renderUserDraft(v *visit, status int, wrong views.Errors) error {
	return s.showUser(v, status, views.UserView{Errors: wrong})
}

func (s *Server) user(v *visit) error {
	return s.showUser(v, http.StatusOK, views.UserView{Notice: noticeOf(v)})
}

// showUser renders a user; view brings what the last action led to.
func (s *Server) showUser(v *visit, status int, view views.UserView) error {
	u, err := s.svc.User(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	chosen := u.Roles
	if v.fields().Has("role") || v.searchesRole() {
		chosen = v.fields()["role"]
	}
	if view.Roles, err = s.roleChoice(v, chosen, u.Roles); err != nil {
		return err
	}
	fillUser(&view, u, v.user, s.svc.Now())
	return s.show(v, status, u.Name, views.User(view))
}

// fillUser says who the user is, and what the reader may do about them.
func fillUser(view *views.UserView, u *domain.UserRow, reader *domain.Principal, now time.Time) {
	view.Self = userPath(u.ID)
	view.Name, view.Status, view.IsReader = u.Name, u.Status(), u.ID == reader.ID
	view.Created, view.LastSeen, view.Sessions = views.At(u.CreatedAt), views.Ago(u.SeenAt, now), u.Sessions
	for i, key := range u.Keys {
		if i == maxReferencesShown {
			view.MoreKeys = len(u.Keys) - i
			break
		}
		view.Keys = append(view.Keys, views.Link{Label: key.Name, URL: keyPath(key.ID)})
	}
	for _, role := range u.HeldRoles {
		view.Unknown = view.Unknown || !reader.CanReadRoles() && !reader.Holds(role.ID)
		view.Capabilities = append(view.Capabilities, names(role.Capabilities)...)
	}
	slices.Sort(view.Capabilities)
	view.Capabilities = slices.Compact(view.Capabilities)
	switch {
	case !reader.Can(domain.UserModify):
		view.RolesHint = "You need the capability user.modify to change roles."
		view.StatusHint = "You need the capability user.modify to change the account."
		return
	case view.IsReader:
		view.RolesHint = "You cannot change your own roles. Ask another administrator."
	default:
		view.RolesURL = view.Self + "/roles"
	}
	view.ResetURL, view.EndSessionsURL = view.Self+"/reset", view.Self+"/sessions"
	if u.Disabled {
		view.EnableURL = view.Self + "/enable"
	} else {
		view.DisableURL = view.Self + "/disable"
	}
}

// userAction answers a button about a user that has no fields.
func (s *Server) userAction(done string, act func(ctx context.Context, ref domain.Ref, id string) error) func(*visit) error {
	return func(v *visit) error {
		err := act(v.ctx(), v.ref(), v.Param("id"))
		if wrong := refusedForm(err, nil); wrong != nil {
			return s.renderUserDraft(v, statusOf(err), wrong)
		} else if err != nil {
			return err
		}
		return redirect(v, userPath(v.Param("id"))+"?done="+done)
	}
}

func (s *Server) assignRoles(v *visit) error {
	if v.searchesRole() {
		return s.renderUserDraft(v, http.StatusOK, nil)
	}
	err := s.svc.AssignRoles(v.ctx(), v.ref(), v.Param("id"), v.fields()["role"])
	if wrong := refusedForm(err, map[string]string{"roles": "role"}); wrong != nil {
		return s.renderUserDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return redirect(v, userPath(v.Param("id"))+"?done=roles-assigned")
}

// resetUser shows the link in its answer: it exists nowhere else.
func (s *Server) resetUser(v *visit) error {
	token, err := s.svc.ResetUser(v.ctx(), v.ref(), v.Param("id"))
	if wrong := refusedForm(err, nil); wrong != nil {
		return s.showUser(v, statusOf(err), views.UserView{Errors: wrong})
	} else if err != nil {
		return err
	}
	user, err := s.svc.User(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	return s.showUser(v, http.StatusOK, views.UserView{Link: s.oneTimeLink(user.Name, token)})
}
