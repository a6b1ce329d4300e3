package credential_test

import (
	"strings"
	"testing"

	"countersign/domain/credential"
)

func TestSealIsForOnePassword(t *testing.T) {
	t.Parallel()
	const mine, text = "$argon2id$v=19$mine", "not on a Friday"
	sealed := credential.Seal(mine, []byte(text))
	if strings.Contains(sealed, "Friday") || sealed == credential.Seal(mine, []byte(text)) {
		t.Errorf("sealed as %q: the words can be seen, or are sealed the same each time", sealed)
	}
	broken := []byte(sealed)
	broken[len(broken)/2] ^= 1
	for _, tc := range []struct {
		name, password, sealed, want string
		ok                           bool
	}{
		{"the same password", mine, sealed, text, true},
		{"another password", "$argon2id$v=19$other", sealed, "", false},
		{"changed on the way", mine, string(broken), "", false},
		{"cut off", mine, sealed[:20], "", false},
		{"not base64", mine, "§", "", false},
		{"nothing", mine, "", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := credential.Open(tc.password, tc.sealed)
			if string(got) != tc.want || ok != tc.ok {
				t.Errorf("Open = %q, %v, want %q, %v", got, ok, tc.want, tc.ok)
			}
		})
	}
}
