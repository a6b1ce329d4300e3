package credential

import (
	"errors"
	"strings"
	"testing"
)

const (
	salt22 = "AAECAwQFBgcICQoLDA0ODw"
	key43  = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	goodPH = "$argon2id$v=19$m=19456,t=2,p=1$" + salt22 + "$" + key43
)

func TestParsePHC(t *testing.T) {
	t.Parallel()
	with := func(params string) string { return "$argon2id$v=19$" + params + "$" + salt22 + "$" + key43 }
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"default parameters", goodPH, true},
		{"smallest parameters", with("m=8,t=1,p=1"), true},
		{"largest parameters", with("m=131072,t=10,p=8"), true},
		{"empty", "", false},
		{"text before", " " + goodPH, false},
		{"line break after", goodPH + "\n", false},
		{"other algorithm", strings.Replace(goodPH, "argon2id", "argon2i", 1), false},
		{"other version", strings.Replace(goodPH, "v=19", "v=16", 1), false},
		{"no version", strings.Replace(goodPH, "$v=19", "", 1), false},
		{"too much memory", with("m=131073,t=2,p=1"), false},
		{"memory beyond 32 bits", with("m=4294967304,t=2,p=1"), false},
		{"too little memory for the lanes", with("m=15,t=2,p=2"), false},
		{"too many passes", with("m=19456,t=11,p=1"), false},
		{"no pass", with("m=19456,t=0,p=1"), false},
		{"too many lanes", with("m=19456,t=2,p=9"), false},
		{"no lane", with("m=19456,t=2,p=0"), false},
		{"leading zero", with("m=019456,t=2,p=1"), false},
		{"sign", with("m=+19456,t=2,p=1"), false},
		{"other order", with("t=2,m=19456,p=1"), false},
		{"parameter missing", with("m=19456,t=2"), false},
		{"parameter added", with("m=19456,t=2,p=1,data=AA"), false},
		{"salt too short", strings.Replace(goodPH, salt22, salt22[1:], 1), false},
		{"key too short", goodPH[:len(goodPH)-1], false},
		{"padded base64", goodPH + "=", false},
		{"salt's spare bits set", strings.Replace(goodPH, salt22, salt22[:21]+"x", 1), false},
		{"key's spare bits set", goodPH[:len(goodPH)-1] + "9", false},
		{"URL base64", strings.Replace(goodPH, salt22, "_"+salt22[1:], 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, err := parsePHC(tt.text)
			switch {
			case tt.ok && err != nil:
				t.Fatalf("parsePHC(%q) = %v", tt.text, err)
			case tt.ok && h.String() != tt.text:
				t.Errorf("String() = %q, want %q", h, tt.text)
			case !tt.ok && !errors.Is(err, ErrPHC):
				t.Errorf("parsePHC(%q) error = %v, want ErrPHC", tt.text, err)
			}
		})
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add(goodPH)
	f.Add("$argon2id$v=19$m=8,t=1,p=1$" + salt22 + "$" + key43)
	f.Add("$argon2id$v=19$m=4294967295,t=2,p=255$" + salt22 + "$" + key43)
	f.Add("$2b$12$abcdefghijklmnopqrstuv")
	f.Add("$$$$$")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parsePHC(text)
		if err != nil {
			return
		}
		if !h.params.valid() || len(h.salt) != saltSize || len(h.key) != keySize {
			t.Errorf("parsePHC(%q) accepted %+v", text, h)
		}
		if h.String() != text {
			t.Errorf("parsePHC(%q) reads another spelling of %q", text, h)
		}
	})
}
