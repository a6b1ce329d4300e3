// Package web serves pages, forms, sessions and live updates to browsers, and
// mounts the JSON interface (web/api) beside them. It has no rule of the product:
// a handler parses the request, calls the domain's service once for what it does,
// builds a view model and renders it.
//
//	routes.go      every address, and who may call it (web/route)
//	sections.go    navigation, safe return paths, what pages refresh after
//	session.go     the cookie and the user of a request
//	csrf.go        form tokens
//	form.go        reading forms, their size limits, their errors
//	form_draft.go  forms that were sent after the session had ended
//	security.go    security headers with the CSP, hosts, origins
//	access_log.go  the log line and the observer of each request
//	error.go       what every error ends in
//	live.go        the stream of events that pages refresh after
//
// web/sse writes all streams. web/budget bounds the memory of request bodies. web/client
// is the Go client of the JSON interface.
package web
