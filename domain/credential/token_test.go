package credential_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"countersign/domain/credential"
)

func newToken(tb testing.TB) credential.Token {
	tb.Helper()
	token, err := credential.NewToken(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return token
}

func TestNewToken(t *testing.T) {
	t.Parallel()
	token, err := credential.NewToken(bytes.NewReader(bytes.Repeat([]byte{0xff}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	if want := "__________________________________________8"; token.Text != want {
		t.Errorf("Text = %q, want %q", token.Text, want)
	}
	if got, want := hex.EncodeToString(token.Hash), "c37798558ee2737c71e736f7b3ef8f0bc6fdc2b045b572dfb664a8677c0d49eb"; got != want {
		t.Errorf("Hash = %s, want %s", got, want)
	}
	// The pad of zeros leaves what is masked as it is.
	bare, err := base64.RawURLEncoding.DecodeString("Rtn5WxyQmlQmjBPaTsgqdpCp5mav6bR59yNcbz9EvkI")
	if err != nil {
		t.Fatal(err)
	}
	if form := base64.RawURLEncoding.EncodeToString(append(make([]byte, 32), bare...)); !credential.CheckFormToken(token.Text, form) {
		t.Errorf("CheckFormToken(%q) = false, want it to derive the same for good", form)
	}
}

func TestNewTokenNeedsAllItsRandomness(t *testing.T) {
	t.Parallel()
	token, err := credential.NewToken(bytes.NewReader(make([]byte, 31)))
	if token.Text != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewToken = %+v, %v; want an unexpected end of randomness", token, err)
	}
}

func TestHashTokenFindsOnlyItsToken(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	if !credential.Equal(credential.HashToken(token.Text), token.Hash) {
		t.Errorf("HashToken(%q) is not the hash it was made with", token.Text)
	}
	for i := range token.Text {
		flipped := []byte(token.Text)
		flipped[i] ^= 1
		if credential.Equal(credential.HashToken(string(flipped)), token.Hash) {
			t.Errorf("%q has the hash of %q", flipped, token.Text)
		}
	}
	if newToken(t).Text == token.Text {
		t.Errorf("two tokens are both %q", token.Text)
	}
}

func TestCheckFormToken(t *testing.T) {
	t.Parallel()
	session, other := newToken(t).Text, newToken(t).Text
	tests := []struct {
		name, session, token string
		want                 bool
	}{
		{"own", session, credential.FormToken(session), true},
		{"another session's", session, credential.FormToken(other), false},
		{"cut off", session, credential.FormToken(session)[:85], false},
		{"padded", session, credential.FormToken(session) + "=", false},
		{"missing", session, "", false},
		{"a pad alone", session, strings.Repeat("A", 43), false},
		{"not masked", session, "Rtn5WxyQmlQmjBPaTsgqdpCp5mav6bR59yNcbz9EvkI", false},
		{"the session's own text", session, session, false},
		{"no session", "", credential.FormToken(""), false},
		{"neither", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := credential.CheckFormToken(tt.session, tt.token); got != tt.want {
				t.Errorf("CheckFormToken(%q, %q) = %t, want %t", tt.session, tt.token, got, tt.want)
			}
		})
	}
}

func TestFormTokenIsMaskedAnewForEachPage(t *testing.T) {
	t.Parallel()
	session := newToken(t).Text
	first, second := credential.FormToken(session), credential.FormToken(session)
	for i := range first[:40] {
		if strings.Contains(second, first[i:i+8]) {
			t.Errorf("%q and %q have %q in common", first, second, first[i:i+8])
		}
	}
	for _, token := range []string{first, second} {
		if !credential.CheckFormToken(session, token) {
			t.Errorf("CheckFormToken(%q) = false", token)
		}
	}
}
