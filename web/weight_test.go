package web_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"countersign/domain"
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
				if n := len(page.doc(t).Find(".entries > li[id], table.list tbody tr").Nodes); n != rows {
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
			small("/roles", len(domain.SeededRoles())+1)

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
		{title(different...), "tool_0 + tool_1 + tool_2 + tool_3 + tool_4 + tool_5 … and 26 more calls"},
		{title(strings.Repeat("n", 1000), "rm"), strings.Repeat("n", 60) + " … and 940 more characters + rm"},
	} {
		if tt.got != tt.want {
			t.Errorf("the row is called %q, want %q", tt.got, tt.want)
		}
	}
}

// TestB1_OneFloodLeavesRoomForOthers: whoever floods the inbox, with one key or
// with all keys of one owner, another agent's request is on its first page, and
// every request can be reached from there.
func TestB1_OneFloodLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer := w.user("reviewer", "reviewer")
	role := w.role("asker", "confirm.request", "plan.*", "context.*")
	w.user("owner", "reviewer")
	owned := func(name string) domain.Ref {
		t.Helper()
		k, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: name, Roles: []string{role}, Owner: "owner"})
		if err != nil {
			t.Fatal(err)
		}
		return domain.Ref{Kind: domain.KindAgent, ID: k.ID}
	}
	posted := map[string]bool{}
	ask := func(by domain.Ref, timeout int) string {
		t.Helper()
		id := w.post(by, fmt.Sprintf(`{"target_type":"other","actions":[{"name":"rm","args":{}}],"timeout":%d}`, timeout)).ID
		posted[id] = true
		return id
	}
	for _, key := range []domain.Ref{owned("flood-1"), owned("flood-2"), owned("flood-3")} {
		for range 40 {
			ask(key, 100)
		}
	}
	if rows := rowsOf(t, reviewer.get("/confirms")); len(rows) != 50 {
		t.Fatalf("the only ones who wait have %d rows, want a page of 50", len(rows))
	}
	urgent := ask(w.agent("urgent", role), 300)
	page := reviewer.get("/confirms")
	rows := rowsOf(t, page)
	if len(rows) != domain.MaxPerGroup+1 || rows[len(rows)-1] != urgent {
		t.Fatalf("the first page has %d rows and ends with %s, want %d and the urgent one", len(rows), rows[len(rows)-1], domain.MaxPerGroup+1)
	}
	rest := page.doc(t).Find(".row-rest a")
	if got := words(rest); len(got) != 1 || got[0] != "and 110 more of owner and their agents" {
		t.Errorf("what is left reads %q", got)
	}
	if hint := page.doc(t).Find("#inbox .hint").Text(); !strings.Contains(hint, "at most 10 places here") {
		t.Errorf("the page does not explain: %q", hint)
	}

	// Every request is reached: on the page, or behind the link.
	reached := map[string]bool{urgent: true}
	at := rest.AttrOr("href", "")
	for pages := 0; at != ""; pages++ {
		if pages > 3 {
			t.Fatal("the group's list does not end")
		}
		page := reviewer.get(at)
		for _, id := range rowsOf(t, page) {
			if reached[id] {
				t.Errorf("%s is listed twice", id)
			}
			reached[id] = true
		}
		if hidden := page.doc(t).Find(".filter input[name=group]"); hidden.Length() != 1 {
			t.Error("filtering further leaves the group")
		}
		at = page.doc(t).Find("a[rel=next]").AttrOr("href", "")
	}
	if len(reached) != len(posted) {
		t.Errorf("%d of %d requests are reached", len(reached), len(posted))
	}

	// A narrowed list leaves room too; what it leaves out is not counted.
	narrowed := reviewer.get("/confirms?mine=1")
	if rows := rowsOf(t, narrowed); len(rows) != domain.MaxPerGroup+1 || rows[len(rows)-1] != urgent {
		t.Errorf("what is the reviewer's to decide has %d rows", len(rows))
	}
	if got := words(narrowed.doc(t).Find(".row-rest a")); len(got) != 1 || got[0] != "and more of owner and their agents" {
		t.Errorf("what is left of it reads %q", got)
	}
	if at := narrowed.doc(t).Find(".row-rest a").AttrOr("href", ""); !strings.Contains(at, "mine=1") {
		t.Errorf("the link %s loses the filter", at)
	}
	if rows := rowsOf(t, reviewer.get("/confirms?q=rm")); len(rows) != 50 {
		t.Errorf("a search has %d rows, want a page of all that match", len(rows))
	}
}

// rowsOf are the ids of the requests that a page lists.
func rowsOf(t *testing.T, page *answer) (ids []string) {
	t.Helper()
	page.doc(t).Find("#inbox-rows > .row").Each(func(_ int, row *goquery.Selection) {
		ids = append(ids, strings.TrimPrefix(row.AttrOr("id", ""), "row-"))
	})
	return ids
}

// TestB1_SharedPagesGoOn: with many groups the list has further pages, and they
// show each request once.
func TestB1_SharedPagesGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer := w.user("reviewer", "reviewer")
	role := w.role("asker", "confirm.request", "plan.*", "context.*")
	want := 0
	for i := range 8 {
		w.user(fmt.Sprintf("owner-%d", i), "reviewer")
		k, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: fmt.Sprintf("bot-%d", i), Roles: []string{role}, Owner: fmt.Sprintf("owner-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 * (i + 1) {
			w.post(domain.Ref{Kind: domain.KindAgent, ID: k.ID}, fmt.Sprintf(`{"target_type":"other","actions":[{"name":"rm","args":{}}],"timeout":%d}`, 100+n))
		}
		want += min(4*(i+1), domain.MaxPerGroup)
	}
	seen := map[string]int{}
	pages := 0
	for at := "/confirms"; at != ""; pages++ {
		page := reviewer.get(at)
		for _, id := range rowsOf(t, page) {
			seen[id]++
			if seen[id] > 1 {
				t.Errorf("%s is listed %d times", id, seen[id])
			}
		}
		at = page.doc(t).Find("a[rel=next]").AttrOr("href", "")
	}
	if len(seen) != want || pages != 2 {
		t.Errorf("%d requests on %d pages, want %d on 2", len(seen), pages, want)
	}
}
