package store

import (
	"context"
	"strings"
	"testing"

	"countersign/domain"
)

// A page must cost the same however long the list is: it is read along an
// index, from the cursor on, and never sorted.
func TestListsFollowIndexes(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	everything := domain.Visibility{All: true}
	lists := map[string]struct {
		filter domain.ConfirmFilter
		index  string
	}{
		"inbox":               {domain.ConfirmFilter{Status: domain.Pending, Visible: everything}, "confirms_inbox"},
		"inbox of a decider":  {domain.ConfirmFilter{Status: domain.Pending, Visible: domain.Visibility{Group: "g", Decides: true, Roles: []string{"r"}}}, "confirms_inbox"},
		"mine to decide":      {domain.ConfirmFilter{Mine: true, Visible: everything, Decider: domain.Visibility{Group: "g", Roles: []string{"r", "s"}}}, "confirms_inbox"},
		"pending by receipt":  {domain.ConfirmFilter{Status: domain.Pending, NewestFirst: true, WithImports: true, Visible: everything}, "confirms_pending"},
		"decided":             {domain.ConfirmFilter{Decided: true, Visible: everything}, "confirms_decided"},
		"rejected":            {domain.ConfirmFilter{Status: domain.Rejected, Visible: everything}, "confirms_decided"},
		"all":                 {domain.ConfirmFilter{WithImports: true, NewestFirst: true, Visible: everything}, "confirms_received"},
		"a group's":           {domain.ConfirmFilter{WithImports: true, NewestFirst: true, Visible: domain.Visibility{Group: "g"}}, "confirms_group"},
		"a target's":          {domain.ConfirmFilter{TargetID: "t", NewestFirst: true, Visible: everything}, "confirms_target"},
		"a session's":         {domain.ConfirmFilter{SessionID: "s", NewestFirst: true, WithImports: true, Visible: everything}, "confirms_session"},
		"a trace's, all":      {domain.ConfirmFilter{TraceID: "t", NewestFirst: true, WithImports: true, Visible: everything}, "confirms_trace"},
		"all, of a principal": {domain.ConfirmFilter{WithImports: true, Visible: domain.Visibility{Group: "g"}}, "confirms_group"},
	}
	for name, tt := range lists {
		q, order, err := confirmQuery(tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := q.page(domain.Page{Cursor: order.cursor(1, "id")}, order)
		if err != nil {
			t.Fatal(err)
		}
		plan := explain(t, db, selectConfirmRows+rest, q.args)
		first, _, _ := strings.Cut(plan, "\n")
		if !strings.Contains(first, "SEARCH c USING INDEX "+tt.index) {
			t.Errorf("%s: does not search %s:\n%s", name, tt.index, plan)
		}
		if strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN") {
			t.Errorf("%s: is sorted or scanned:\n%s", name, plan)
		}
	}
	for name, text := range map[string]string{
		"inbox from the top":  "SELECT c.confirm_id FROM confirms c WHERE c.status = 'pending' AND c.imported = 0 ORDER BY c.inbox_order, c.confirm_id LIMIT 51",
		"role use":            "SELECT COUNT(*) FROM confirms WHERE status = 'pending' AND imported = 0 AND required_role = 'r'",
		"confirms of a plan":  confirms.selects + "WHERE plan_id = 'p' ORDER BY requested_seq DESC",
		"superseded by":       "SELECT confirm_id FROM confirms WHERE supersedes = 'c'",
		"log of a confirm":    "SELECT entry FROM log WHERE confirm_id = 'c' ORDER BY seq DESC LIMIT 50",
		"log of a type":       "SELECT entry FROM log WHERE type = 't' AND seq < 9 ORDER BY seq DESC LIMIT 50",
		"plans of a status":   plans.selects + "WHERE status = 'draft' ORDER BY created_at DESC, plan_id DESC LIMIT 51",
		"plans of a group":    plans.selects + "WHERE requested_group = 'g' ORDER BY created_at DESC, plan_id DESC LIMIT 51",
		"contexts of a group": contexts.selects + "WHERE requested_group = 'g' ORDER BY created_at DESC, context_id DESC LIMIT 51",
	} {
		if plan := explain(t, db, text, nil); !strings.Contains(plan, "USING ") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s: is sorted, or uses no index:\n%s", name, plan)
		}
	}
}

func explain(t *testing.T, db *DB, text string, args []any) string {
	t.Helper()
	var lines []string
	err := db.view(context.Background(), func(r *reader) error {
		return r.c.each("EXPLAIN QUERY PLAN "+text, args, func(rows row) error {
			var id, parent, unused int
			var line string
			err := rows.Scan(&id, &parent, &unused, &line)
			lines = append(lines, line)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
