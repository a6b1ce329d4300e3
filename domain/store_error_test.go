package domain_test

import (
	"errors"
	"fmt"
	"testing"

	"countersign/domain"
)

// Programs match these words in what they are told about a change.
func TestStoreErrors_SayWhatBecameOfTheChange(t *testing.T) {
	t.Parallel()
	for refusal, want := range map[*domain.Error]string{
		domain.ErrStoreClosed:    "The server is stopping. The change did not happen.",
		domain.ErrStoreFailed:    "The storage failed and the server is stopping. The change did not happen.",
		domain.ErrNotStored:      "The change could not be logged, so it did not happen.",
		domain.ErrOutcomeUnknown: "The storage failed while saving. The outcome is unknown: check whether the change was saved.",
	} {
		cause := errors.New("the disk is full")
		err := fmt.Errorf("write: %w", refusal.Because(cause))
		e := domain.AsError(err)
		if e.Message != want || e.Code != domain.CodeEvidenceUnavailable || !errors.Is(err, refusal) || !errors.Is(err, cause) {
			t.Errorf("%v, want %q with its cause", e, want)
		}
		for other := range map[*domain.Error]bool{domain.ErrStoreClosed: true, domain.ErrNotStored: true, domain.ErrOutcomeUnknown: true} {
			if other != refusal && errors.Is(err, other) {
				t.Errorf("%v is taken for %v", err, other)
			}
		}
		if refusal.Err != nil {
			t.Errorf("%v keeps a cause", refusal)
		}
	}
}
