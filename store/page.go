package store

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/mplp"
)

// keyset is the order of a list: by a number, ties by id. A page begins after
// the row whose two values its cursor holds, so that it costs the same however
// far down it is.
type keyset struct {
	list       string // one letter: a cursor of one list means nothing to another
	order, id  string // columns
	descending bool
}

func (k keyset) cursor(order int64, id string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d:%s", k.list, order, id))
}

func (k keyset) parse(cursor string) (order int64, id string, err error) {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.SplitN(string(data), ":", 3)
	if err == nil && len(parts) == 3 && parts[0] == k.list {
		order, err = strconv.ParseInt(parts[1], 10, 64)
		if err == nil {
			return order, parts[2], nil
		}
	}
	const message = "The cursor is none that this list gave."
	return 0, "", &domain.Error{Code: domain.CodeInvalid, Message: message,
		Problems: []mplp.Problem{{Path: "cursor", Code: "format", Message: message}}}
}

// query collects the conditions of a list and their arguments.
type query struct {
	conditions []string
	args       []any
}

// and adds a condition; each ? in it stands for the next of the values.
func (q *query) and(condition string, values ...any) {
	for _, v := range values {
		q.args = append(q.args, v)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(q.args)), 1)
	}
	q.conditions = append(q.conditions, condition)
}

// equal narrows to rows with the value, unless it is empty.
func (q *query) equal(column, value string) {
	if value != "" {
		q.and(column+" = ?", value)
	}
}

// owned narrows to what the reader may see of objects that nobody decides.
func (q *query) owned(v domain.Visibility) {
	if !v.All {
		q.and("requested_group = ?", string(v.Group))
	}
}

// where is the conditions as a clause.
func (q *query) where() string {
	if len(q.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(q.conditions, " AND ")
}

// page is the rest of a query for one page. One row more than the page holds
// is asked for: it says whether there is a next page.
func (q *query) page(p domain.Page, k keyset) (string, error) {
	comparison, direction := ">", ""
	if k.descending {
		comparison, direction = "<", " DESC"
	}
	if p.Cursor != "" {
		order, id, err := k.parse(p.Cursor)
		if err != nil {
			return "", err
		}
		q.and(fmt.Sprintf("(%s, %s) %s (?, ?)", k.order, k.id, comparison), order, id)
	}
	return fmt.Sprintf("%s ORDER BY %s%s, %s%s LIMIT %d",
		q.where(), k.order, direction, k.id, direction, pageLimit(p)+1), nil
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

// cut drops the row beyond the page; next is the cursor of the last row left.
func cut[T any](list []T, p domain.Page, cursor func(T) string) (page []T, next string) {
	limit := pageLimit(p)
	if len(list) <= limit {
		return list, ""
	}
	return list[:limit], cursor(list[limit-1])
}
