package finding

import "testing"

func TestCompareDates_FindsAnotherDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, args, pointer string }{
		{"Move the meeting to Thursday 26 November 2026", `{"start":"2026-11-27T09:00:00Z"}`, "/start"},
		{"Déplacer au jeudi 26 novembre 2026 de 14 h à 15 h", `{"debut":"2026-11-27T14:00:00+01:00","fin":"2026-11-27T15:00:00+01:00"}`, "/debut"},
		{"Am 5. Mai die Maschine warten", `{"termin":"2026-06-05"}`, "/termin"},
		{"Book May 12th for the inspection", `{"date":"2026-05-21"}`, "/date"},
		{"Reservar el 3 de abril", `{"fecha":"2026-04-13"}`, "/fecha"},
		{"Release it on 2026-04-01.", `{"at":"2026-04-11T08:00:00Z"}`, "/at"},
		{"Prenota per il 9 giugno", `{"giorno":"2026-07-09","posti":4}`, "/giorno"},
		{"Перенести на 12 марта", `{"start":"2026-03-21T10:00"}`, "/start"},
		{"Move the meeting to 26 November", `{"start":"2026-11-26T09:00:00Z"}`, ""},
		{"Move the meeting to 26 November", `{"start":"2026-11-25T23:30:00-08:00"}`, ""},
		{"Pay the invoice due on 30 November", `{"date":"2026-11-27"}`, ""},
		{"Zahlbar bis 30. November", `{"datum":"2026-11-27"}`, ""},
		{"The customer called on 20 February", `{"date":"2026-03-30"}`, ""},
		{"On 20 February 2026 it failed", `{"date":"2026-03-30"}`, ""},
		{"From 3 April to 5 April", `{"from":"2026-04-04"}`, ""},
		{"Book 3 April", `{"from":"2026-04-04","until":"2026-04-06"}`, ""},
		{"Book 3 April", `{"born":"1980-04-04"}`, ""},
		{"Book 3 April", `{"room":"12"}`, ""},
		{"She may come, 12 people in all", `{"date":"2026-05-21"}`, ""},
		{"Book 3 April", `{"text":"for 2026-04-03","remind":"2026-04-01"}`, ""},
	} {
		r := requestOf(t, "call", tt.args)
		r.Reason = tt.reason
		found := foundIn(t, compare, r)
		switch {
		case tt.pointer == "" && len(found) > 0:
			t.Errorf("%s %s: found %+v", tt.reason, tt.args, found)
		case tt.pointer != "" && (len(found) != 1 || found[0].Kind != "date" || found[0].Level != Look || found[0].Pointer != tt.pointer):
			t.Errorf("%s %s: found %+v, want a date at %s", tt.reason, tt.args, found, tt.pointer)
		}
	}
}
