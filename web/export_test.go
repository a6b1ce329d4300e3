package web

import "github.com/labstack/echo/v4"

// EchoRoutes are the routes as Echo has them, to hold the table against.
func (s *Server) EchoRoutes() []*echo.Route { return s.echo.Routes() }

// BrowserName is how the page of an account names where one is signed in.
var BrowserName = browserName
