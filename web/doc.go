// Package web is what browsers talk to: pages and fragments, sessions, the live
// stream, health, and the mounting of the JSON interface (web/api) beside them.
// It owns no rule of the product: every handler parses, makes one call of the
// domain's service for what it does, builds a view model and renders it.
//
// [Server] is the whole of it. Addresses are registered through web/route, so
// that each says who may call it; what wraps every request stands in request.go
// and secure.go, what every form goes through in form.go, what becomes of one
// whose session is over in kept.go, and what every error ends in, in error.go.
//
// Streams, page signals and those of web/api, are written by web/sse. What bodies of
// requests take while they are on their way is bounded by web/budget.
package web
