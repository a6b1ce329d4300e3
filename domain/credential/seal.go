package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
)

const sealPurpose = "countersign/seal/v1"

// Seal hides text, so that only Open with the same password reads it; password
// is what Hash made of it. The result is base64url and can be left with anybody.
// It dies with the password.
func Seal(password string, text []byte) string {
	return base64.RawURLEncoding.EncodeToString(sealer(password).Seal(nil, nil, text, nil))
}

// Open reads what Seal hid. False: it was sealed for another password, or is not
// as it was.
func Open(password, sealed string) (text []byte, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, false
	}
	text, err = sealer(password).Open(nil, nil, raw, nil)
	return text, err == nil
}

// sealer has a key that nobody guesses: a hashed password has 128 random bits of
// salt in it. No step fails with sizes that are given.
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
