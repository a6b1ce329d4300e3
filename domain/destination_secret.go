package domain

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"time"
)

// rotationOverlap is how long the old key of a destination signs beside the new one.
const rotationOverlap = 24 * time.Hour

// newSigningSecret returns a new key of a destination, as Standard Webhooks writes it.
func newSigningSecret(random io.Reader) (string, error) {
	key := make([]byte, 32)
	_, err := io.ReadFull(random, key)
	return "whsec_" + base64.StdEncoding.EncodeToString(key), err
}

// secretCipher seals secrets under a key derived from the signing key. Neither the
// database nor a backup has that.
func secretCipher(r Reader) (cipher.AEAD, error) {
	key, err := r.MAC("destination", nil)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal sets the secret of a destination.
func (d *Destination) seal(r Reader, secret *DestinationSecret) error {
	box, err := secretCipher(r)
	if err != nil {
		return err
	}
	text, err := json.Marshal(secret)
	if err != nil {
		return err
	}
	d.Sealed = box.Seal(nil, nil, text, []byte(d.ID))
	return nil
}

// open returns the secret of a destination, nil if it was sealed under another key and is
// lost.
func (d *Destination) open(r Reader) (*DestinationSecret, error) {
	box, err := secretCipher(r)
	if err != nil {
		return nil, err
	}
	return d.openWith(box), nil
}

func (d *Destination) openWith(box cipher.AEAD) (secret *DestinationSecret) {
	text, err := box.Open(nil, nil, d.Sealed, []byte(d.ID))
	if err != nil || json.Unmarshal(text, &secret) != nil {
		return nil
	}
	return secret
}

// Host returns what pages show of the address: the rest of it may be secret.
func (s *DestinationSecret) Host() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// resealSecrets seals the secrets of all destinations under the new signing key. What the
// old one does not open stays as it is, and is lost. It writes rows, which the next entry
// covers.
func resealSecrets(tx Tx, old cipher.AEAD) error {
	list, err := tx.Destinations()
	if err != nil {
		return err
	}
	for _, d := range list {
		secret := d.openWith(old)
		if secret == nil {
			continue
		}
		if err := d.seal(tx, secret); err != nil {
			return err
		}
		if err := tx.UpdateDestination(d); err != nil {
			return err
		}
	}
	return nil
}
