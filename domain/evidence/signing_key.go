package evidence

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// SigningKey signs checkpoints with Ed25519. Its name is the origin of the log. A
// restored log, which makes new promises, has another key with another name.
type SigningKey struct {
	signer note.Signer
	text   string
	vkey   string
	seed   []byte
}

var errKey = errors.New("this is not a signing key")

// NewOrigin returns a random name for a log, or for an epoch of it.
func NewOrigin(random io.Reader) (string, error) {
	id := make([]byte, 8)
	if _, err := io.ReadFull(random, id); err != nil {
		return "", err
	}
	return "countersign/" + hex.EncodeToString(id), nil
}

// NewSigningKey generates a key for an origin.
func NewSigningKey(random io.Reader, origin string) (*SigningKey, error) {
	text, _, err := note.GenerateKey(random, origin)
	if err != nil {
		return nil, err
	}
	return ParseSigningKey(text)
}

// ParseSigningKey reads what Secret returns.
func ParseSigningKey(text string) (*SigningKey, error) {
	text = strings.TrimSpace(text)
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, errKey // the library's error might contain the secret
	}
	_, encoded, _ := strings.Cut(text[len("PRIVATE+KEY+"+signer.Name()+"+"):], "+")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) != 1+ed25519.SeedSize {
		return nil, errKey
	}
	public := ed25519.NewKeyFromSeed(data[1:]).Public().(ed25519.PublicKey)
	vkey, err := note.NewEd25519VerifierKey(signer.Name(), public)
	return &SigningKey{signer, text, vkey, data[1:]}, err
}

// Origin returns the name of the log that the key signs for.
func (k *SigningKey) Origin() string { return k.signer.Name() }

// VKey returns the public half, for auditors.
func (k *SigningKey) VKey() string { return k.vkey }

// Secret returns the private half, which must be kept apart from the database.
func (k *SigningKey) Secret() string { return k.text }

// MAC returns the HMAC-SHA-256 of a message, under a key that HKDF derives from this
// one for a purpose: a MAC for one purpose is invalid for any other.
func (k *SigningKey) MAC(purpose string, message []byte) ([]byte, error) {
	derived, err := hkdf.Key(sha256.New, k.seed, nil, "countersign/mac/v1/"+purpose, sha256.Size)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, derived)
	mac.Write(message)
	return mac.Sum(nil), nil
}
