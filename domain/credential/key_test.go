package credential_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"countersign/domain/credential"
)

// zeroKey is the key of 48 zero bytes: every part is padded to its full width.
const zeroKey = "cs_000000000000_000000000000000000000000000000000000000000012xKc9"

func newKey(tb testing.TB) credential.Key {
	tb.Helper()
	key, err := credential.NewKey(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, hash string
		random           []byte
	}{
		{"all zeros", zeroKey, "a0a5a30ed166147070ad7def7ef9099b9a93a7e8f7c3ccb75fe46fdf5f75af59", make([]byte, 48)},
		{"all ones", "cs_LK9N8MT7fHC7_YHJSKWDa6oz1al1yMhwzwM8llg7hJNUca2J5RoW8xP104E6mB", "ee4776a4af1f361b8383a61d4b604eb6fd4d5fb241a34c5dc562a3a8e0522a0e", bytes.Repeat([]byte{0xff}, 48)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, err := credential.NewKey(bytes.NewReader(tt.random))
			if err != nil {
				t.Fatal(err)
			}
			if key.Text != tt.text {
				t.Errorf("Text = %q, want %q", key.Text, tt.text)
			}
			if got := hex.EncodeToString(key.Hash); got != tt.hash {
				t.Errorf("Hash = %s, want %s", got, tt.hash)
			}
			if want := tt.text[3:15]; key.ID != want {
				t.Errorf("ID = %q, want %q", key.ID, want)
			}
		})
	}
}

func TestNewKeyNeedsAllItsRandomness(t *testing.T) {
	t.Parallel()
	key, err := credential.NewKey(bytes.NewReader(make([]byte, 47)))
	if key.Text != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewKey = %+v, %v; want an unexpected end of randomness", key, err)
	}
}

func TestKeyRoundTrip(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 1000 {
		key := newKey(t)
		id, hash, err := credential.ParseKey(key.Text)
		if err != nil || id != key.ID || !credential.Equal(hash, key.Hash) {
			t.Fatalf("ParseKey(%q) = %q, %x, %v; made as %+v", key.Text, id, hash, err, key)
		}
		if seen[key.ID] || len(key.Text) != len(zeroKey) {
			t.Fatalf("%q is a repetition or of another length", key.Text)
		}
		seen[key.ID] = true
	}
}

func TestParseKeyRefusesOneFlippedCharacter(t *testing.T) {
	t.Parallel()
	text := newKey(t).Text
	for i := range text {
		for c := range 256 {
			flipped := text[:i] + string([]byte{byte(c)}) + text[i+1:]
			if flipped == text {
				continue
			}
			if _, _, err := credential.ParseKey(flipped); !errors.Is(err, credential.ErrKey) {
				t.Errorf("ParseKey(%q), made from %q: error = %v", flipped, text, err)
			}
		}
	}
}

func TestParseKeyRefusesOtherShapes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"empty", ""},
		{"space before", " " + zeroKey},
		{"line break after", zeroKey + "\n"},
		{"scheme before", "Bearer " + zeroKey},
		{"cut off", zeroKey[:len(zeroKey)-1]},
		{"one more", zeroKey + "0"},
		{"twice", zeroKey + zeroKey},
		{"upper case prefix", "CS" + zeroKey[2:]},
		{"two digits swapped", "cs_" + swap(newKey(t).Text[3:])},
		{"full-width digit", strings.Replace(zeroKey, "_00", "_\uff10", 1)},
		{"redacted", credential.Redact(zeroKey)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id, hash, err := credential.ParseKey(tt.text)
			if id != "" || hash != nil || !errors.Is(err, credential.ErrKey) {
				t.Errorf("ParseKey(%q) = %q, %x, %v", tt.text, id, hash, err)
			}
		})
	}
}

// swap exchanges the first two neighbours that differ.
func swap(s string) string {
	i := 0
	for s[i] == s[i+1] {
		i++
	}
	return s[:i] + s[i+1:i+2] + s[i:i+1] + s[i+2:]
}

func TestEqual(t *testing.T) {
	t.Parallel()
	hash, other := newKey(t).Hash, newKey(t).Hash
	tests := []struct {
		name string
		a, b []byte
		want bool
	}{
		{"same", hash, bytes.Clone(hash), true},
		{"other", hash, other, false},
		{"beginning", hash, hash[:31], false},
		{"two beginnings", hash[:31], hash[:31], false},
		{"two absent", nil, nil, false},
		{"two empty", []byte{}, []byte{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := credential.Equal(tt.a, tt.b); got != tt.want {
				t.Errorf("Equal = %t, want %t", got, tt.want)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	const redacted = "cs_000000000000_…"
	tests := []struct{ name, in, want string }{
		{"alone", zeroKey, redacted},
		{"in a header", "Authorization: Bearer " + zeroKey + "\r\n", "Authorization: Bearer " + redacted + "\r\n"},
		{"in a protocol list", "countersign.v1, bearer." + zeroKey, "countersign.v1, bearer." + redacted},
		{"in a query", "/x?key=" + zeroKey + "&y=1", "/x?key=" + redacted + "&y=1"},
		{"after a letter", "x" + zeroKey, "x" + redacted},
		{"two", zeroKey + " " + zeroKey, redacted + " " + redacted},
		{"cut off", zeroKey[:20], redacted},
		{"with more digits", zeroKey + "00", redacted},
		{"already redacted", redacted, redacted},
		{"id alone", "cs_000000000000", "cs_000000000000"},
		{"another word", "docs_api_reference", "docs_api_reference"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := credential.Redact(tt.in); got != tt.want {
				t.Errorf("Redact(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add(zeroKey)
	f.Add(newKey(f).Text)
	f.Add(zeroKey + "\n")
	f.Add("cs_000000000000_")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		id, hash, err := credential.ParseKey(text)
		if err != nil {
			if id != "" || hash != nil {
				t.Errorf("ParseKey(%q) = %q, %x beside the error %v", text, id, hash, err)
			}
			return
		}
		if want := "cs_" + id + "_…"; credential.Redact(text) != want {
			t.Errorf("Redact(%q) = %q, want %q", text, credential.Redact(text), want)
		}
		if len(hash) != 32 {
			t.Errorf("ParseKey(%q) gives a hash of %d bytes", text, len(hash))
		}
	})
}
