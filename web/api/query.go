package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

// formCanonical asks for objects that validate against the official schemas.
const formCanonical = "canonical"

// checkQuery refuses what could be read in two ways, and forms of objects that
// there are none of: a filter that is silently dropped shows too much.
func checkQuery(query url.Values, malformed error) error {
	if malformed != nil {
		return domain.Invalid("", "format", "The query string is malformed.")
	}
	for name, values := range query {
		if len(values) > 1 {
			return domain.Invalid(name, "unique", "The parameter %s was sent more than once.", name)
		}
	}
	if form := query.Get("form"); form != "" && form != "native" && form != formCanonical {
		return domain.Invalid("form", "enum", "form must be native or canonical.")
	}
	return nil
}

// enumParam reads a parameter that has only some values; empty is none.
func enumParam[T ~string](c echo.Context, name string, allowed ...T) (T, error) {
	value := T(c.QueryParam(name))
	if value == "" || slices.Contains(allowed, value) {
		return value, nil
	}
	words := make([]string, len(allowed))
	for i, a := range allowed {
		words[i] = string(a)
	}
	return "", domain.Invalid(name, "enum", "%s must be one of %s.", name, strings.Join(words, ", "))
}

// pageParam reads which part of a list is asked for.
func pageParam(c echo.Context) (domain.Page, error) {
	p := domain.Page{Limit: domain.DefaultPage, Cursor: c.QueryParam("cursor"), Bytes: domain.MaxPageBytes}
	text := c.QueryParam("limit")
	if text == "" {
		return p, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || !isDigits(text) {
		return p, domain.Invalid("limit", "type_error", "limit must be a whole number.")
	}
	if n < 1 || n > domain.MaxPage {
		return p, domain.Invalid("limit", "limit", "limit must be from 1 to %d.", domain.MaxPage)
	}
	p.Limit = n
	return p, nil
}

// waitParam reads how long the caller is ready to wait: whole seconds, and no more
// than the server's own limit however many are asked for.
func waitParam(c echo.Context) (time.Duration, error) {
	text := c.QueryParam("wait")
	if text == "" {
		return 0, nil
	}
	if !isDigits(text) {
		return 0, domain.Invalid("wait", "type_error", "wait must be a whole number of seconds.")
	}
	seconds, err := strconv.Atoi(text)
	if most := int(domain.MaxWait / time.Second); err != nil || seconds > most {
		seconds = most
	}
	return time.Duration(seconds) * time.Second, nil
}

func isDigits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}
