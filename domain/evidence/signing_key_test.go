package evidence_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"countersign/domain/evidence"
)

// A MAC is that of a key, of a purpose and of a message.
func TestSigningKey_MAC(t *testing.T) {
	t.Parallel()
	var keys []*evidence.SigningKey
	for range 2 {
		key, err := evidence.NewSigningKey(rand.Reader, "countersign/test")
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	again, err := evidence.ParseSigningKey(keys[0].Secret() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	mac := func(k *evidence.SigningKey, purpose, message string) []byte {
		m, err := k.MAC(purpose, []byte(message))
		if err != nil || len(m) != 32 {
			t.Fatalf("%d bytes, %v", len(m), err)
		}
		return m
	}
	want := mac(keys[0], "session", "m")
	if !bytes.Equal(mac(again, "session", "m"), want) {
		t.Error("the same key makes another MAC")
	}
	for name, other := range map[string][]byte{
		"key": mac(keys[1], "session", "m"), "purpose": mac(keys[0], "link", "m"), "message": mac(keys[0], "session", "n"),
	} {
		if bytes.Equal(other, want) {
			t.Errorf("another %s makes the same MAC", name)
		}
	}
}
