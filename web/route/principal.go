package route

import (
	"github.com/labstack/echo/v4"

	"countersign/domain"
)

// principal is where a request keeps who acts.
const principal = "principal"

// SetPrincipal notes for the request log who acts.
func SetPrincipal(c echo.Context, ref domain.Ref) { c.Set(principal, ref) }

// Principal is who acts, as far as it is known; false while nobody is.
func Principal(c echo.Context) (ref domain.Ref, ok bool) {
	ref, ok = c.Get(principal).(domain.Ref)
	return ref, ok
}
