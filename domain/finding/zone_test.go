package finding

import "testing"

func TestCompareZones_FindsInstantsOutside(t *testing.T) {
	t.Parallel()
	checkKind(t, "zone", Look, []contradiction{
		{"Call at 9 am New York time", `{"start":"2026-03-05T09:00:00Z"}`, "/start"},
		{"Between 22:00 and 04:00 in Berlin", `{"at":"2026-01-12T12:00:00Z"}`, "/at"},
		{"Release at 14:30 CET", `{"when":"2026-01-12T14:30:00-05:00"}`, "/when"},
		{"Treffen um 9 Uhr in Tokio", `{"start":"2026-01-12T09:00:00+01:00"}`, "/start"},
		{"Réunion à 14h30 à Paris", `{"debut":"2026-07-12T14:30:00Z"}`, "/debut"},
		{"Window 1-5 am Sydney", `{"from":"2026-01-12T03:00:00Z","to":"2026-01-12T04:00:00Z"}`, "/from"},
		{"Reunión en Ciudad de México a las 10:00", `{"hora":"2026-01-12T10:00:00Z"}`, "/hora"},
		{"東京18:00に集荷", `{"pickup":"2026-04-02T18:00:00Z"}`, "/pickup"},
		{"اجتماع في دبي ١٠:٠٠", `{"at":"2026-04-02T10:00:00Z"}`, "/at"},
		{"Start at 9 am London", `{"start":"2026-07-02T09:00:00","timezone":"America/New_York"}`, "/start"},
	}, [][2]string{
		{"Call at 9 am New York time", `{"start":"2026-03-05T14:00:00Z"}`},
		{"Call at 9 am New York time", `{"start":"2026-07-05T13:00:00Z"}`},
		{"Between 22:00 and 04:00 in Berlin", `{"at":"2026-01-12T01:00:00Z"}`},
		{"Dinner in Paris at 7 pm", `{"at":"2026-01-12T19:00:00"}`},
		{"Before 9 am New York", `{"at":"2026-03-05T11:00:00Z"}`},
		{"Vor 9 Uhr in Wien", `{"at":"2026-03-05T05:00:00Z"}`},
		{"Ship 12 boxes to Oslo", `{"at":"2026-03-05T05:00:00Z"}`},
		{"At 9 am", `{"at":"2026-03-05T05:00:00Z"}`},
		{"From London 9 am to New York", `{"at":"2026-01-05T09:00:00Z"}`},
		{"Réunion à 14h30 à Paris", `{"debut":"2026-07-12T12:30:00Z"}`},
		{"Pay 12.50 in Rome", `{"at":"2026-07-12T09:30:00Z"}`},
		{"東京18:00に集荷", `{"pickup":"2026-04-02T09:00:00Z"}`},
		{"Am 04.03.2026 in Berlin", `{"at":"2026-07-12T09:30:00Z"}`},
		{"Ratio 16:9 for the Tokyo screen", `{"size":"1920x1080"}`},
		{"9 am New York", `{"start":"2026-03-05T14:00:00Z","end":"2026-03-05T15:00:00Z"}`},
		{"Start at 9 am London", `{"start":"2026-07-02T09:00:00","timezone":"Europe/London"}`},
		{"اجتماع في دبي ١٠:٠٠", `{"at":"2026-04-02T06:00:00Z"}`},
	})
}
