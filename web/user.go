package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/views"
	"countersign/web/route"
)

const usersPath = "/users"

func userPath(id string) string { return usersPath + "/" + url.PathEscape(id) }

func (s *Server) mountUsers() {
	reads, modifies := route.Capability(domain.UserRead, domain.UserModify), route.Capability(domain.UserModify)
	s.page(usersPath, reads, s.users)
	s.page(usersPath+"/:id", reads, s.user)
	s.typed(usersPath, modifies, s.inviteUser, s.inviteAgain)
	s.typed(usersPath+"/:id/roles", modifies, s.assignRoles, s.userAgain)
	s.form(usersPath+"/:id/reset", modifies, s.resetUser)
	s.form(usersPath+"/:id/disable", modifies, s.afterUser("user-disabled", s.svc.DisableUser))
	s.form(usersPath+"/:id/enable", modifies, s.afterUser("user-enabled", s.svc.EnableUser))
	s.form(usersPath+"/:id/sessions", modifies, s.afterUser("sessions-ended", s.svc.EndSessions))
}

func (s *Server) users(v *visit) error {
	return s.showUsers(v, http.StatusOK, views.UsersView{Notice: noticeOf(v)}, nil)
}

// showUsers renders the list; wrong is why an invitation was refused.
func (s *Server) showUsers(v *visit, status int, view views.UsersView, wrong views.Errors) error {
	users, err := s.svc.UserRows(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	roles, err := s.grantable(v)
	if err != nil {
		return err
	}
	view.Self, view.ShowKeys = usersPath, v.who.CanAny(domain.KeyRead, domain.KeyModify)
	for _, u := range users {
		row := newUserRow(u, roles, s.svc.Now())
		row.Self = u.ID == v.who.ID
		view.Rows = append(view.Rows, row)
	}
	if v.who.Can(domain.UserModify) {
		chosen := v.fields()["role"]
		view.Invite = &views.InviteForm{Roles: roleOptions(v.who, roles, chosen, nil), Errors: wrong}
		if wrong != nil {
			view.Invite.Username = v.field("username")
		}
	} else if wrong != nil {
		view.Notice = uncounted("Inviting users needs the capability user.modify.")
	}
	return s.show(v, status, "Users", views.SectionUsers, views.Users(view))
}

// grantable are the roles that the reader may look at when giving some away:
// all of them, or without role.read their own.
func (s *Server) grantable(v *visit) ([]*domain.Role, error) {
	if !v.who.CanAny(domain.RoleRead, domain.RoleModify) {
		return v.who.Roles, nil
	}
	return s.svc.Roles(v.ctx(), v.ref())
}

// keysOf names the keys of a user, as far as the reader may see keys.
func (s *Server) keysOf(v *visit, userID string) (links []views.Link, err error) {
	if !v.who.CanAny(domain.KeyRead, domain.KeyModify) {
		return nil, nil
	}
	keys, err := s.svc.Keys(v.ctx(), v.ref())
	for _, key := range keys {
		if key.OwnerID == userID && key.Live(s.svc.Now()) {
			links = append(links, views.Link{Label: key.Name, URL: keyPath(key.ID)})
		}
	}
	return links, err
}

// roleOptions are check boxes for roles. A role that the reader does not hold
// cannot be given; one that is held already can be left as it is, and comes
// first, where it is seen.
func roleOptions(reader *domain.Principal, roles []*domain.Role, chosen, held []string) (options []views.Option) {
	later := func(role *domain.Role) int {
		if slices.Contains(held, role.ID) {
			return 0
		}
		return 1
	}
	roles = slices.SortedStableFunc(slices.Values(roles), func(a, b *domain.Role) int { return cmp.Compare(later(a), later(b)) })
	for _, role := range roles {
		options = append(options, views.Option{
			Value: role.ID, Label: role.Name, Hint: strings.Join(names(role.Capabilities), ", "),
			Selected: slices.Contains(chosen, role.ID), Disabled: !reader.Covers(role) && !slices.Contains(held, role.ID),
		})
	}
	return options
}

// roleNames names roles; one that the reader cannot look up keeps its id.
func roleNames(ids []string, roles []*domain.Role) (list []string) {
	for _, id := range ids {
		name := id
		for _, role := range roles {
			if role.ID == id {
				name = role.Name
			}
		}
		list = append(list, name)
	}
	return list
}

func userStatus(u *domain.User) string {
	switch {
	case u.Disabled:
		return "disabled"
	case u.Password == "":
		return "invited"
	}
	return "active"
}

func newUserRow(u *domain.UserRow, roles []*domain.Role, now time.Time) views.UserRow {
	return views.UserRow{
		ID: u.ID, URL: userPath(u.ID), Name: u.Name, Roles: roleNames(u.Roles, roles), Status: userStatus(&u.User),
		Sessions: u.Sessions, Keys: u.Keys, LastSeen: views.Ago(u.SeenAt, now),
	}
}

// oneTimeLink is the address that lets a user choose their password.
func (s *Server) oneTimeLink(name, token string) *views.OneTimeLink {
	link := s.base.JoinPath("/password")
	link.RawQuery = url.Values{"token": {token}}.Encode()
	return &views.OneTimeLink{For: name, URL: link.String(), Expires: views.At(s.svc.Now().Add(domain.LinkLife))}
}

// inviteUser shows the link in its answer: it exists nowhere else.
func (s *Server) inviteUser(v *visit) error {
	user, token, err := s.svc.AddUser(v.ctx(), v.ref(), v.field("username"), v.fields()["role"], "")
	if wrong := refusedForm(err, map[string]string{"username": "username", "roles": "role"}); wrong != nil {
		return s.inviteAgain(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	delete(v.fields(), "role") // the next invitation begins anew
	return s.showUsers(v, http.StatusOK, views.UsersView{Link: s.oneTimeLink(user.Name, token)}, nil)
}

// inviteAgain renders the form with what was sent.
func (s *Server) inviteAgain(v *visit, status int, wrong views.Errors) error {
	return s.showUsers(v, status, views.UsersView{}, wrong)
}

// userAgain renders a user, with the roles that were ticked.
func (s *Server) userAgain(v *visit, status int, wrong views.Errors) error {
	return s.showUser(v, status, views.UserView{Errors: wrong})
}

func (s *Server) user(v *visit) error {
	return s.showUser(v, http.StatusOK, views.UserView{Notice: noticeOf(v)})
}

// showUser renders a user; view brings what the last action led to.
func (s *Server) showUser(v *visit, status int, view views.UserView) error {
	u, sessions, err := s.svc.User(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	roles, err := s.grantable(v)
	if err != nil {
		return err
	}
	if view.Keys, err = s.keysOf(v, u.ID); err != nil {
		return err
	}
	now, seen := s.svc.Now(), time.Time{}
	for _, session := range sessions {
		if session.Live(now) {
			view.Sessions++
		}
		if session.SeenAt.After(seen) {
			seen = session.SeenAt
		}
	}
	view.LastSeen = views.Ago(seen, now)
	chosen := u.Roles
	if v.fields().Has("role") {
		chosen = v.fields()["role"]
	}
	fillUser(&view, u, roles, chosen, v.who)
	return s.show(v, status, u.Name, views.SectionUsers, views.User(view))
}

// fillUser says who the user is, with the chosen roles ticked, and what the
// reader may do about them.
func fillUser(view *views.UserView, u *domain.User, roles []*domain.Role, chosen []string, reader *domain.Principal) {
	view.Self = userPath(u.ID)
	view.ID, view.Name, view.Status, view.IsReader = u.ID, u.Name, userStatus(u), u.ID == reader.ID
	view.Roles, view.Created = roleOptions(reader, roles, chosen, u.Roles), views.At(u.CreatedAt)
	for _, role := range roles {
		if slices.Contains(u.Roles, role.ID) {
			view.Capabilities = append(view.Capabilities, names(role.Capabilities)...)
		}
	}
	slices.Sort(view.Capabilities)
	view.Capabilities = slices.Compact(view.Capabilities)
	switch {
	case !reader.Can(domain.UserModify):
		view.RolesHint = "Changing them needs the capability user.modify."
		view.StatusHint = "Changing the account needs the capability user.modify."
		return
	case view.IsReader:
		view.RolesHint = "Nobody changes their own roles. Ask another administrator."
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

// afterUser answers a button about a user that has no fields.
func (s *Server) afterUser(done string, act func(ctx context.Context, ref domain.Ref, id string) error) func(*visit) error {
	return func(v *visit) error {
		err := act(v.ctx(), v.ref(), v.Param("id"))
		if wrong := refusedForm(err, nil); wrong != nil {
			return s.userAgain(v, statusOf(err), wrong)
		} else if err != nil {
			return err
		}
		return goTo(v, userPath(v.Param("id"))+"?done="+done)
	}
}

func (s *Server) assignRoles(v *visit) error {
	err := s.svc.AssignRoles(v.ctx(), v.ref(), v.Param("id"), v.fields()["role"])
	if wrong := refusedForm(err, map[string]string{"roles": "role"}); wrong != nil {
		return s.userAgain(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return goTo(v, userPath(v.Param("id"))+"?done=roles-assigned")
}

// resetUser shows the link in its answer: it exists nowhere else.
func (s *Server) resetUser(v *visit) error {
	token, err := s.svc.ResetUser(v.ctx(), v.ref(), v.Param("id"))
	if wrong := refusedForm(err, nil); wrong != nil {
		return s.showUser(v, statusOf(err), views.UserView{Errors: wrong})
	} else if err != nil {
		return err
	}
	user, _, err := s.svc.User(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	return s.showUser(v, http.StatusOK, views.UserView{Link: s.oneTimeLink(user.Name, token)})
}
