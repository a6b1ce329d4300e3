package finding

import (
	"testing"

	"countersign/domain/reading"
)

func TestNoteAgreements_NotesWhatIsAsInProse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason, args string
		noted        int
	}{
		{"Pay account 4021 8876 31", `{"account":"4021887631"}`, 1},
		{"Pay 4,870.50 EUR", `{"amount":4870.50}`, 1},
		{"Pay 49.90 EUR", `{"amount":49.9,"other":49.9}`, 2},
		{"Zahle 1.500,00 €", `{"amount_minor":150000}`, 1},
		{"Scale to 240 replicas", `{"replicas":240}`, 1},
		{"زيادة العدد إلى ٣٢٠", `{"count":320}`, 1},
		{"Deploy 9f3c2ab14d", `{"commit":"9F3C2AB14D"}`, 1},
		{"Zahle 1.500 EUR an DE89 3704 0044 0532 0130 00", `{"betrag":1500,"iban":"DE89370400440532013000"}`, 2},
		{"Scale to 24 replicas", `{"replicas":24}`, 0},
		{"12.500 Stück", `{"menge":12500}`, 0},
		{"Pay account 4021 8876 31", `{"account":"40218876"}`, 0},
		{"Rate of 150%", `{"n":150}`, 0},
		{"Version 150", `{"n":150}`, 0},
		{"On 2026-03-04", `{"date":"2026-03-04"}`, 0},
		{"Budget2026", `{"file":"budget2026"}`, 0},
		{"Hello", `{"text":"hello"}`, 0},
		{"Room B120", `{"n":120}`, 0},
		{"", `{"n":120}`, 0},
		{"Pay 49.90 EUR", `{"n":4990}`, 0},
		{"à 10:30", `{"n":1030}`, 0},
	} {
		args, err := reading.Parse([]byte(c.args))
		if err != nil {
			t.Fatal(err)
		}
		noted := 0
		for _, f := range Of(&Request{Reason: c.reason, Actions: []Action{{Args: args}}}) {
			if f.Kind == "agree" && f.Level == Note && f.Says == "As in the reason" {
				noted++
			}
		}
		if noted != c.noted {
			t.Errorf("%s %s: %d notes, want %d", c.reason, c.args, noted, c.noted)
		}
	}
}
