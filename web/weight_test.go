package web_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/domain/mplp"
)

// heaviest are texts of so many bytes that take the most room on a page, each in
// its own way.
var heaviest = map[string]func(bytes int) string{
	"letters":                repeated("a"),
	"invisible":              repeated("\u200b"),
	"four bytes a letter":    repeated("\U0001F600"),
	"quotation marks":        repeated(`"`),
	"words of two alphabets": repeated("aа "),
	"lines":                  repeated("x\n"),
}

func repeated(text string) func(bytes int) string {
	return func(bytes int) string { return strings.Repeat(text, bytes/len(text)) }
}

// TestB1_PagesStaySmall: whatever an agent posts at its greatest, no list that a
// reviewer opens is larger than 200 KB, and each says how much it leaves out.
func TestB1_PagesStaySmall(t *testing.T) {
	t.Parallel()
	for name, text := range heaviest {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.asker(), w.user("reviewer", "reviewer", "admin")
			l, reason := w.svc.Limits(), text(20_000)
			if name == "invisible" {
				reason = text(240_000)
			}
			title, described := text(l.Title), text(l.Description)
			tool := func(i int) string { // of a tool, which has no control characters
				return fmt.Sprintf("%02d", i) + strings.ReplaceAll(text(l.Title-2), "\n", "-")
			}
			var tools []string
			for i := range 10 {
				tools = append(tools, fmt.Sprintf(`{"name":%s,"args":{},"description":%s}`, quoted(tool(i)), quoted(described)))
			}
			for i := range 50 {
				label := quoted(fmt.Sprintf("%02d", i) + text(l.Title-2))
				w.postContext(agent, fmt.Sprintf(`{"context_id":"x%d","title":%s,"summary":%s,"owner_role":%s,"status":"active"}`, i, quoted(title), quoted(described), label))
				w.postPlan(agent, fmt.Sprintf(`{"plan_id":"p%d","context_id":"x%d","title":%s,"objective":%s,"trace":{"trace_id":"t%d"},"steps":[{"step_id":"s","description":%s,"agent_role":%s}]}`,
					i, i, quoted(title), quoted(described), i%5, quoted(described), label))
				w.post(agent, fmt.Sprintf(`{"target_type":"plan","target_id":"p%d","requested_by_role":%s,"reason":%s,"actions":[%s],"timeout":300}`,
					i, label, quoted(reason), strings.Join(tools, ",")))
				w.post(agent, fmt.Sprintf(`{"target_type":"plan","target_id":"p%d","step_id":"none","requested_by_role":%s,"reason":%s,"timeout":600}`,
					i, label, quoted(reason)))
			}
			small := func(address string, rows int) string {
				t.Helper()
				page := reviewer.get(address)
				reviewer.want(page, 200)
				if n := len(page.doc(t).Find(".rows > li[id], table.list tbody tr").Nodes); n != rows {
					t.Errorf("%s has %d rows, want %d", address, n, rows)
				}
				if len(page.text) > 200_000 {
					t.Errorf("%s has %d bytes", address, len(page.text))
				}
				return page.text
			}
			inbox := small("/confirms", 50)
			if !strings.Contains(inbox, " more characters") || !strings.Contains(inbox, " more calls") {
				t.Error("the inbox does not say what it leaves out")
			}
			small("/confirms?target_type=plan", 50)
			small("/contexts", 50)
			small("/plans", 50)
			small("/log", 50)
			small("/traces/t0", 50)
			small("/roles", 10)

			w.pass(700e9) // all of them have expired
			small("/confirms?status=decided", 50)
		})
	}
}

// quoted is a text as JSON has it.
func quoted(text string) string { return string(mplp.String(text)) }

// TestB1_ExcerptsCount: a list has 300 characters of a reason and says how many
// it leaves out; the request's own page has all of it.
func TestB1_ExcerptsCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.asker(), w.user("reviewer", "reviewer")
	for reason, want := range map[string]string{
		strings.Repeat("é", 80_000): strings.Repeat("é", 300) + " … and 79,700 more characters",
		strings.Repeat("x", 301):    strings.Repeat("x", 300) + " … and 1 more character",
		strings.Repeat("y", 300):    strings.Repeat("y", 300),
	} {
		c := w.post(agent, fmt.Sprintf(`{"target_type":"other","reason":%s,"actions":[{"name":"rm","args":{}}]}`, quoted(reason)))
		row := words(reviewer.get("/confirms").doc(t).Find("#row-" + c.ID + " .row-reason"))
		if len(row) != 1 || row[0] != want {
			t.Errorf("the row says %.400q, want %.400q", row, want)
		}
		if page := reviewer.open(c); !strings.Contains(page.text, reason) {
			t.Errorf("the page has not all of %d characters", utf8.RuneCountInString(reason))
		}
	}
	hidden := w.post(agent, fmt.Sprintf(`{"target_type":"other","reason":%s}`, quoted(strings.Repeat("\u200b", 1_000))))
	row := reviewer.get("/confirms").doc(t).Find("#row-" + hidden.ID + " .row-reason")
	marks := row.Find(".invisible").Length()
	if text := row.Text(); marks == 0 || !strings.Contains(text, fmt.Sprintf("and %d more characters", 1_000-marks)) {
		t.Errorf("%d marks, and the row says %q", marks, text)
	}
}

// TestB1_ToolsOfALongList: the calls that stand out among many of one tool are
// named; of very many different ones a list names the first and counts the rest.
func TestB1_ToolsOfALongList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.asker(), w.user("reviewer", "reviewer")
	title := func(names ...string) string {
		t.Helper()
		var calls []string
		for _, name := range names {
			calls = append(calls, fmt.Sprintf(`{"name":%q,"args":{}}`, name))
		}
		c := w.post(agent, `{"target_type":"other","actions":[`+strings.Join(calls, ",")+`]}`)
		return words(reviewer.get("/confirms").doc(t).Find("#row-" + c.ID + " h2"))[0]
	}
	var many, different []string
	for i := range 32 {
		many, different = append(many, "read_file"), append(different, fmt.Sprintf("tool_%d", i))
	}
	many[20] = "delete_database"
	for _, tt := range []struct{ got, want string }{
		{title(many...), "read_file × 20 + delete_database + read_file × 11"},
		{title(different...), "tool_0 + tool_1 + tool_2 + tool_3 + tool_4 + tool_5 + tool_6 + tool_7 … and 24 more calls"},
		{title(strings.Repeat("n", 1000), "rm"), strings.Repeat("n", 60) + " … and 940 more characters + rm"},
	} {
		if tt.got != tt.want {
			t.Errorf("the row is called %q, want %q", tt.got, tt.want)
		}
	}
}
