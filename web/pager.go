package web

import (
	"maps"
	"net/url"
	"strings"
)

// pager builds the addresses of a list's pages, which keep its filter.
type pager struct {
	path   string
	filter url.Values
}

// next returns the address of the page at the cursor, "" if there is none.
func (p pager) next(cursor string) string {
	if cursor == "" {
		return ""
	}
	values := maps.Clone(p.filter)
	if values == nil {
		values = url.Values{}
	}
	values.Set("cursor", cursor)
	return withQuery(p.path, encodeNonEmpty(values))
}

// first returns the address of the first page, "" on that page itself.
func (p pager) first(cursor string) string {
	if cursor == "" {
		return ""
	}
	return withQuery(p.path, encodeNonEmpty(p.filter))
}

// encodeNonEmpty encodes the values that are not empty.
func encodeNonEmpty(values url.Values) string {
	set := url.Values{}
	for name := range values {
		if value := values.Get(name); value != "" {
			set.Set(name, value)
		}
	}
	return set.Encode()
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// returnToList returns the address of the list's page from which the form was sent, with
// what was done.
func returnToList(v *visit, list, done string) string {
	query := url.Values{}
	if path, sent, _ := strings.Cut(returnPath(v.Request()), "?"); path == list {
		query, _ = url.ParseQuery(sent) // what of it cannot be read is left out
	}
	query.Set("done", done)
	return withQuery(list, query.Encode())
}
