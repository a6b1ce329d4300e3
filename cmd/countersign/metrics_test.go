package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web/client"
)

// measured is a server with metrics.
type measured struct {
	*running
	t       *testing.T
	metrics string // the address of its metrics
}

func startMeasured(t *testing.T) *measured {
	t.Helper()
	r := start(t, "--metrics", "127.0.0.1:0")
	address := r.stderr.await(t, 1, `"msg":"metrics are served","address":"([^"]+)"`)[1]
	return &measured{running: r, t: t, metrics: "http://" + address + "/metrics"}
}

func (m *measured) scrape() string {
	m.t.Helper()
	status, text := get(m.t, m.metrics, "")
	if status != http.StatusOK {
		m.t.Fatalf("scrape: status %d: %s", status, text)
	}
	return text
}

// value is that of one series; "" if it is not there.
func (m *measured) value(series string) string {
	m.t.Helper()
	for line := range strings.Lines(m.scrape()) {
		if value, found := strings.CutPrefix(line, series+" "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (m *measured) want(values map[string]string) {
	m.t.Helper()
	for _, series := range slices.Sorted(maps.Keys(values)) {
		if got := m.value(series); got != values[series] {
			m.t.Errorf("%s: %q, want %q", series, got, values[series])
		}
	}
}

// await scrapes until a series has a value.
func (m *measured) await(series, value string) {
	m.t.Helper()
	for late := time.Now().Add(patience); m.value(series) != value; {
		if time.Now().After(late) {
			m.t.Fatalf("%s did not become %s: %s", series, value, m.value(series))
		}
	}
}

func (m *measured) call(key, method, path string, body, out any) {
	m.t.Helper()
	if err := client.New(m.base, key).Call(m.t.Context(), method, path, body, out); err != nil {
		m.t.Fatal(err)
	}
}

// receipt is what of a confirm's post is needed to decide it.
type receipt struct {
	ConfirmID   string `json:"confirm_id"`
	ContentHash string `json:"content_hash"`
}

// TestMetrics_FollowAConfirm from its post over its waiting agent to the
// decision, and another one to its deadline.
func TestMetrics_FollowAConfirm(t *testing.T) {
	t.Parallel()
	m := startMeasured(t)
	agent := invoke(t, "key", "create", "bot", "--role", "executor", "--db", m.db)
	invoke(t, "user", "add", "owner", "--role", "reviewer", "--db", m.db)
	decider := invoke(t, "key", "create", "decider", "--role", "reviewer", "--owner", "owner", "--may-decide", "--db", m.db)
	ask := object{"target_type": "other", "reason": "spring cleaning", "actions": []object{{"name": "delete_accounts", "args": object{"days": 365}}}}

	m.want(map[string]string{
		`countersign_pending_confirms{target_type="other"}`:                     "0",
		`countersign_decisions_total{cause="timeout",status="rejected"}`:        "0",
		`countersign_confirms_requested_total`:                                  "0",
		`countersign_waits{kind="long-poll"}`:                                   "0",
		`countersign_clock_lag_seconds`:                                         "0",
		`countersign_commits_failed_total`:                                      "0",
		`countersign_request_seconds_count{method="GET",route="",status="4xx"}`: "",
	})
	var asked receipt
	m.call(agent, http.MethodPost, "/api/v1/confirms", ask, &asked)
	m.call(agent, http.MethodGet, "/api/v1/confirms/"+asked.ConfirmID+"/outcome", nil, &asked)
	m.want(map[string]string{
		`countersign_pending_confirms{target_type="other"}`:                                      "1",
		`countersign_pending_confirms{target_type="plan"}`:                                       "0",
		`countersign_confirms_requested_total`:                                                   "1",
		`countersign_request_seconds_count{method="POST",route="/api/v1/confirms",status="2xx"}`: "1",
	})

	told := make(chan error, 1)
	go func() {
		told <- client.New(m.base, agent).Call(t.Context(), http.MethodGet, "/api/v1/confirms/"+asked.ConfirmID+"/outcome?wait=60", nil, nil)
	}()
	m.await(`countersign_waits{kind="long-poll"}`, "1")
	m.call(decider, http.MethodPost, "/api/v1/confirms/"+asked.ConfirmID+"/decisions", object{"status": "approved", "content_hash": asked.ContentHash}, nil)
	if err := <-told; err != nil {
		t.Error(err)
	}
	m.await(`countersign_waits{kind="long-poll"}`, "0")
	m.want(map[string]string{
		`countersign_pending_confirms{target_type="other"}`:              "0",
		`countersign_decisions_total{cause="agent",status="approved"}`:   "1",
		`countersign_decisions_total{cause="timeout",status="rejected"}`: "0",
	})

	if bytes, err := strconv.Atoi(m.value(`countersign_database_bytes{file="database"}`)); err != nil || bytes == 0 {
		t.Errorf("the database has %d bytes (%v)", bytes, err)
	}

	ask["timeout"] = 1
	m.call(agent, http.MethodPost, "/api/v1/confirms", ask, &asked)
	m.call(agent, http.MethodGet, "/api/v1/confirms/"+asked.ConfirmID+"/outcome?wait=60", nil, nil)
	m.want(map[string]string{
		`countersign_pending_confirms{target_type="other"}`:              "0",
		`countersign_confirms_requested_total`:                           "2",
		`countersign_decisions_total{cause="timeout",status="rejected"}`: "1",
	})
}

// TestMetrics_NothingOfClients: whatever clients send, there are as many series
// as there are routes, and nothing of what they sent.
func TestMetrics_NothingOfClients(t *testing.T) {
	t.Parallel()
	m := startMeasured(t)
	key := invoke(t, "key", "create", "bot-of-sales", "--role", "executor", "--db", m.db)
	m.call(key, http.MethodPost, "/api/v1/confirms", object{"confirm_id": "canary-id", "target_type": "other", "target_id": "canary-target",
		"session_id": "canary-session", "reason": "canary-reason", "actions": []object{{"name": "canary_tool", "args": object{"token": "canary-args"}}}}, nil)
	send50 := func(prefix string) {
		for i := range 50 {
			for _, method := range []string{http.MethodGet, fmt.Sprintf("CANARY%d", i)} {
				request, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("%s%scanary-%d?q=canary", m.base, prefix, i), nil)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Authorization", "Bearer "+key)
				send(t, request)
			}
		}
	}
	send50("/api/v1/confirms/")
	send50("/")
	series := strings.Count(m.scrape(), "\ncountersign_")
	send50("/api/v1/plans/canary/")
	send50("/canary/")
	send50("/api/v1/confirms/")
	text := m.scrape()
	if got := strings.Count(text, "\ncountersign_"); got > series {
		t.Errorf("%d series, %d before", got, series)
	}
	for _, secret := range []string{"canary", "CANARY", "bot-of-sales", key, key[len("cs_"):][:12]} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics have %q", secret)
		}
	}
	m.want(map[string]string{
		`countersign_request_seconds_count{method="GET",route="/api/v1/confirms/:id",status="4xx"}`: "100",
	})
}

