package api

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/route"
)

func (a *api) roles(add adder) {
	read, modify := route.Capability(domain.RoleRead, domain.RoleModify), route.Capability(domain.RoleModify)
	add(http.MethodPost, "/roles", modify, a.creating(a.postRole))
	add(http.MethodGet, "/roles", read, a.listRoles)
	add(http.MethodGet, "/roles/:id", read, a.getRole)
	add(http.MethodPut, "/roles/:id", modify, a.putRole)
	add(http.MethodDelete, "/roles/:id", modify, a.deleteRole)
	add(http.MethodGet, "/roles/:id/can", route.Known, a.can)
}

func (a *api) postRole(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseRole)
	if err != nil {
		return err
	}
	role, err := a.service.CreateRole(c.Request().Context(), by, domain.RoleFromJSON(in))
	if err != nil {
		return err
	}
	if err := warn(c, in.Warnings); err != nil {
		return err
	}
	return writePosted(c, true, "/roles/"+url.PathEscape(role.ID), mplp.CanonicalRole, role.Native)
}

func (a *api) listRoles(c echo.Context, by domain.Ref) error {
	page, err := page(c)
	if err != nil {
		return err
	}
	roles, err := a.service.Roles(c.Request().Context(), by)
	if err != nil {
		return err
	}
	part, next, err := cutRoles(roles, page)
	if err != nil {
		return err
	}
	objects := make([][]byte, len(part))
	for i, role := range part {
		objects[i] = role.Native
	}
	return writeList(c, mplp.CanonicalRole, objects, next)
}

// cutRoles takes one page out of all roles, of which there are few. A cursor is
// the id of the last role before the page.
func cutRoles(roles []*domain.Role, page domain.Page) (part []*domain.Role, next string, err error) {
	if page.Cursor != "" {
		i := slices.IndexFunc(roles, func(r *domain.Role) bool { return r.ID == page.Cursor })
		if i < 0 {
			return nil, "", domain.Invalid("cursor", "format", "The cursor is none that this list gave, or its role is gone.")
		}
		roles = roles[i+1:]
	}
	if len(roles) <= page.Limit {
		return roles, "", nil
	}
	return roles[:page.Limit], roles[page.Limit-1].ID, nil
}

func (a *api) getRole(c echo.Context, by domain.Ref) error {
	role, _, err := a.service.Role(c.Request().Context(), by, param(c, "id"))
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalRole, role.Native)
}

func (a *api) putRole(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseRole)
	if err != nil {
		return err
	}
	role, err := a.service.UpdateRole(c.Request().Context(), by, param(c, "id"), domain.RoleFromJSON(in))
	if err != nil {
		return err
	}
	if err := warn(c, in.Warnings); err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalRole, role.Native)
}

func (a *api) deleteRole(c echo.Context, by domain.Ref) error {
	if err := a.service.DeleteRole(c.Request().Context(), by, param(c, "id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// can answers S1's check (requirements ).
func (a *api) can(c echo.Context, by domain.Ref) error {
	capability := c.QueryParam("capability")
	if capability == "" {
		return domain.Invalid("capability", "required", "Name the capability to check.")
	}
	allowed, err := a.service.Can(c.Request().Context(), by, param(c, "id"), capability)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, struct {
		Allowed bool `json:"allowed"`
	}{allowed})
}
