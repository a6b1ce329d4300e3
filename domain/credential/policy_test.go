package credential_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/domain/credential"
)

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, password, user string
		want                 error
	}{
		{"phrase", passphrase, "reviewer", nil},
		{"twelve characters", "kT9#vm2Lq!xz", "reviewer", nil},
		{"twelve characters of several bytes", "žluťoučkýůňů", "reviewer", nil},
		{"256 characters", strings.Repeat("ö", 100) + strings.Repeat(passphrase, 6), "reviewer", nil},
		{"one class of characters", "anchorsdriftnorth", "reviewer", nil},
		{"only digits, in no order", "730159482617", "reviewer", nil},
		{"some neighbours", "abc-violet-1234-anchor", "reviewer", nil},
		{"long pattern twice", "anchors-drift anchors-drift ", "reviewer", nil},

		{"empty", "", "reviewer", credential.TooShort},
		{"eleven characters", "kT9#vm2Lq!x", "reviewer", credential.TooShort},
		{"eleven characters in 22 bytes", "žščřďťňěůáí", "reviewer", credential.TooShort},
		{"257 characters", strings.Repeat(passphrase, 10)[:257], "reviewer", credential.TooLong},

		{"well-known", "password1234", "reviewer", credential.Common},
		{"well-known in other case", "CorrectHorseBatteryStaple", "reviewer", credential.Common},
		{"well-known with a Kelvin sign", "mon\u212aey123456", "reviewer", credential.Common},
		{"columns of the keyboard", "1qaz2wsx3edc", "reviewer", credential.Common},
		{"well-known in Cyrillic", "ПАРОЛЬ123456", "reviewer", credential.Common},

		{"one character", "aaaaaaaaaaaa", "reviewer", credential.Repetitive},
		{"one character in both cases", "aAaAAaaAaAAA", "reviewer", credential.Repetitive},
		{"one character, 256 times", strings.Repeat("🔒", 256), "reviewer", credential.Repetitive},
		{"two characters", "xyxyxyxyxyxy", "reviewer", credential.Repetitive},
		{"short password twice", "violetviolet", "reviewer", credential.Repetitive},
		{"last turn cut off", "violet-violet-vio", "reviewer", credential.Repetitive},

		{"letters up", "abcdefghijkl", "reviewer", credential.Sequential},
		{"letters down", "ZYXWVUTSRQPO", "reviewer", credential.Sequential},
		{"digits round", "1234567890123", "reviewer", credential.Sequential},
		{"digits down", "9876543210987", "reviewer", credential.Sequential},
		{"rows of the keyboard", "qwertyuiopasdfghjkl", "reviewer", credential.Sequential},
		{"rows of the keyboard backwards", "poiuytrewqlkjh", "reviewer", credential.Sequential},
		{"letters, then digits", "abcdef123456", "reviewer", credential.Sequential},
		{"three standing still", "aaaabbbbcccc", "reviewer", credential.Sequential},
		{"Cyrillic letters", "абвгдежзийкл", "reviewer", credential.Sequential},

		{"name within", "violet-reviewer-north", "reviewer", credential.ContainsName},
		{"name in other case", "violet-REVIEWER-north", "Reviewer", credential.ContainsName},
		{"name with spaces around", "violet-reviewer-north", " reviewer ", credential.ContainsName},
		{"name of three characters", "violet-ops-north", "ops", credential.ContainsName},
		{"name of two characters", "violet-qa-north", "qa", nil},
		{"no name", passphrase, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := credential.CheckPassword(tt.password, tt.user); !errors.Is(got, tt.want) {
				t.Errorf("CheckPassword(%q, %q) = %v, want %v", tt.password, tt.user, got, tt.want)
			}
		})
	}
}

// An entry that is too short, or that a rule refuses before the list is asked,
// is not worth its bytes.
func TestEveryCommonPasswordIsNeeded(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("common.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Error("common.txt is not sorted or has doubles")
	}
	for _, password := range list {
		if got := credential.CheckPassword(password, ""); got != credential.Common {
			t.Errorf("CheckPassword(%q) = %v, want %v", password, got, credential.Common)
		}
		if got := credential.CheckPassword(strings.ToUpper(password), ""); got != credential.Common {
			t.Errorf("CheckPassword(%q in upper case) = %v, want %v", password, got, credential.Common)
		}
	}
}
