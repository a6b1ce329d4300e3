package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/evidence"
	"countersign/store"
)

// countedFindings are the findings that were counted, and how many series there are.
func countedFindings(t *testing.T, m *metrics) (counted map[string]float64, series int) {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted = map[string]float64{}
	for _, family := range families {
		if family.GetName() != "countersign_findings_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if n := metric.GetCounter().GetValue(); n > 0 {
				counted[labels["kind"]+" "+labels["level"]+" "+labels["decision"]] = n
			}
			series++
		}
	}
	return counted, series
}

// TestMetrics_CountFindings: those of people, by what became of their action, and
// nothing else becomes a label.
func TestMetrics_CountFindings(t *testing.T) {
	t.Parallel()
	m := newMetrics(new(logBuffer))
	_, before := countedFindings(t, m)
	entry := func(cause, findings string) *evidence.Entry {
		return &evidence.Entry{Type: "confirm.rejected", Cause: cause, Data: []byte(`{"findings":[` + findings + `]}`),
			Decisions: []evidence.EntryDecision{{Type: "approve"}, {Type: "edit"}, {Type: "reject"}}}
	}
	const all = `{"kind":"sum","level":"look","action":0},{"kind":"sum","level":"look","action":1},{"kind":"sum","level":"look","action":2},{"kind":"sum","level":"look","action":-1}`
	m.group(store.Group{Entries: []*evidence.Entry{
		entry("human", all), entry("agent", all),
		entry("human", `{"kind":"canary","level":"stop","action":0},{"kind":"sum","level":"canary","action":0}`),
	}})
	counted, series := countedFindings(t, m)
	want := map[string]float64{"sum look approved": 1, "sum look edited": 1, "sum look rejected": 2, "other stop approved": 1}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if series != before {
		t.Errorf("%d series, %d before", series, before)
	}
}
