package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/views"
)

const rolesPath = "/roles"

func rolePath(id string) string { return rolesPath + "/" + url.PathEscape(id) }

func (s *Server) roles(v *visit) error {
	name, cursor := v.QueryParam("q"), v.QueryParam("cursor")
	roles, next, err := s.svc.RoleRows(v.ctx(), v.ref(), domain.RoleFilter{Name: name}, domain.Page{Cursor: cursor, Bytes: domain.MaxPageBytes})
	if err != nil {
		return err
	}
	list := pager{path: rolesPath, filter: url.Values{"q": {name}}}
	view := views.RolesView{
		Self: withQuery(rolesPath, encodeNonEmpty(url.Values{"q": {name}, "cursor": {cursor}})), Notice: noticeOf(v),
		NextURL: list.next(next), FirstURL: list.first(cursor), Search: newNameSearch(rolesPath, "Name", name, cursor+next),
	}
	if v.user.Can(domain.RoleModify) {
		view.NewURL = rolesPath + "/new"
	}
	for _, role := range roles {
		view.Rows = append(view.Rows, newRoleRow(role))
	}
	return s.show(v, http.StatusOK, "Roles", views.Roles(view))
}

func newRoleRow(role *domain.RoleRow) views.RoleRow {
	return views.RoleRow{
		URL: rolePath(role.ID), Name: role.Name, Description: role.Description, Capabilities: names(role.Capabilities),
		Users: role.Users, Keys: role.Keys, Locked: role.Locked,
	}
}

func names(capabilities []domain.Capability) (list []string) {
	for _, c := range capabilities {
		list = append(list, string(c))
	}
	return list
}

// knownCapabilities are what the editor suggests, by resource.
func knownCapabilities() (groups []views.CapabilityGroup) {
	for _, known := range domain.KnownCapabilities() {
		resource := known.Capability.Resource()
		if known.Capability == domain.Everything {
			resource = "everything"
		}
		if len(groups) == 0 || groups[len(groups)-1].Resource != resource {
			groups = append(groups, views.CapabilityGroup{Resource: resource})
		}
		last := &groups[len(groups)-1]
		last.Capabilities = append(last.Capabilities, string(known.Capability))
	}
	return groups
}

func (s *Server) newRole(v *visit) error {
	return s.showNewRole(v, http.StatusOK, views.RoleView{})
}

func (s *Server) showNewRole(v *visit, status int, view views.RoleView) error {
	if !v.user.Can(domain.RoleModify) {
		return &domain.Error{Code: domain.CodeMissingCapability, Capability: domain.RoleModify, Message: "You need the capability role.modify to create roles."}
	}
	view.Action, view.MayEdit, view.Known = rolesPath, true, knownCapabilities()
	return s.show(v, status, "New role", views.Role(view))
}

// renderNewRoleDraft renders the form with what was sent.
func (s *Server) renderNewRoleDraft(v *visit, status int, wrong views.Errors) error {
	return s.showNewRole(v, status, views.RoleView{
		Name: v.field("name"), Description: v.field("description"), Capabilities: v.field("capabilities"), Lock: locks(v, false), Errors: wrong,
	})
}

func (s *Server) role(v *visit) error { return s.showRole(v, http.StatusOK, nil) }

