package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
)

// What is due and cannot be expired, because a trigger changes what is written, does not
// pass for a request that still waits.
func TestClock_ListsMarkWhatCannotBeExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asking, reviewer := w.key("asking", "executor"), w.user("reviewer", "reviewer")
	due := w.post(asking, `{"target_type":"other","reason":"Buy low","session_id":"s-1","timeout":60,"actions":[{"name":"pay","args":{}}]}`)
	waits := w.post(asking, `{"target_type":"other","reason":"Buy more","session_id":"s-1","timeout":6000,"actions":[{"name":"pay","args":{}}]}`)
	openIntruder(t, w.file).change("CREATE TRIGGER sneak BEFORE UPDATE ON confirms BEGIN UPDATE confirms SET requested_group = 'keys', required_role = NULL WHERE confirm_id = NEW.confirm_id; END")
	w.pass(2 * time.Minute)
	for name, f := range map[string]domain.ConfirmFilter{"inbox": {Status: domain.Pending}, "session": {SessionID: "s-1"}} {
		rows, _, err := w.Confirms(w.ctx, reviewer, f, domain.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Unproven != (row.ID == due.ID) || row.ID == due.ID && (row.Reason.Text != "" || row.Tools != nil) {
				t.Errorf("%s: %s is %+v", name, row.ID, row)
			}
		}
		if len(rows) != 2 {
			t.Errorf("%s: %d rows", name, len(rows))
		}
	}
	inbox, err := w.Inbox(w.ctx, reviewer, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range inbox.Rows {
		if row.Mine != (row.ID == waits.ID) || row.Unproven != (row.ID == due.ID) {
			t.Errorf("in the inbox %s is %+v", row.ID, row.ConfirmRow)
		}
	}
}
