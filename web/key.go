package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/views"
)

const keysPath = "/keys"

// keyPath is a key's row in the list, wherever in it: keys have no pages.
func keyPath(id string) string {
	return withQuery(keysPath, url.Values{"q": {id}}.Encode()) + "#key-" + url.PathEscape(id)
}

// keyDays is how long a new key lives unless told otherwise, and the most.
const (
	keyDays    = "90"
	maxKeyDays = 3650
)

func (s *Server) keys(v *visit) error {
	return s.showKeys(v, http.StatusOK, noticeOf(v), &views.KeyForm{Days: keyDays})
}

// showKeys renders a page of the list beside the form for a new key.
func (s *Server) showKeys(v *visit, status int, notice *views.Notice, form *views.KeyForm) error {
	name, cursor := v.QueryParam("q"), v.QueryParam("cursor")
	keys, next, err := s.svc.KeyRows(v.ctx(), v.ref(), domain.KeyFilter{Name: name}, domain.Page{Cursor: cursor})
	if err != nil {
		return err
	}
	list := pager{path: keysPath, filter: url.Values{"q": {name}}}
	view := views.KeysView{
		Notice: notice, NextURL: list.next(next), FirstURL: list.first(cursor), Search: newNameSearch(keysPath, "Name or id", name, cursor+next),
	}
	for _, key := range keys {
		view.Rows = append(view.Rows, newKeyRow(key, v.user, s.svc.Now()))
	}
	if v.user.Can(domain.KeyModify) {
		if form.Roles, err = s.roleChoice(v, v.fields()["role"], nil); err != nil {
			return err
		}
		form.Owner = v.field("owner")
		if form.Owners, err = s.owners(v); err != nil {
			return err
		}
		view.Create = form
	} else if form.Errors != nil {
		view.Notice = notSubmittedNotice("You need the capability key.modify to create keys.")
	}
	return s.show(v, status, "Keys", views.Keys(view))
}

// maxOwnerOptions is up to how many users the owner of a key is chosen from a list.
const maxOwnerOptions = 50

// owners are the users that a key may belong to: all of them for who may do
// everything, else the reader alone. It is nil when they are too many to choose from.
func (s *Server) owners(v *visit) (options []views.Option, err error) {
	chosen := v.field("owner")
	if !v.user.Can(domain.Everything) {
		return []views.Option{{Value: v.user.ID, Label: v.user.Name, Selected: chosen == v.user.ID}}, nil
	}
	users, next, err := s.svc.UserRows(v.ctx(), v.ref(), domain.UserFilter{}, domain.Page{Limit: maxOwnerOptions})
	if next != "" {
		return nil, err
	}
	for _, u := range users {
		if !u.Disabled {
			options = append(options, views.Option{Value: u.ID, Label: u.Name, Selected: chosen == u.ID || strings.EqualFold(chosen, u.Name)})
		}
	}
	return options, err
}

func newKeyRow(key *domain.KeyRow, reader *domain.Principal, now time.Time) views.KeyRow {
	row := views.KeyRow{
		ID: key.ID, Name: key.Name, Roles: roleNames(key.HeldRoles), MayDecide: key.MayDecide, Status: key.Status(now),
		Expires: views.At(key.ExpiresAt), LastUsed: views.Ago(key.UsedAt, now),
	}
	if key.OwnerID != "" {
		row.Owner = views.Link{Label: key.Owner}
		if reader.CanReadUsers() {
			row.Owner.URL = userPath(key.OwnerID)
		}
	}
	if key.RevokedAt.IsZero() && reader.Can(domain.KeyModify) {
		row.RevokeURL = keysPath + "/" + url.PathEscape(key.ID) + "/revoke"
	}
	return row
}

// createKey shows the key in its answer: it exists nowhere else.
func (s *Server) createKey(v *visit) error {
	if v.searchesRole() {
		return s.renderKeyDraft(v, http.StatusOK, views.Errors{})
	}
	in := domain.KeyInput{Name: v.field("name"), Roles: v.fields()["role"], Owner: v.field("owner"), MayDecide: v.field("may_decide") == "1"}
	var err error
	if in.Lifetime, err = keyLife(v.field("expires_days")); err == nil {
		var key *domain.Key
		var secret string
		if key, secret, err = s.svc.CreateKey(v.ctx(), v.ref(), in); err == nil {
			return s.showNewKey(v, key, secret)
		}
	}
	names := map[string]string{"name": "name", "roles": "role", "owner": "owner", "expires": "expires_days"}
	if wrong := refusedForm(err, names); wrong != nil {
		return s.renderKeyDraft(v, statusOf(err), wrong)
	}
	return err
}

// renderKeyDraft renders the form with what was sent.
func (s *Server) renderKeyDraft(v *visit, status int, wrong views.Errors) error {
	return s.showKeys(v, status, nil, &views.KeyForm{
		Name: v.field("name"), MayDecide: v.field("may_decide") == "1", Days: v.field("expires_days"), Errors: wrong,
	})
}

// keyLife reads the days after which a key expires; none is never.
func keyLife(days string) (time.Duration, error) {
	if days == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 1 || n > maxKeyDays {
		return 0, domain.Invalid("expires", "limit", "Enter a whole number of days from 1 to %d, or nothing for never.", maxKeyDays)
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

func (s *Server) showNewKey(v *visit, key *domain.Key, secret string) error {
	view := views.KeyCreatedView{
		Name: key.Name, Secret: secret, Expires: views.At(key.ExpiresAt),
		BackURL: keysPath, Connect: newConnectView(s.base.String()),
	}
	view.Connect.Secret, view.Connect.Key = secret, newConnectKey(key.ID, key.Name)
	roles, err := s.svc.RoleOptions(v.ctx(), v.ref(), key.Roles, domain.RoleFilter{}, 1)
	if err != nil {
		return err
	}
	view.Roles = roleNames(roles.Selected)
	return s.show(v, http.StatusOK, "New key", views.KeyCreated(view))
}

func (s *Server) revokeKey(v *visit) error {
	err := s.svc.RevokeKey(v.ctx(), v.ref(), v.Param("id"))
	if isStale(err) {
		return s.showKeys(v, statusOf(err), newRefusal(err), &views.KeyForm{Days: keyDays})
	} else if err != nil {
		return err
	}
	return redirect(v, returnToList(v, keysPath, "key-revoked"))
}
