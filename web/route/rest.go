package route

import "github.com/labstack/echo/v4"

// Rest is what is left of a request whose handler has returned and taken its
// connection with it. Once it is answered it says how many more bytes it sent; a
// request that comes back says nothing.
type Rest func(answered func(sent int64))

const rest = "rest"

// SetRest has whoever logs the request run its rest, on a goroutine of its own.
func SetRest(c echo.Context, r Rest) { c.Set(rest, r) }

// RestOf is what is left of a request, nil for nothing.
func RestOf(c echo.Context) Rest {
	r, _ := c.Get(rest).(Rest)
	return r
}
