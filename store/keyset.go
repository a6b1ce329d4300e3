package store

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/glyph"
)

// keyset is the order of a list: by a number, ties by another column. A page
// begins after the row whose values its cursor holds, so that it costs the same
// however far down it is.
type keyset struct {
	list       string // one letter: a cursor of one list means nothing to another
	table      string
	order, tie string // columns; no tie where the order has none
	descending bool
}

// position is where a row stands in an order.
type position struct {
	order int64
	tie   string // empty where the order has none
}

func (k keyset) cursor(p position) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d:%s", k.list, p.order, p.tie))
}

func (k keyset) parse(cursor string) (position, error) {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.SplitN(string(data), ":", 3)
	if err == nil && len(parts) == 3 && parts[0] == k.list {
		order, err := strconv.ParseInt(parts[1], 10, 64)
		if err == nil {
			return position{order, parts[2]}, nil
		}
	}
	return position{}, domain.ErrBadCursor
}

// columns are those of the order.
func (k keyset) columns() string {
	if k.tie == "" {
		return k.order
	}
	return k.order + ", " + k.tie
}

// sorted is the ORDER BY clause, of columns with the prefix.
func (k keyset) sorted(prefix string) string {
	direction := ""
	if k.descending {
		direction = " DESC"
	}
	clause := " ORDER BY " + prefix + k.order + direction
	if k.tie != "" {
		clause += ", " + prefix + k.tie + direction
	}
	return clause
}

// after is the condition for rows that come after a place.
func (k keyset) after(p position) condition {
	comparison := " > "
	if k.descending {
		comparison = " < "
	}
	if k.tie == "" {
		return condition{k.order + comparison + "?", []any{p.order}}
	}
	return condition{"(" + k.columns() + ")" + comparison + "(?, ?)", []any{p.order, p.tie}}
}

func pageLimit(p domain.Page) int {
	switch {
	case p.Limit <= 0:
		return domain.DefaultPage
	case p.Limit > domain.MaxPage:
		return domain.MaxPage
	}
	return p.Limit
}

// namePage is a page of a table whose rows have a name each that no other has, in
// the order of names: those with the part in it. Its cursors hold nothing but a
// name.
func namePage[T any](r *reader, t *table[T], k keyset, part string, p domain.Page, size func(*T) int, name func(*T) string) (page []*T, next string, err error) {
	var filter []condition
	if p.Cursor != "" {
		after, err := k.parse(p.Cursor)
		if err != nil {
			return nil, "", err
		}
		filter = append(filter, condition{"name_folded > ?", []any{after.tie}})
	}
	if part != "" {
		filter = append(filter, condition{"name_folded LIKE ? ESCAPE '!'", []any{likePattern(glyph.Fold(part))}})
	}
	limit, rest := pageLimit(p), new(statement)
	rest.where(filter)
	rest.add(fmt.Sprintf(" ORDER BY name_folded LIMIT %d", limit+1))
	var claims []claim
	page, full, err := readPage(r, t.selects+rest.String(), rest.args, p, t.claiming(&claims), size)
	if err == nil {
		err = r.prove(claims[:len(page)]...)
	}
	if len(page) > limit {
		page, full = page[:limit], limit
	}
	if full > 0 {
		next = k.cursor(position{tie: glyph.Fold(name(page[full-1]))})
	}
	return page, next, t.wrap("read", err)
}