// TestMetrics_AreDocumented with their types, and nothing else is.
func TestMetrics_AreDocumented(t *testing.T) {
	t.Parallel()
	m := startMeasured(t)
	manual, err := os.ReadFile("OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	get(t, m.base+"/healthz", "")
	served, documented := map[string]string{}, map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (countersign_\w+) (\w+)$`).FindAllStringSubmatch(m.scrape(), -1) {
		served[found[1]] = found[2]
	}
	for _, found := range regexp.MustCompile("(?m)^\\| `(countersign_\\w+)`[^|]* \\| (\\w+) \\|").FindAllStringSubmatch(string(manual), -1) {
		documented[found[1]] = found[2]
	}
	if diff := cmp.Diff(served, documented); diff != "" {
		t.Errorf("(-served +documented):\n%s", diff)
	}
}

func TestMetrics_OnlyWhenAsked(t *testing.T) {
	t.Parallel()
	m := startMeasured(t)
	if status, _ := get(t, strings.TrimSuffix(m.metrics, "metrics"), ""); status != http.StatusNotFound {
		t.Errorf("another address of the listener: status %d, want 404", status)
	}
	if status, _ := get(t, m.base+"/metrics", ""); status != http.StatusNotFound {
		t.Errorf("metrics beside the pages: status %d, want 404", status)
	}
	m.stop(t)
	if _, err := http.Get(m.metrics); err == nil {
		t.Error("metrics are served after the server has stopped")
	}
	if r := start(t); strings.Contains(r.stderr.String(), "metrics") {
		t.Errorf("the log of a server without speaks of metrics: %s", r.stderr)
	}
}

func TestStored_Lag(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &stored{now: func() time.Time { return now }}
	for _, test := range []struct {
		name     string
		deadline time.Time
		want     float64
	}{
		{"no deadline", time.Time{}, 0},
		{"one to come", now.Add(time.Minute), 0},
		{"one that has passed", now.Add(-1500 * time.Millisecond), 1.5},
	} {
		if got := s.lag(test.deadline); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestStored_DatabaseAway: only what is read from it is left out.
func TestStored_DatabaseAway(t *testing.T) {
	t.Parallel()
	away := func(context.Context, func(domain.Reader) error) error {
		return errors.New("connection refused: canary")
	}
	logged := newTranscript()
	s := &server{metrics: newMetrics(new(logBuffer)), logger: newLogger(logged, slog.LevelInfo)}
	missing := filepath.Join(t.TempDir(), "no.db")
	stop, err := s.serveMetrics("127.0.0.1:0", &stored{view: away, now: time.Now, files: map[string]string{"database": missing}})
	if err != nil {
		t.Fatal(err)
	}
	address := logged.await(t, 1, `"address":"([^"]+)"`)[1]
	status, text := get(t, "http://"+address+"/metrics", "")
	if status != http.StatusOK || !strings.Contains(text, "countersign_waits{") || !strings.Contains(text, `countersign_database_bytes{file="database"} 0`) {
		t.Errorf("status %d:\n%s", status, text)
	}
	if strings.Contains(text, "countersign_log_entries") || strings.Contains(text, "canary") {
		t.Errorf("the database is away, and yet:\n%s", text)
	}
	stop()
	if !strings.Contains(logged.String(), "connection refused") {
		t.Errorf("the log does not say why: %s", logged)
	}
}
