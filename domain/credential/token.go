package credential

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
)

const (
	tokenHashPrefix  = "countersign/token/v1\n"
	formTokenMessage = "countersign/form/v1"
)

// Token is a new opaque token, for a session cookie or a one-time link. Text
// goes to its bearer and is kept nowhere; Hash is what to store and look up.
type Token struct {
	Text string
	Hash []byte
}

// NewToken makes a token of 256 random bits, 43 characters of base64url.
// Randomness is read from source, or from crypto/rand if source is nil; its
// error is the only one.
func NewToken(source io.Reader) (Token, error) {
	random, err := randomBytes(source, 32)
	if err != nil {
		return Token{}, err
	}
	text := base64.RawURLEncoding.EncodeToString(random)
	return Token{Text: text, Hash: HashToken(text)}, nil
}

// HashToken returns what is stored of a token. Any text has a hash; one that was
// never given out equals none stored.
func HashToken(text string) []byte {
	sum := sha256.Sum256([]byte(tokenHashPrefix + text))
	return sum[:]
}

// FormToken returns a token to put into the forms of one page of the session
// whose cookie holds sessionText. It is derived, so nothing needs storing, dies
// with the session, and does not lead back to the cookie. Each is masked anew
// with a random pad that stands before it: two pages never share the bytes that
// an observer could guess at by how well a page compresses (BREACH).
func FormToken(sessionText string) string {
	masked := make([]byte, 2*sha256.Size)
	_, _ = rand.Read(masked[:sha256.Size]) // it never fails
	subtle.XORBytes(masked[sha256.Size:], masked[:sha256.Size], formMAC(sessionText))
	return base64.RawURLEncoding.EncodeToString(masked)
}

// CheckFormToken reports in constant time whether token came from a form of the
// session whose cookie holds sessionText. Without a session no token is right:
// anyone could derive the one of an empty text.
func CheckFormToken(sessionText, token string) bool {
	masked, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(masked) != 2*sha256.Size || sessionText == "" {
		return false
	}
	sent := make([]byte, sha256.Size)
	subtle.XORBytes(sent, masked[:sha256.Size], masked[sha256.Size:])
	return subtle.ConstantTimeCompare(formMAC(sessionText), sent) == 1
}

func formMAC(sessionText string) []byte {
	mac := hmac.New(sha256.New, []byte(sessionText))
	mac.Write([]byte(formTokenMessage))
	return mac.Sum(nil)
}
