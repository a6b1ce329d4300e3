package finding

import "testing"

func TestTrials_StopsAtATrialInEarnest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, args string
		found        int
	}{
		{"Dry run of the import", `{"dry_run":false}`, 1},
		{"Import as a dry-run. Nothing is written.", `{"dryRun":"false"}`, 1},
		{"See what happens; nothing is written yet", `{"commit":true}`, 1},
		{"Probelauf der Rechnungen", `{"optionen":{"probelauf":false}}`, 1},
		{"Essai à blanc de la paie", `{"simulate":false}`, 1},
		{"A dry run on all hosts", `{"steps":[{"dry_run":true},{"dry_run":false}]}`, 1},
		{"Dry run only", `{"apply":true,"dry_run":true}`, 1},
		{"In test mode", `{"test_mode":0}`, 1},
		{"Dry run of the import", `{"dry_run":true}`, 0},
		{"After the dry run, import them", `{"dry_run":false}`, 0},
		{"The dry run showed no errors", `{"dry_run":false}`, 0},
		{"A dry run passed this morning", `{"dry_run":false}`, 0},
		{"No dry run, please", `{"dry_run":false}`, 0},
		{"Nach dem Probelauf", `{"probelauf":false}`, 0},
		{"Import the customers", `{"dry_run":false}`, 0},
		{"Dry run of the import", `{"dry_run":null,"notify":false}`, 0},
		{"Dry run of the import", `{"commit":"9f1c2ab"}`, 0},
		{"Run it in the dry season", `{"dry_run":false}`, 0},
		{"İDry run", `{"dry_run":false}`, 0},
		{"Après un essai à blanc", `{"simulate":false}`, 0},
	} {
		r := requestOf(t, "call", tt.args)
		r.Reason = tt.reason
		if found := foundIn(t, findTrials, r); len(found) != tt.found || tt.found == 1 && found[0].Level != Stop {
			t.Errorf("%s %s: found %+v, want %d", tt.reason, tt.args, found, tt.found)
		}
	}
}
