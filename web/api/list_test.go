package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/domain"
)

// TestB2_PagesEndAtOneMiB: a page of large objects ends at 1 MiB of them, and the
// cursor leads on, so that nothing is lost and nothing comes twice.
func TestB2_PagesEndAtOneMiB(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("architect", "executor", "admin")
	reviewer := s.decider("reviewer", "reviewer", "architect", "executor", "admin")
	large := strings.Repeat("x", 230_000)
	reason := strings.Repeat("\u200b", 79_000)
	const n = 12
	for i := range n {
		agent.post("/contexts", fmt.Sprintf(`{"context_id":"x%d","constraints":{"a":%q}}`, i, large)).want(http.StatusCreated)
		agent.post("/traces", fmt.Sprintf(`{"trace_id":"t%d","context_id":"c","root_span":{"attributes":{"a":%q}}}`, i, large)).want(http.StatusCreated)
		agent.post("/roles", fmt.Sprintf(`{"role_id":"r%02d","name":"role %02d","x":%q}`, i, i, large)).want(http.StatusCreated)
		agent.post("/confirms", fmt.Sprintf(`{"confirm_id":"c%d","target_type":"other","reason":"%s"}`, i, reason)).want(http.StatusCreated)
		agent.post("/plans", fmt.Sprintf(`{"plan_id":"p%d","context_id":"x%d","title":"t","objective":"o","steps":[{"step_id":"s","description":"d","x":%q}]}`, i, i, large)).want(http.StatusCreated)
		reviewer.decide(agent.post(fmt.Sprintf("/plans/p%d/propose", i), "").want(http.StatusCreated), "approved").want(http.StatusCreated)
	}
	for _, tt := range []struct {
		path, id    string
		items, page int // of the page, where all items are alike
	}{
		{"/contexts", "context_id", n, 4},
		{"/traces", "trace_id", n, 4},
		{"/roles", "role_id", n + len(domain.SeededRoles()), 0},
		{"/confirms?target_type=other", "confirm_id", n, 4},
		{"/confirms?target_type=other&form=canonical", "confirm_id", n, 4},
		{"/plans", "plan_id", n, 4},
		{"/learning-samples", "sample_id", n, 2},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			c := agent.on(t)
			seen := map[string]bool{}
			for cursor, pages := "", 0; ; pages++ {
				if pages > tt.items {
					t.Fatal("the list does not end")
				}
				items, next := c.page(tt.path, cursor)
				if len(items) == 0 || tt.page > 0 && len(items) > tt.page || tt.page > 0 && next != "" && len(items) != tt.page {
					t.Fatalf("a page of %d items and next %q, want %d", len(items), next, tt.page)
				}
				for _, item := range items {
					var object map[string]any
					if err := json.Unmarshal(item, &object); err != nil {
						t.Fatal(err)
					}
					id := fmt.Sprint(object[tt.id])
					if seen[id] {
						t.Errorf("%s comes twice", id)
					}
					seen[id] = true
				}
				if cursor = next; next == "" {
					break
				}
			}
			if len(seen) != tt.items {
				t.Errorf("%d items in all, want %d", len(seen), tt.items)
			}
		})
	}
}

// page reads one page and holds it to 1 MiB of items, unless it has only one.
func (c *client) page(path, cursor string) (items []json.RawMessage, next string) {
	c.t.Helper()
	if cursor != "" {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path += separator + "cursor=" + url.QueryEscape(cursor)
	}
	answer := c.get(path).want(http.StatusOK)
	var list struct {
		Items []json.RawMessage
		Next  string `json:"next_cursor"`
	}
	answer.decode(&list)
	size := 0
	for _, item := range list.Items {
		size += len(item)
	}
	if size > domain.MaxPageBytes && len(list.Items) > 1 {
		c.t.Errorf("%s: %d items have %d bytes", path, len(list.Items), size)
	}
	return list.Items, list.Next
}

// TestB2_OneObjectIsAPage: what is larger than a page is one by itself.
func TestB2_OneObjectIsAPage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("architect")
	large := strings.Repeat("x", domain.MaxPageBytes)
	for i := range 3 {
		agent.post("/plans", fmt.Sprintf(`{"plan_id":"p%d","context_id":"c","title":"t","objective":"o","steps":[{"step_id":"s","description":"d","x":%q}]}`, i, large)).want(http.StatusCreated)
	}
	cursor := ""
	for i := range 3 {
		items, next := agent.page("/plans?limit=200", cursor)
		if len(items) != 1 || (next == "") != (i == 2) {
			t.Errorf("page %d has %d items and goes on at %q", i, len(items), next)
		}
		cursor = next
	}
}

// TestN12_EventsEndAtOneMiB: so does a page of events, whatever they tell.
func TestN12_EventsEndAtOneMiB(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Title = 100_000 // an operator may allow it, and entries are as they are
	})
	agent := s.agent("architect", "reviewer")
	const n = 150
	title := strings.Repeat(`"`, 90_000) // each takes two bytes in an entry
	for i := range n {
		agent.post("/contexts", fmt.Sprintf(`{"context_id":"c%d","root":{"domain":"d","environment":"e"},"title":%q,"status":"draft"}`, i, title)).want(http.StatusCreated)
	}
	seen := map[domain.Cursor]bool{}
	for after, more := (*domain.Cursor)(nil), true; more; more = after != nil {
		events, next, err := s.Events(t.Context(), domain.System, domain.EventFilter{After: after, Limit: domain.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, event := range events {
			facts, err := json.Marshal(event.Facts)
			if err != nil {
				t.Fatal(err)
			}
			size += len(facts)
			if seen[event.Cursor] {
				t.Errorf("%v comes twice", event.Cursor)
			}
			seen[event.Cursor] = true
		}
		if size > domain.MaxPageBytes {
			t.Errorf("a page of events has %d bytes", size)
		}
		after = next
	}
	if len(seen) < n {
		t.Errorf("%d events, want %d at least", len(seen), n)
	}
}
