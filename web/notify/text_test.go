package notify_test

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"countersign/domain"
	"countersign/web/notify"
)

// slackMessage is what tests read of a message to Slack.
type slackMessage struct {
	Text   string
	Blocks []struct {
		Type     string
		Text     struct{ Type, Text string }
		Elements []struct {
			URL  string
			Text struct{ Text string }
		}
	}
}

func decodeSlack(t *testing.T, body string) (m slackMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &m); err != nil || len(m.Blocks) != 2 || len(m.Blocks[1].Elements) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	return m
}

// Messages say what happened in plain words, and as much as the details allow.
func TestText(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	request := func(change func(c *domain.MessageConfirm)) func(*domain.Message) {
		return func(m *domain.Message) { change(m.Confirm) }
	}
	ended := func(entry string, status domain.Status, cause domain.Cause) func(*domain.Message) {
		return func(m *domain.Message) { m.Type, m.Confirm.Status, m.Confirm.Cause = entry, status, cause }
	}
	none := func(change func(*domain.Message)) func(*domain.Message) {
		return func(m *domain.Message) { change(m); m.Details = domain.DetailsNone }
	}
	other := func(entry string) func(*domain.Message) {
		return func(m *domain.Message) { m.Type, m.Confirm, m.Path = entry, nil, "/log" }
	}
	const waits = "A request waits for a decision"
	const expires = " It expires at 14:05 UTC."
	for _, test := range []struct {
		name   string
		change func(m *domain.Message)
		want   string
		label  string // empty: "Open the request"
	}{
		{"one action", func(*domain.Message) {}, waits + ": wire_transfer, asked for by payments-agent." + expires, ""},
		{"two", request(func(c *domain.MessageConfirm) { c.Actions = 2 }), waits + ": wire_transfer and 1 more action, asked for by payments-agent." + expires, ""},
		{"three", request(func(c *domain.MessageConfirm) { c.Actions = 3 }), waits + ": wire_transfer and 2 more actions, asked for by payments-agent." + expires, ""},
		{"a tool that is not named", request(func(c *domain.MessageConfirm) { c.Tool = "" }), waits + ": an action, asked for by payments-agent." + expires, ""},
		{"tools that are not named", request(func(c *domain.MessageConfirm) { c.Tool, c.Actions = "", 4 }), waits + ": 4 actions, asked for by payments-agent." + expires, ""},
		{"a plan", request(func(c *domain.MessageConfirm) { c.Tool, c.Actions, c.TargetType = "", 0, domain.TargetPlan }), waits + ": a plan, asked for by payments-agent." + expires, ""},
		{"an extension", request(func(c *domain.MessageConfirm) { c.Tool, c.Actions, c.TargetType = "", 0, domain.TargetExtension }), waits + ": an extension, asked for by payments-agent." + expires, ""},
		{"no actions", request(func(c *domain.MessageConfirm) { c.Tool, c.Actions = "", 0 }), waits + ": a question without actions, asked for by payments-agent." + expires, ""},
		{"nobody", request(func(c *domain.MessageConfirm) { c.Requester = "" }), waits + ": wire_transfer." + expires, ""},
		{"no deadline", request(func(c *domain.MessageConfirm) { c.ExpiresAt = time.Time{} }), waits + ": wire_transfer, asked for by payments-agent.", ""},
		{"tomorrow", request(func(c *domain.MessageConfirm) { c.ExpiresAt = at.AddDate(0, 0, 1).In(time.FixedZone("", 7200)) }), waits + ": wire_transfer, asked for by payments-agent. It expires on 5 May 2026 at 12:30 UTC.", ""},
		{"no details", none(func(*domain.Message) {}), waits + "." + expires, ""},
		{"unknown details", func(m *domain.Message) { m.Details = "all" }, waits + "." + expires, ""},
		{"missed", none(func(m *domain.Message) { m.IsMissed = true }), waits + "." + expires + " Earlier messages were left out.", ""},

		{"approved", ended("confirm.approved", domain.Approved, domain.CauseHuman), "Approved: wire_transfer, asked for by payments-agent.", ""},
		{"rejected", ended("confirm.rejected", domain.Rejected, domain.CauseHuman), "Rejected: wire_transfer, asked for by payments-agent.", ""},
		{"timed out", ended("confirm.rejected", domain.Rejected, domain.CauseTimeout), "Timed out, as nobody decided in time: wire_transfer, asked for by payments-agent.", ""},
		{"cancelled", ended("confirm.cancelled", domain.Cancelled, domain.CauseCancelled), "Cancelled: wire_transfer, asked for by payments-agent.", ""},
		{"used", ended("confirm.consumed", domain.Approved, domain.CauseHuman), "An approval was used: wire_transfer, asked for by payments-agent.", ""},
		{"imported", ended("confirm.imported", domain.Approved, domain.CauseImport), "Imported: wire_transfer, asked for by payments-agent.", ""},
		{"forgotten", ended("content.pruned", domain.Approved, domain.CauseHuman), "The content of an old request was deleted: wire_transfer, asked for by payments-agent.", ""},
		{"approved, no details", none(ended("confirm.approved", domain.Approved, domain.CauseHuman)), "A request was approved.", ""},
		{"timed out, no details", none(ended("confirm.rejected", domain.Rejected, domain.CauseTimeout)), "A request timed out: nobody decided in time.", ""},

		{"a test", func(m *domain.Message) { *m = domain.Message{ID: "m1", Type: domain.MessageTest, At: at, Path: "/"} }, "This is a test. Messages of Countersign arrive here.", "Open Countersign"},
		{"a role", other("role.modified"), "A role was modified.", "Open the log"},
		{"a step", other("step.failed"), "A step of a plan failed.", "Open the log"},
		{"a key", other("key.revoked"), "A key of an agent was revoked.", "Open the log"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := dispatch(domain.FormatSlack, r.URL)
			test.change(d.Message)
			m := decodeSlack(t, r.send(t, s, d).body)
			if m.Text != test.want || m.Blocks[0].Text.Text != test.want {
				t.Errorf("got %q and %q, want %q", m.Text, m.Blocks[0].Text.Text, test.want)
			}
			label := test.label
			if label == "" {
				label = "Open the request"
			}
			if link := m.Blocks[1].Elements[0]; link.Text.Text != label || link.URL != "https://countersign.example.org"+d.Message.Path {
				t.Errorf("link %+v", link)
			}
		})
	}
}

