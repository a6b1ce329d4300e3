package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestConfirm_IsCalledTheSameEverywhere: the list, the log, the window and the
// page call a confirm by the same name, which is no id.
func TestConfirm_IsCalledTheSameEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	plan := w.plan(agent, "p-1")
	tests := []struct {
		name, members, want string
		rowReason           string
	}{
		{"a reason of a line", `"target_type":"other","reason":"Close the branch office"`, "“Close the branch office”", ""},
		{"a reason of two", `"target_type":"extension","target_id":"mail","reason":"Send it\nto everybody"`, "“Send it …”", "Send it\nto everybody"},
		{"no reason", `"target_type":"other"`, "Request", ""},
		{"a plan", `"target_type":"plan","target_id":"` + plan + `","reason":"Now"`, "“Fix the login”", "Now"},
		{"a tool", `"target_type":"other","reason":"Rent","actions":[{"name":"pay","args":{}},{"name":"pay","args":{}}]`, "“pay” × 2", "Rent"},
		{"a plan that is not known", `"target_type":"plan","target_id":"p-9","reason":"Now"`, "“Now”", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, b := w.post(agent, "{"+tt.members+"}"), b.in(t)
			row := b.want(b.get("/confirms"), http.StatusOK).doc(t).Find("#row-" + c.ID)
			doc := b.open(c).doc(t)
			logged := b.want(b.get("/log?confirm_id="+c.ID), http.StatusOK).doc(t).Find(".log td[data-label=Object]")
			for place, got := range map[string]string{
				"log":  logged.Find(".hint").First().Text(),
				"list": row.Find("h2").Text(), "page": doc.Find("h1").Text(), "window": strings.TrimSuffix(strings.TrimPrefix(doc.Find("head title").Text(), doc.Find("#pending-count").AttrOr("data-mark", "")), " · Countersign"),
			} {
				want := tt.want
				if strings.Contains(tt.members, "actions") && (place == "list" || place == "page") { // browsers add the marks there
					want = strings.NewReplacer("“", "", "”", "").Replace(want)
				}
				if strings.TrimSpace(got) != want {
					t.Errorf("%s: %q, want %q", place, got, want)
				}
			}
			if got := row.Find(".row-reason").Text(); got != tt.rowReason {
				t.Errorf("the list gives the reason %q, want %q", got, tt.rowReason)
			}
			if got := logged.Find("a").First().Text(); got != c.ID {
				t.Errorf("the log names %q, want the id", got)
			}
			if !strings.Contains(doc.Find(".record .facts.mono").Text(), c.ID) {
				t.Error("the page does not show the id")
			}
		})
	}
}
