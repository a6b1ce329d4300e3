package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"countersign/domain"
	"countersign/store/driver"
)

// maxSteps is how many pending confirms are looked at to list a few of each group.
const maxSteps = 10_000

// ConfirmsByGroup finds the first of each group by stepping along the index of what
// waits of each, from one group to the next as soon as it has enough. So it costs
// the same whatever each group has posted.
func (r *reader) ConfirmsByGroup(f domain.ConfirmFilter, p domain.Page, each int) (list []*domain.ConfirmRow, left map[domain.Group]int, next string, err error) {
	w, err := r.confirmWalk(f)
	if err != nil {
		return nil, nil, "", err
	}
	after := position{order: math.MinInt64}
	if p.Cursor != "" {
		if after, err = w.parse(p.Cursor); err != nil {
			return nil, nil, "", err
		}
	}
	var alone int
	if err := r.Row(ofNoGroup, nil, &alone); err != nil || alone > 0 {
		return nil, nil, "", err
	}
	first, err := r.firstOfGroups(w, each)
	if err != nil {
		return nil, nil, "", err
	}
	groups := map[domain.Group]int{}
	for _, s := range first {
		groups[s.group] = s.n
	}
	if len(groups) < 2 {
		return nil, nil, "", nil
	}
	first = slices.DeleteFunc(first, func(s stepped) bool { return s.n > each || compare(s.at, after) <= 0 })
	slices.SortFunc(first, func(a, b stepped) int { return compare(a.at, b.at) })
	if limit := pageLimit(p); len(first) > limit {
		first = first[:limit]
		next = w.cursor(first[limit-1].at)
	}
	if list, err = r.confirmsNumbered(w, f, first); err != nil {
		return nil, nil, "", err
	}
	left = map[domain.Group]int{}
	for _, s := range first {
		if _, counted := left[s.group]; counted || groups[s.group] <= each {
			continue
		}
		left[s.group] = 0
		if len(w.rowConds) > 0 {
			continue // how many of them pass the filter is not known
		}
		if left[s.group], err = r.pendingOfGroup(s.group, each); err != nil {
			return nil, nil, "", err
		}
	}
	return list, left, next, nil
}

// ofNoGroup counts what waits of no group, as far as one: what the command line
// asks for is.
const ofNoGroup = "SELECT COUNT(*) FROM (SELECT 1 FROM confirms WHERE status = 'pending' AND imported = 0 AND requested_group IS NULL LIMIT 1) found"

// stepped is a confirm at which a step has arrived: the n-th of its group that
// passes the filter.
type stepped struct {
	seq   int64
	group domain.Group
	at    position
	n     int
}

func compare(a, b position) int {
	return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.tie, b.tie))
}

// firstOfGroups are so many of each group, and one more where there are more. It
// is nothing when there are too many groups to look at all of them.
func (r *reader) firstOfGroups(w *listQuery, each int) (list []stepped, err error) {
	steps := 0
	s := groupSteps(w, each)
	err = r.Conn.Query(s.String(), s.args, func(rows driver.Row) error {
		var at stepped
		var group string
		var passes int
		err := rows.Scan(&at.seq, &group, &at.at.order, &at.at.tie, &at.n, &passes)
		if steps++; passes > 0 {
			at.group = domain.Group(group)
			list = append(list, at)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list confirms by group: %w", err)
	}
	if steps >= maxSteps {
		return nil, nil
	}
	return list, nil
}

// groupSteps is the query of firstOfGroups. A step goes to the next confirm in the
// order of groups; once a group has one more than enough, behind all that it has.
// n counts those of a group that pass, and passes reports whether this one does.
func groupSteps(w *listQuery, each int) *statement {
	s := new(statement)
	passes := func() {
		if len(w.rowConds) == 0 {
			s.add("1")
			return
		}
		s.add("CASE")
		for i, c := range w.rowConds {
			s.add([]string{" WHEN (", " AND ("}[min(i, 1)]+c.text+")", c.values...)
		}
		s.add(" THEN 1 ELSE 0 END")
	}
	const columns = "c.requested_seq, c.requested_group, c.inbox_order, c.confirm_id, "
	s.add("WITH RECURSIVE t (seq, grp, ord, id, step, n, passes) AS (SELECT * FROM (SELECT " + columns + "1, ")
	passes()
	s.add(" AS n, ")
	passes()
	s.add(" AS passes FROM confirms c WHERE c.status = 'pending' AND c.imported = 0 AND c.requested_group > ''" +
		" ORDER BY c.requested_group, c.inbox_order, c.confirm_id LIMIT 1) found" +
		" UNION ALL SELECT " + columns + "t.step + 1, CASE WHEN c.requested_group = t.grp THEN t.n ELSE 0 END + ")
	passes()
	s.add(", ")
	passes()
	s.add(fmt.Sprintf(" FROM t JOIN confirms c ON c.requested_seq = (SELECT f.requested_seq FROM confirms f"+
		" WHERE f.status = 'pending' AND f.imported = 0 AND (f.requested_group, f.inbox_order, f.confirm_id) >"+
		" (t.grp, CASE WHEN t.n > %d THEN %d ELSE t.ord END, t.id)"+
		" ORDER BY f.requested_group, f.inbox_order, f.confirm_id LIMIT 1) WHERE t.step < %d)"+
		" SELECT seq, grp, ord, id, n, passes FROM t", each, int64(math.MaxInt64), maxSteps))
	return s
}

// confirmsNumbered reads the rows of confirms, in their order.
func (r *reader) confirmsNumbered(w *listQuery, f domain.ConfirmFilter, of []stepped) (list []*domain.ConfirmRow, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	numbers := make([]any, len(of))
	for i, s := range of {
		numbers[i] = s.seq
	}
	s := new(statement)
	s.where([]condition{in("requested_seq", numbers)})
	found, claims, err := confirms.claimed(r, s.String(), s.args...)
	if err != nil {
		return nil, confirms.wrap("read", err)
	}
	for _, c := range found {
		list = append(list, &domain.ConfirmRow{Confirm: *c})
	}
	if err := r.rowsOf(list, claims, f, w.keyset != byDeadline); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *domain.ConfirmRow) int {
		return compare(positionOf(w.keyset, &a.Confirm), positionOf(w.keyset, &b.Confirm))
	})
	return list, nil
}

// pendingOfGroup counts what waits of a group beyond so many, as far as an inbox
// counts.
func (r *reader) pendingOfGroup(g domain.Group, beyond int) (n int, err error) {
	err = r.Row(fmt.Sprintf(`SELECT COUNT(*) FROM (SELECT 1 FROM confirms WHERE status = 'pending' AND imported = 0
		AND requested_group = $1 LIMIT %d) counted`, beyond+domain.MaxPage+1), []any{string(g)}, &n)
	return n - beyond, err
}
