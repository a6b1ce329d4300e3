package domain

import (
	"context"
	"errors"

	"countersign/domain/credential"
)

// Keep seals what a user had typed when their session ended, for whoever holds
// it meanwhile: only Kept opens it again, and only for that user. Nothing of it
// stays with the server. It is empty for who cannot sign in.
func (s *Service) Keep(ctx context.Context, userID string, words []byte) (sealed string, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		u, err := r.User(userID)
		if errors.Is(err, ErrNotFound) || err == nil && (u.Disabled || u.Password == "") {
			return nil
		} else if err != nil {
			return err
		}
		sealed = credential.Seal(u.Password, words)
		return nil
	})
	return sealed, err
}

// Kept opens what Keep sealed for this user. It is nil if it was sealed for
// another, or before the password was changed.
func (s *Service) Kept(ctx context.Context, ref Ref, sealed string) (words []byte, err error) {
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		u, err := r.User(ref.ID)
		if err == nil {
			words, _ = credential.Open(u.Password, sealed)
		}
		return err
	})
	return words, err
}
