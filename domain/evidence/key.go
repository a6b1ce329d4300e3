package evidence

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// SigningKey signs checkpoints with Ed25519. Its name is the origin of the
// checkpoints it signs, so a restored log, whose promises are new, has another
// key under another name.
type SigningKey struct {
	signer note.Signer
	text   string
	vkey   string
}

var errKey = errors.New("this is not a signing key")

// NewOrigin makes the name of a log, or of an epoch of it.
func NewOrigin(random io.Reader) (string, error) {
	id := make([]byte, 8)
	if _, err := io.ReadFull(random, id); err != nil {
		return "", err
	}
	return "countersign/" + hex.EncodeToString(id), nil
}

// NewSigningKey makes a key for an origin.
func NewSigningKey(random io.Reader, origin string) (*SigningKey, error) {
	text, _, err := note.GenerateKey(random, origin)
	if err != nil {
		return nil, err
	}
	return ParseSigningKey(text)
}

// ParseSigningKey reads what Secret gives.
func ParseSigningKey(text string) (*SigningKey, error) {
	text = strings.TrimSpace(text)
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, errKey // the library's error could repeat the secret
	}
	_, encoded, _ := strings.Cut(text[len("PRIVATE+KEY+"+signer.Name()+"+"):], "+")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) != 1+ed25519.SeedSize {
		return nil, errKey
	}
	public := ed25519.NewKeyFromSeed(data[1:]).Public().(ed25519.PublicKey)
	vkey, err := note.NewEd25519VerifierKey(signer.Name(), public)
	return &SigningKey{signer, text, vkey}, err
}

// Origin is the name of the log that the key signs for.
func (k *SigningKey) Origin() string { return k.signer.Name() }

// VKey is the public half, as auditors are given it.
func (k *SigningKey) VKey() string { return k.vkey }

// Secret is the private half, to be kept apart from the database.
func (k *SigningKey) Secret() string { return k.text }
