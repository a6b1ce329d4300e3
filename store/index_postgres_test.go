package store

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store/driver"
)

// Lists are read along indexes in PostgreSQL too: with everything else made
// dear, no plan needs to sort or to read a table through.
func TestListsFollowIndexesInPostgreSQL(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempDatabase(t), Options{})
	decider := domain.Visibility{Group: "g", Decides: true, Roles: []string{"r", "s"}}
	for name, f := range map[string]domain.ConfirmFilter{
		"inbox":                {Status: domain.Pending, Visible: everything},
		"inbox of a decider":   {Status: domain.Pending, Visible: decider},
		"mine to decide":       {Mine: true, Visible: everything, Decider: decider},
		"pending of a session": {Status: domain.Pending, SessionID: "s", Visible: everything},
		"pending with imports": {Status: domain.Pending, WithImports: true, Visible: everything},
		"decided":              {Decided: true, Visible: everything},
		"decided plans":        {Decided: true, TargetType: domain.TargetPlan, Visible: everything},
		"all":                  {WithImports: true, Visible: everything},
		"a group's":            {WithImports: true, Visible: domain.Visibility{Group: "g"}},
		"a target's":           {TargetID: "t", Visible: everything},
		"a plan's":             {PlanID: "p", Visible: everything},
		"a session's":          {SessionID: "s", Visible: everything},
		"a trace's":            {TraceID: "t", Visible: everything},
		"a word's":             {Query: "deploy", Visible: everything},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			err := db.view(context.Background(), func(r *reader) error {
				w, err := r.confirmWalk(f)
				if err != nil {
					return err
				}
				page := w.page(confirms.columnList("c."), "", []condition{w.after(position{1, "id"})}, domain.DefaultPage)
				for _, setting := range []string{"enable_seqscan", "enable_bitmapscan", "enable_sort"} {
					if _, err := r.Conn.Exec("SELECT set_config($1, 'off', true)", setting); err != nil {
						return err
					}
				}
				return r.Conn.Query("EXPLAIN "+page.String(), page.args, func(rows driver.Row) error {
					var line string
					err := rows.Scan(&line)
					lines = append(lines, line)
					return err
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Sort") || !strings.Contains(plan, "Index") {
				t.Errorf("is sorted, or read through:\n%s", plan)
			}
		})
	}
}

// However much a group has posted, a step to the next group is one search; and however
// much waits for others, what waits for a reader is one for each of their roles.
func TestStepsFromGroupToGroupFollowAnIndexInPostgreSQL(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempDatabase(t), Options{})
	explained := func(settings []string, query func(*reader) (*statement, error)) string {
		var plan strings.Builder
		err := db.view(context.Background(), func(r *reader) error {
			for _, setting := range settings {
				if _, err := r.Conn.Exec("SELECT set_config($1, 'off', true)", setting); err != nil {
					return err
				}
			}
			s, err := query(r)
			if err != nil {
				return err
			}
			return r.Conn.Query("EXPLAIN "+s.String(), s.args, func(rows driver.Row) error {
				var line string
				err := rows.Scan(&line)
				plan.WriteString(line + "\n")
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return plan.String()
	}
	text := explained([]string{"enable_seqscan", "enable_bitmapscan"}, func(r *reader) (*statement, error) {
		w, err := r.confirmWalk(domain.ConfirmFilter{Status: domain.Pending, RequestedByRole: "coder", Visible: everything})
		return groupSteps(w, 10), err
	})
	if strings.Contains(text, "Seq Scan") || strings.Contains(text, "Sort") || strings.Count(text, "confirms_pending_group") != 2 {
		t.Errorf("is sorted, or read through:\n%s", text)
	}
	text = explained([]string{"enable_seqscan", "enable_bitmapscan", "enable_sort"}, func(*reader) (*statement, error) {
		return waitingConfirms(domain.Visibility{Group: "g", Roles: []string{"r", "s"}}, time.Unix(0, 0), 201), nil
	})
	if strings.Contains(text, "Seq Scan") || strings.Count(text, "Index Scan Backward using confirms_pending_role") != 3 {
		t.Errorf("what waits is read through:\n%s", text)
	}
}
