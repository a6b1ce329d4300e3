package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
)

const sealPurpose = "countersign/seal/v1"

// Seal encrypts text, so that only Open with the same password decrypts it; password is
// what Hash returned. The result is base64url, and worthless after the password
// changes.
func Seal(password string, text []byte) string {
	return base64.RawURLEncoding.EncodeToString(sealer(password).Seal(nil, nil, text, nil))
}

// Open decrypts what Seal encrypted. ok is false if it was sealed for another password,
// or was changed.
func Open(password, sealed string) (text []byte, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, false
	}
	text, err = sealer(password).Open(nil, nil, raw, nil)
	return text, err == nil
}

// sealer returns a cipher whose key cannot be guessed: a hashed password contains a
// random salt of 128 bits. With these sizes no step fails.
func sealer(password string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(password), nil, sealPurpose, 32)
	if err != nil {
		panic("credential: " + err.Error())
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("credential: " + err.Error())
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("credential: " + err.Error())
	}
	return aead
}
