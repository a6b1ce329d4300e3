package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestImport_ShowsWhatItClaims: what a confirm was posted with stands on its
// page as a claim, and nowhere as a decision that was made here.
func TestImport_ShowsWhatItClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	tests := []struct {
		name, members, row string // row: what the list of what has ended says; empty: it is not there
		says               []string
	}{
		{"status and decision", `"status":"approved","decisions":[{"status":"approved","decided_by_role":"boss","decided_at":"2025-01-01T00:00:00Z","reason":"Go <b>on</b>"}]`,
			"imported as approved", []string{"Claims to be approved", "Not proven here", "approved by boss", "1 Jan 2025, 00:00:00 UTC", "Go <b>on</b>"}},
		{"two decisions", `"status":"rejected","decisions":[{"status":"approved","decided_by_role":"first"},{"status":"rejected","decided_by_role":"second"}]`,
			"imported as rejected", []string{"Claims to be rejected", "approved by first", "time not given", "rejected by second"}},
		{"status alone", `"status":"cancelled"`,
			"imported as cancelled", []string{"Claims to be cancelled", "It does not say who decided."}},
		{"decisions alone", `"decisions":[{"status":"approved","decided_by_role":"boss"}]`,
			"", []string{"Imported with decisions", "approved by boss"}},
		{"with events", `"status":"approved","events":[{"event_type":"confirm_approved"}]`,
			"imported as approved", []string{"Claims to be approved"}},
		{"with arguments", `"status":"approved","actions":[{"name":"pay","args":{"n":1e400}}]`,
			"imported as approved", []string{"Claims to be approved"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, b := w.post(agent, `{"target_type":"other","reason":"old",`+tt.members+`}`), b.in(t)
			doc := b.open(c).doc(t)
			card := doc.Find(".claim")
			for _, words := range tt.says {
				if text := strings.Join(strings.Fields(card.Text()), " "); !strings.Contains(text, words) {
					t.Errorf("the claim does not say %q: %s", words, text)
				}
			}
			if got := doc.Find(".receipt, [aria-labelledby=history], .badge.tone-good:contains(Approved), form[data-decision]").Length(); got != 0 {
				t.Errorf("%d places look like a decision", got)
			}
			row := b.want(b.get("/confirms?status=decided"), http.StatusOK).doc(t).Find("#row-" + c.ID)
			if text := row.Text(); !strings.Contains(text, tt.row) || strings.Count(strings.ToLower(text), "not verified") != len(row.Nodes) {
				t.Errorf("the list says %q", text)
			}
		})
	}
}
