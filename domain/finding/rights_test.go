package finding

import "testing"

func TestRights_LooksAtMoreThanReading(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, args string
		found        int
	}{
		{"The auditor gets read-only access", `{"role":"roles/owner"}`, 1},
		{"Read access for the auditor", `{"roles":["viewer","project-admin"]}`, 1},
		{"Nur lesen, bis Freitag", `{"rolle":"administrator_write"}`, 1},
		{"Accès en lecture seule", `{"permission":"files:write"}`, 1},
		{"Solo lectura para Ana", `{"permisos":"manage"}`, 1},
		{"View only for the guest", `{"grant":{"access":"full"}}`, 1},
		{"Только чтение", `{"role":"owner"}`, 1},
		{"In sola lettura", `{"ruolo":"delete_all"}`, 1},
		{"The auditor gets read-only access", `{"role":"roles/viewer"}`, 0},
		{"Read access now, write access on Monday", `{"role":"editor-write"}`, 0},
		{"Make Ana an owner", `{"role":"owner"}`, 0},
		{"Read-only for Ana", `{"name":"write a letter","owner":"ana"}`, 0},
		{"Read-only; the admin is Bo", `{"role":"admin"}`, 0},
		{"Read the file", `{"scope":"write"}`, 0},
		{"Nur lesen", `{"rolle":"lesen"}`, 0},
		{"", `{"role":"owner"}`, 0},
		{"Read-only", `{"role":7,"roles":[]}`, 0},
		{"Lecture seule", `{"role":"viewer"}`, 0},
		{"Read-only", `{"access":"read"}`, 0},
		{"للقراءة فقط", `{"role":"owner"}`, 0},
	} {
		r := requestOf(t, "call", tt.args)
		r.Reason = tt.reason
		if found := foundIn(t, findRights, r); len(found) != tt.found {
			t.Errorf("%s %s: found %+v, want %d", tt.reason, tt.args, found, tt.found)
		}
	}
}
