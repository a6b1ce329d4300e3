package domain

import (
	"context"
	"errors"

	"countersign/domain/credential"
)

// SealDraft encrypts a form that a user had filled in when their session ended, to be
// kept by the browser. Only OpenDraft decrypts it, and only for that user. It returns
// "" if the user has no password or is disabled.
func (s *Service) SealDraft(ctx context.Context, userID string, words []byte) (sealed string, err error) {
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

// OpenDraft decrypts what SealDraft sealed for this user. It returns nil if it was
// sealed for another user, or before the password was changed.
func (s *Service) OpenDraft(ctx context.Context, ref Ref, sealed string) (words []byte, err error) {
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		u, err := r.User(ref.ID)
		if err == nil {
			words, _ = credential.Open(u.Password, sealed)
		}
		return err
	})
	return words, err
}
