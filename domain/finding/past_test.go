package finding

import "testing"

// The tests' now is 2 March 2026, 9:30 UTC.
func TestPast_Looks(t *testing.T) {
	t.Parallel()
	expectSamples(t, findPast, Look, []sample{
		{args: `{"execute_at":"2026-02-20T10:00:00Z"}`, says: "The time was 9 days ago"},
		{args: `{"runAt":"2025-03-10T10:00:00+01:00"}`, says: "The time was 35"},
		{args: `{"job":{"scheduled_for":"2026-02-27 08:00"}}`, says: "The time was 3 days ago"},
		{args: `{"send_at":"2026-02-01T08:00"}`, says: "The time was"},
		{args: `{"effective_date":"2024-01-01"}`, says: "The time was"},
		{args: `{"value-date":"2026-02-27"}`, says: "The time was"},
		{args: `{"publish_at":"2025-12-31 23:59:59"}`, says: "The time was"},
		{args: `{"start":"2025-03-12T10:00:00+01:00"}`, says: "The time was", tool: "create_event"},
		{args: `{"slots":[{"when":"2026-02-03"}]}`, says: "The time was", tool: "bookAppointment"},
	})
}

func TestPast_IsSilentAboutOtherTimes(t *testing.T) {
	t.Parallel()
	expectNothing(t, findPast, []string{
		`{"execute_at":"2026-03-03T10:00:00Z"}`,
		`{"execute_at":"2026-03-01T08:00:00Z"}`,
		`{"execute_at":"2026-03-01"}`,
		`{"created_at":"2020-01-01T00:00:00Z"}`,
		`{"since":"2026-01-01","until":"2026-02-01"}`,
		`{"start":"2026-01-01","date":"2026-01-02"}`,
		`{"birthday":"1980-05-06"}`,
		`{"execute_at":"now"}`,
		`{"execute_at":"03.02.2026"}`,
		`{"execute_at":"2026-02-30"}`,
		`{"execute_at":""}`,
		`{"run_at":"٢٠٢٥-٠١-٠١"}`,
		`{"run_at":1.5,"send_at":null}`,
		`{"run_at":"1,5 h"}`,
	})
	r := requestOf(t, "call", `{"valid_from":"2024-01-01"}`)
	r.Reason = "Correct the contract of 2024"
	if found := foundIn(t, findPast, r); len(found) > 0 {
		t.Errorf("the reason names the year: %+v", found)
	}
}

func TestPast_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "2024", findPast, requestOf(t, "call", `{"run_at":"2024-01-01","checked":1}`))
}
