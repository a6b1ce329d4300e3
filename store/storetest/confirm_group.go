package storetest

import (
	"context"
	"fmt"
	"testing"

	"countersign/domain"
)

// testConfirmsByGroup: of a group that floods the list as many are listed as of
// any other, in the list's order, and every page goes on where the one before it
// ended.
func testConfirmsByGroup(t *testing.T, s Store) {
	received := 0
	add := func(id string, group domain.Group, edit func(*domain.Confirm)) *domain.Confirm {
		received++
		return confirm(id, func(c *domain.Confirm) {
			c.RequestedGroup, c.ReceivedAt, c.ExpiresAt = group, at(received), at(1_000+received)
		}, edit)
	}
	none := func(*domain.Confirm) {}
	type page struct {
		ids  []string
		left map[domain.Group]int
		next string
	}
	list := func(f domain.ConfirmFilter, p domain.Page, each int) (got page) {
		t.Helper()
		f.Visible = everything
		view(t, s, func(r domain.Reader) error {
			rows, left, next, err := r.ConfirmsByGroup(f, p, each)
			for _, row := range rows {
				got.ids = append(got.ids, row.ID)
			}
			got.left, got.next = left, next
			return err
		})
		return got
	}
	pending := domain.ConfirmFilter{Status: domain.Pending}
	if got := list(pending, domain.Page{}, 3); got.left != nil || got.ids != nil {
		t.Errorf("nobody waits, and there is %v", got)
	}
	var flood []*domain.Confirm
	for i := range 300 {
		flood = append(flood, add(fmt.Sprintf("f%03d", i), "user:f", func(c *domain.Confirm) {
			if i%2 == 1 {
				c.RequiredRole = "r1"
			}
		}))
	}
	insert(t, s, flood...)
	if got := list(pending, domain.Page{}, 3); got.left != nil || got.ids != nil {
		t.Errorf("one group waits, and there is %v", got)
	}
	decided := add("decided", "key:d", func(c *domain.Confirm) { c.Status, c.DecidedAt = domain.Approved, at(50) })
	imported := add("imported", "key:d", func(c *domain.Confirm) { c.Imported = true })
	insert(t, s, decided, imported,
		add("a1", "key:a", none), add("a2", "key:a", none), add("a3", "key:a", none), add("a4", "key:a", none), add("z1", "user:z", none),
		add("late", "key:a", func(c *domain.Confirm) { c.ExpiresAt = at(1) })) // the last that came is the first to end

	got := list(pending, domain.Page{}, 3)
	same(t, "three of each", []string{"late", "f000", "f001", "f002", "a1", "a2", "z1"}, got.ids)
	same(t, "what is left", map[domain.Group]int{"user:f": domain.MaxPage + 1, "key:a": 2}, got.left)
	same(t, "no further page", "", got.next)
	same(t, "all have enough room", map[domain.Group]int{}, list(pending, domain.Page{}, 300).left)

	var ids []string
	left := map[domain.Group]int{}
	for p := (domain.Page{Limit: 2}); ; {
		part := list(pending, p, 3)
		if len(part.ids) == 0 || len(part.ids) > 2 {
			t.Fatalf("a page of %v", part.ids)
		}
		ids = append(ids, part.ids...)
		for g, n := range part.left {
			left[g] = n
		}
		if p.Cursor = part.next; p.Cursor == "" {
			break
		}
	}
	same(t, "page by page", got.ids, ids)
	same(t, "what is left, page by page", got.left, left)

	mine := domain.ConfirmFilter{Mine: true, Decider: domain.Visibility{Decides: true, Group: "key:a"}}
	got = list(mine, domain.Page{}, 3)
	same(t, "three of each that pass the filter", []string{"f000", "f002", "f004", "z1"}, got.ids)
	same(t, "what is left, not counted", map[domain.Group]int{"user:f": 0}, got.left)
	role := domain.ConfirmFilter{Status: domain.Pending, RequestedByRole: "nobody"}
	if got := list(role, domain.Page{}, 3); got.ids != nil {
		t.Errorf("nothing passes, and there is %v", got.ids)
	}

	all := listed(t, s, domain.ConfirmFilter{Status: domain.Pending, Group: "user:f", Visible: everything})
	same(t, "all of a group", 300, len(all))
	same(t, "in the order of the list", []string{"f000", "f001", "f299"}, []string{all[0], all[1], all[299]})
	same(t, "all of another", []string{"late", "a1", "a2", "a3", "a4"}, listed(t, s, domain.ConfirmFilter{Status: domain.Pending, Group: "key:a", Visible: everything}))
	same(t, "of one that is not visible", []string(nil),
		listed(t, s, domain.ConfirmFilter{Status: domain.Pending, Group: "key:a", Visible: domain.Visibility{Group: "user:z"}}))

	err := s.View(context.Background(), func(r domain.Reader) error {
		_, _, _, err := r.ConfirmsByGroup(pending, domain.Page{Cursor: "eHg"}, 3)
		return err
	})
	same(t, "a cursor of another list", domain.CodeInvalid, domain.ErrorCode(err))
	insert(t, s, add("system", "", none)) // what the command line asks for is of no group
	if got := list(pending, domain.Page{}, 3); got.left != nil {
		t.Errorf("not all can be listed, and there is %v", got)
	}
}
