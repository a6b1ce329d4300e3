package web

import (
	"maps"
	"net/url"
	"strings"
)

// pager gives the addresses of a list's pages, which keep its filter.
type pager struct {
	path   string
	filter url.Values
}

// next is the page at the cursor, empty when there is none.
func (p pager) next(cursor string) string {
	if cursor == "" {
		return ""
	}
	values := maps.Clone(p.filter)
	if values == nil {
		values = url.Values{}
	}
	values.Set("cursor", cursor)
	return withQuery(p.path, encodeSet(values))
}

// first leads back to the first page from the one at the cursor; on the first
// it is empty.
func (p pager) first(cursor string) string {
	if cursor == "" {
		return ""
	}
	return withQuery(p.path, encodeSet(p.filter))
}

// encodeSet encodes the values that are not empty.
func encodeSet(values url.Values) string {
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

// returning is the page of the list that a form was sent from, with what was done.
func returning(v *visit, list, done string) string {
	query := url.Values{}
	if path, sent, _ := strings.Cut(cameFrom(v.Request()), "?"); path == list {
		query, _ = url.ParseQuery(sent) // what of it cannot be read is left out
	}
	query.Set("done", done)
	return withQuery(list, query.Encode())
}