// showRole renders a role; with errors, the fields hold what was sent.
func (s *Server) showRole(v *visit, status int, wrong views.Errors) error {
	role, use, err := s.svc.Role(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	refs, err := s.svc.RoleReferences(v.ctx(), v.ref(), role.ID)
	if err != nil {
		return err
	}
	view := newRoleView(role, use, v.user)
	view.Uses = append(view.Uses, newRoleReferences(refs)...)
	view.Notice = noticeOf(v)
	if wrong != nil {
		view.Errors, view.Notice = wrong, nil
		if view.Missing == "" && v.fields().Has("name") {
			view.Name, view.Description, view.Capabilities = v.field("name"), v.field("description"), v.field("capabilities")
			view.Lock = locks(v, role.Locked)
		}
	}
	return s.show(v, status, role.Name, views.Role(view))
}

func newRoleView(role *domain.Role, use domain.RoleUse, reader *domain.Principal) views.RoleView {
	may := reader.Can(domain.RoleModify)
	view := views.RoleView{
		ID: role.ID, Action: rolePath(role.ID), MayEdit: may && !role.Locked, Name: role.Name, Description: role.Description,
		Capabilities: strings.Join(names(role.Capabilities), "\n"), Known: knownCapabilities(), Locked: role.Locked, Lock: role.Locked,
		Created: views.At(role.CreatedAt), Updated: views.At(role.UpdatedAt), Uses: newRoleUses(use, reader),
	}
	switch {
	case !may:
		view.Missing = string(domain.RoleModify)
	case role.Locked:
		view.DeleteHint = "You cannot delete a locked role."
	case role.ID == domain.AdminRole:
		view.DeleteHint = "You cannot delete the role admin."
	case use.IsUsed():
		view.DeleteHint = "You cannot delete a role that is in use."
	default:
		view.DeleteURL = rolePath(role.ID) + "/delete"
	}
	return view
}

// roleInput reads the form. lines has the number of the line that each
// capability stands on; empty lines are passed over and nothing else is.
func roleInput(v *visit) (in domain.RoleInput, lines []int) {
	in = domain.RoleInput{Name: v.field("name"), Description: v.field("description")}
	for i, line := range strings.Split(v.field("capabilities"), "\n") {
		if line != "" {
			in.Capabilities, lines = append(in.Capabilities, line), append(lines, i+1)
		}
	}
	return in, lines
}

// locks reports whether the form locks the role. A check box that is not ticked is
// not sent, so the form says apart that it has one; without that word the role
// stays as it is.
func locks(v *visit, before bool) bool {
	if !v.fields().Has("governance") {
		return before
	}
	return v.field("locked") == "1"
}

// refusedRole is refusedForm with the lines that the capabilities stand on.
func refusedRole(err error, lines []int) views.Errors {
	if domain.ErrorCode(err) == domain.CodeInvalid {
		refused := *domain.AsError(err)
		refused.Problems = slices.Clone(refused.Problems)
		for i, p := range refused.Problems {
			var at int
			if n, _ := fmt.Sscanf(p.Path, "capabilities[%d]", &at); n == 1 && at < len(lines) {
				refused.Problems[i].Message = fmt.Sprintf("Line %d: %s.", lines[at], p.Message)
			}
		}
		err = &refused
	}
	return refusedForm(err, map[string]string{"name": "name", "capabilities": "capabilities"})
}

func (s *Server) createRole(v *visit) error {
	in, lines := roleInput(v)
	in.Locked = locks(v, false)
	role, err := s.svc.CreateRole(v.ctx(), v.ref(), in)
	if wrong := refusedRole(err, lines); wrong != nil && v.user.Can(domain.RoleModify) {
		return s.renderNewRoleDraft(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return redirect(v, rolePath(role.ID)+"?done=role-created")
}

func (s *Server) updateRole(v *visit) error {
	in, lines := roleInput(v)
	current, _, err := s.svc.Role(v.ctx(), v.ref(), v.Param("id"))
	if err != nil {
		return err
	}
	in.Locked = locks(v, current.Locked)
	_, err = s.svc.UpdateRole(v.ctx(), v.ref(), current.ID, in)
	if wrong := refusedRole(err, lines); wrong != nil {
		return s.showRole(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return redirect(v, rolePath(current.ID)+"?done=role-saved")
}

func (s *Server) deleteRole(v *visit) error {
	err := s.svc.DeleteRole(v.ctx(), v.ref(), v.Param("id"))
	if wrong := refusedForm(err, nil); wrong != nil {
		return s.showRole(v, statusOf(err), wrong)
	} else if err != nil {
		return err
	}
	return redirect(v, rolesPath+"?done=role-deleted")
}
