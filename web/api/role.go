package api

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

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
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	roles, next, err := a.service.RoleRows(c.Request().Context(), by, domain.RoleFilter{}, page)
	if err != nil {
		return err
	}
	objects := make([][]byte, len(roles))
	for i, role := range roles {
		objects[i] = role.Native
	}
	return writeList(c, mplp.CanonicalRole, objects, next)
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

// can answers the role module's check.
func (a *api) can(c echo.Context, by domain.Ref) error {
	capability := c.QueryParam("capability")
	if capability == "" {
		return domain.Invalid("capability", "required", "Send the capability to check.")
	}
	allowed, err := a.service.RoleCan(c.Request().Context(), by, param(c, "id"), capability)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, struct {
		Allowed bool `json:"allowed"`
	}{allowed})
}
