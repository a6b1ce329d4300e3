package credential_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
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
	if got, want := credential.FormToken(token.Text), "Rtn5WxyQmlQmjBPaTsgqdpCp5mav6bR59yNcbz9EvkI"; got != want {
		t.Errorf("FormToken = %q, want %q", got, want)
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
		{"cut off", session, credential.FormToken(session)[:42], false},
		{"padded", session, credential.FormToken(session) + "=", false},
		{"missing", session, "", false},
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
