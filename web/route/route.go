// Package route registers handlers together with what they need, so that no
// address can be mounted without saying who may call it. The table it keeps is
// what the authorisation tests walk over.
package route

import (
	"github.com/labstack/echo/v4"

	"countersign/domain"
)

// Needs says who may call an address: a capability, or one of the constants
// below. It is a declaration for tests and documentation; the service checks.
type Needs string

// What an address may need beside a capability.
const (
	// Public addresses answer everybody: sign-in, assets, health.
	Public Needs = "public"
	// Known addresses answer every signed-in user or valid key; what they show
	// is filtered by what the caller may see.
	Known Needs = "known"
)

// Capability makes a Needs of one or more capabilities, any of which suffices.
func Capability(any ...domain.Capability) Needs {
	text := ""
	for i, c := range any {
		if i > 0 {
			text += " or "
		}
		text += string(c)
	}
	return Needs(text)
}

// Route is one registered address.
type Route struct {
	Method, Path string
	Needs        Needs
}

// Table registers routes on an Echo instance and remembers them.
type Table struct {
	echo   *echo.Echo
	routes []Route
	known  map[address]bool
}

type address struct{ method, path string }

// NewTable returns an empty table that registers on e.
func NewTable(e *echo.Echo) *Table { return &Table{echo: e, known: map[address]bool{}} }

// Add registers a handler.
func (t *Table) Add(method, path string, needs Needs, handler echo.HandlerFunc, middleware ...echo.MiddlewareFunc) {
	t.echo.Add(method, path, handler, middleware...)
	t.routes = append(t.routes, Route{Method: method, Path: path, Needs: needs})
	t.known[address{method, path}] = true
}

// Known reports whether a method is registered for a path, written as it was
// registered.
func (t *Table) Known(method, path string) bool { return t.known[address{method, path}] }

// Routes lists what was registered, in order.
func (t *Table) Routes() []Route { return t.routes }
