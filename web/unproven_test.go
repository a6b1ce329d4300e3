package web_test

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// change runs SQL on the database as somebody may who can write the file.
func (w *world) change(statements ...string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.file+"?_pragma=busy_timeout(5000)")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // only this test uses it
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			w.t.Fatalf("%s: %v", text, err)
		}
	}
}

// A list that was shown before is the same for a second at most, when something
// else has changed the database.
func TestA4_ShownListNoticesAChangeInASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.post(w.asker(), trade)
	b := w.user("reviewer", "reviewer")
	b.want(b.get("/confirms"), http.StatusOK)
	w.change("UPDATE confirms SET requested_by_name = 'payroll'")
	w.pass(time.Second)
	row := b.want(b.get("/confirms"), http.StatusOK).doc(t).Find("#row-" + c.ID).Text()
	if !strings.Contains(row, "was changed in the database") || strings.Contains(row, "payroll") {
		t.Errorf("the row says %q", row)
	}
}

// A request whose content was changed is not shown, has no form, and the inbox says
// why, beside others that are as they were.
func TestA4_ChangedRequestIsNotShown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, change string }{
		{"content", "DROP TRIGGER confirm_contents_fixed; UPDATE confirm_contents SET content = CAST(replace(CAST(content AS TEXT), 'VNM', 'ABC') AS BLOB) WHERE reason = 'Buy low'"},
		{"reason", "DROP TRIGGER confirm_contents_fixed; UPDATE confirm_contents SET reason = 'Harmless' WHERE reason = 'Buy low'"},
		{"missing content", "DELETE FROM confirm_contents WHERE reason = 'Buy low'"},
		{"requester", "UPDATE confirms SET requested_by_name = 'payroll' WHERE actions = 1"},
		{"required role", "UPDATE confirms SET required_role = 'admin' WHERE actions = 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent := w.asker()
			c, other := w.post(agent, trade), w.post(agent, bare)
			b := w.user("reviewer", "reviewer")
			page := b.open(c)
			w.change(strings.Split(tt.change, "; ")...)

			inbox := b.want(b.get("/confirms"), http.StatusOK)
			row := inbox.doc(t).Find("#row-" + c.ID).Text()
			if !strings.Contains(row, "was changed in the database") || strings.Contains(row, "execute_trade") || strings.Contains(row, "payroll") || strings.Contains(row, "Harmless") {
				t.Errorf("the row says %q", row)
			}
			if row := inbox.doc(t).Find("#row-" + other.ID).Text(); !strings.Contains(row, "Trust me") {
				t.Errorf("another's row says %q", row)
			}
			shown := b.want(b.get("/confirms/"+c.ID), http.StatusServiceUnavailable)
			if strings.Contains(shown.text, "execute_trade") || shown.doc(t).Find("form[action*=decision]").Length() > 0 || !strings.Contains(shown.text, "differs from the log") {
				t.Errorf("the page shows\n%s", shown.text)
			}
			b.want(b.submit(page, "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusServiceUnavailable)
		})
	}
}
