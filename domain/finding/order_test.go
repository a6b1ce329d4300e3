package finding

import "testing"

func TestOrder_LooksAtAnEndBeforeItsBeginning(t *testing.T) {
	t.Parallel()
	expectSamples(t, findOrder, Look, []sample{
		{args: `{"starts_at":"2026-04-02T08:00:00Z","ends_at":"2026-04-01T08:00:00Z"}`, says: "“starts_at” is later than “ends_at”"},
		{args: `{"from":"2026-04-02","to":"2026-04-01"}`, says: "“from” is"},
		{args: `{"booking":{"checkIn":"2026-04-02","checkOut":"2026-04-01"}}`, says: "“checkIn” is"},
		{args: `{"valid_from":"2027-01-01","valid_until":"2026-01-01"}`, says: "“valid_from” is"},
		{args: `{"gueltig_ab":"2027-01-01","gueltig_bis":"2026-01-01"}`, says: "“gueltig_ab” is"},
		{args: `{"debut":"2026-04-02T15:00","fin":"2026-04-02T14:00"}`, says: "“debut” is"},
		{args: `{"issue_date":"2026-04-02","due_date":"2026-03-02"}`, says: "“issue_date” is"},
		{args: `{"departure":"2026-04-02T15:00:00+09:00","arrival":"2026-04-02T05:00:00Z"}`, says: "“departure” is"},
		{tool: "book_transport", args: `{"pickup":{"from":"2026-04-03","until":"2026-04-03"},"delivery":{"until":"2026-04-01"}}`, says: "“from” is later than “until”"},
		{args: `{"carrier":"x","stops":[{"pickup_at":"2026-04-03T08:00:00Z"},{"deliver_at":"2026-04-02T08:00:00Z"}]}`, says: "“pickup_at” is"},
	})
}

func TestOrder_IsSilentAboutTimesInOrder(t *testing.T) {
	t.Parallel()
	expectNothing(t, findOrder, []string{
		`{"starts_at":"2026-04-01T08:00:00Z","ends_at":"2026-04-01T09:00:00Z"}`,
		`{"from":"2026-04-01","to":"2026-04-01"}`,
		`{"from":"2026-04-02T23:00:00+02:00","to":"2026-04-02T22:00:00Z"}`,
		`{"from":"2026-04-02","to":"2026-04-01T09:00:00Z"}`,
		`{"departure":"2026-04-02T23:00","arrival":"2026-04-02T16:00"}`,
		`{"start_date":"2026-04-02","end_of_trial":"2026-04-01"}`,
		`{"rows":[{"from":"2026-04-02"},{"to":"2026-04-01"}]}`,
		`{"from":"Hamburg","to":"Bremen"}`,
		`{"from":"22:00","to":"06:00"}`,
		`{"rental":{"delivery_date":"2026-04-01","pickup_date":"2026-04-09"}}`,
		`{"carrier":"x","pickup_at":"2026-04-02","delivery_from":"2026-04-01","delivery_until":"2026-04-03"}`,
		`{"created_at":"2026-04-02","updated_at":"2026-04-01"}`,
	})
}