// Each type of entry is told in each form, in words that people read.
func TestText_OfEveryEntryType(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	s := notify.New(r.options())
	plain := regexp.MustCompile(`^(A|The) [a-z :]+\.$`)
	texts := map[string]string{}
	for _, entry := range domain.EntryTypes() {
		d := dispatch(domain.FormatSlack, r.URL)
		d.Message.Type, d.Message.Confirm, d.Message.Path = entry, nil, "/log"
		text := decodeSlack(t, r.send(t, s, d).body).Text
		if !plain.MatchString(text) || texts[text] != "" {
			t.Errorf("%s: %q, which is also %q", entry, text, texts[text])
		}
		texts[text] = entry
		for _, format := range []domain.Format{domain.FormatStandard, domain.FormatTeams} {
			d.Destination.Format = format
			if body := r.send(t, s, d).body; !json.Valid([]byte(body)) {
				t.Errorf("%s in %s: %s", entry, format, body)
			}
		}
	}
}

// Slack reads a text as markup, which blocks are not.
func TestText_IsEscapedForSlack(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, true, nil)
	d := dispatch(domain.FormatSlack, r.URL)
	d.Message.Type, d.Message.Confirm = "<!channel>.a&b", nil
	m := decodeSlack(t, r.send(t, notify.New(r.options()), d).body)
	if m.Text != "A &lt;!channel&gt; was a&amp;b." || m.Blocks[0].Text.Text != "A <!channel> was a&b." {
		t.Errorf("got %+v", m)
	}
}
