package main

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// deliveryValues are the metrics of deliveries that a scrape gathers: counters that are
// not 0, and all gauges.
func deliveryValues(t *testing.T, m *metrics) map[string]float64 {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		name, isDelivery := strings.CutPrefix(family.GetName(), "countersign_deliver")
		for _, metric := range family.GetMetric() {
			series := name
			for _, label := range metric.GetLabel() {
				series += " " + label.GetValue()
			}
			switch {
			case !isDelivery:
			case metric.GetGauge() != nil:
				values[series] = metric.GetGauge().GetValue()
			case metric.GetCounter().GetValue() > 0:
				values[series] = metric.GetCounter().GetValue()
			}
		}
	}
	return values
}

// TestMetrics_Deliveries follows entries through the log, the queue and a failed attempt.
func TestMetrics_Deliveries(t *testing.T) {
	t.Parallel()
	h := newHouse(t, tempDB(t))
	_, asker := h.key(domain.KeyInput{Name: "asker", Roles: []string{"executor"}})
	m := newMetrics(new(logBuffer))
	now := h.now() // nothing is overdue
	if err := m.registry.Register(&stored{view: h.db.View, now: func() time.Time { return now }}); err != nil {
		t.Fatal(err)
	}
	want := func(step string, values map[string]float64) {
		t.Helper()
		all := map[string]float64{"ies_waiting standard": 0, "ies_waiting slack": 0, "ies_waiting teams": 0, "y_lag_seconds": 0, "y_queue_lag": 0}
		maps.Copy(all, values)
		if got := deliveryValues(t, m); !maps.Equal(got, all) {
			t.Errorf("%s: %v, want %v", step, got, all)
		}
	}
	const request = `{"target_type":"other","actions":[{"name":"pay","args":{}}]}`
	h.post(asker, request)
	want("nobody to tell", nil)
	hook := newHook(t)
	svc := domain.NewService(h.db, domain.Config{Feed: h.feed, Now: h.now, CheckAddress: hook.sender().CheckURL, Limits: unlimited(), Hasher: cheap()})
	d, _, err := svc.CreateDestination(t.Context(), domain.System, domain.DestinationInput{Name: "canary", Format: domain.FormatStandard,
		Address: hook.URL + "/canary", Types: []string{"confirm.requested"}, Details: domain.DetailsNames})
	if err != nil {
		t.Fatal(err)
	}
	h.post(asker, request)
	h.post(asker, request)
	want("not queued", map[string]float64{"y_queue_lag": 3}) // that the destination was created, too
	if _, err := svc.QueueDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("queued", map[string]float64{"ies_waiting standard": 2})
	due, err := svc.ClaimDeliveries(t.Context(), d.ID)
	if err != nil || len(due) != 2 {
		t.Fatal(due, err)
	}
	s := &server{metrics: m, sender: hook.sender()}
	results := []domain.DeliveryResult{s.send(t.Context(), due[0])}
	hook.Close()
	results = append(results, s.send(t.Context(), due[1]))
	if err := svc.RecordDeliveries(t.Context(), d.ID, results); err != nil {
		t.Fatal(err)
	}
	want("one failed", map[string]float64{"ies_waiting standard": 1, "ies_total standard sent": 1, "ies_total standard failed": 1})
	var next time.Time
	if err := h.db.View(t.Context(), func(r domain.Reader) (err error) {
		next, err = r.NextDelivery(d.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	now = next.Add(90 * time.Second)
	want("overdue", map[string]float64{"ies_waiting standard": 1, "y_lag_seconds": 90, "ies_total standard sent": 1, "ies_total standard failed": 1})
}

// TestMetrics_NothingOfAdministrators: destinations add no series and no text.
func TestMetrics_NothingOfAdministrators(t *testing.T) {
	t.Parallel()
	m := startMeasured(t)
	series := strings.Count(m.scrape(), "\ncountersign_deliver")
	for _, name := range []string{"canary-one", "canary-two"} {
		words := []string{"destination", "add", name, "--format", "slack", "--url-stdin", "--event", "role.*", "--db", m.db}
		if code := run(t.Context(), words, noEnvironment, strings.NewReader("https://canary.example.org/"+name), io.Discard, io.Discard); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
	}
	if status, _ := get(t, m.base+"/healthz", ""); status != http.StatusOK {
		t.Fatal(status)
	}
	text := m.scrape()
	if got := strings.Count(text, "\ncountersign_deliver"); got != series || series != 11 {
		t.Errorf("%d series, %d before, want 11", got, series)
	}
	if i := slices.IndexFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Contains(line, "canary") }); i >= 0 {
		t.Errorf("line %d of the metrics has what an administrator wrote", i)
	}
}
