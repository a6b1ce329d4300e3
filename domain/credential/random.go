package credential

import (
	"crypto/rand"
	"fmt"
	"io"
)

// randomBytes reads n bytes from source, or from the system's generator if
// source is nil. A source that runs dry is an error: a short secret must never
// be given out.
func randomBytes(source io.Reader, n int) ([]byte, error) {
	if source == nil {
		source = rand.Reader
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(source, b); err != nil {
		return nil, fmt.Errorf("reading randomness: %w", err)
	}
	return b, nil
}
