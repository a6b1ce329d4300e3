package domain

import (
	"context"
	"errors"
	"time"

	"countersign/domain/credential"
)

// Link is a one-time link: to set up the first administrator (no UserID), or
// for an invited or reset user to choose a password.
type Link struct {
	Hash      []byte // SHA-256 of the link's token
	UserID    string
	ExpiresAt time.Time
}

// LinkLife is how long a one-time link may be used.
const LinkLife = 24 * time.Hour

// SetupToken makes the one-time link by which the first administrator signs up.
// It is empty when there are users already: nobody needs it, and nobody should
// have it.
func (s *Service) SetupToken(ctx context.Context) (token string, err error) {
	err = s.store.Tx(ctx, func(tx Tx) error {
		users, err := tx.Users()
		if err != nil || len(users) > 0 {
			return err
		}
		if err := tx.DeleteLinksOf(""); err != nil {
			return err
		}
		token, err = s.newLink(tx, "")
		return err
	})
	return token, err
}

// HasUsers says whether anybody has an account yet. Users are never removed:
// once there is one, nobody looks again.
func (s *Service) HasUsers(ctx context.Context) (bool, error) {
	if !s.peopled.Load() {
		err := s.store.View(ctx, func(r Reader) error {
			users, err := r.Users()
			s.peopled.Store(len(users) > 0)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return s.peopled.Load(), nil
}

// LinkUser says who may use a one-time link: nil for the link of the first
// set-up. A link that is unknown, used or too old is not-found.
func (s *Service) LinkUser(ctx context.Context, token string) (user *User, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		user, err = s.linkUser(r, token)
		return err
	})
	return user, err
}

func (s *Service) linkUser(r Reader, token string) (*User, error) {
	gone := refuse(CodeNotFound, "This link is unknown, used or too old. Ask for a new one.")
	link, err := r.Link(credential.HashToken(token))
	if errors.Is(err, ErrNotFound) || err == nil && !s.clock().Before(link.ExpiresAt) {
		return nil, gone
	} else if err != nil {
		return nil, err
	}
	if link.UserID == "" {
		// Whoever has an account here was added past the link.
		users, err := r.Users()
		if len(users) > 0 {
			return nil, gone
		}
		return nil, err
	}
	u, err := r.User(link.UserID)
	if err == nil && u.Disabled {
		return nil, gone
	}
	return u, err
}

// UseLink spends a one-time link: it sets the password of the user it was made
// for, or with the set-up link creates the first administrator under name.
func (s *Service) UseLink(ctx context.Context, token, name, password, browser string) (session string, user *User, err error) {
	if user, err = s.LinkUser(ctx, token); err != nil {
		return "", nil, err
	}
	if user != nil {
		name = user.Name
	} else if err := checkNewName("username", name); err != nil {
		return "", nil, err
	}
	hash, err := s.hashPassword(ctx, name, password)
	if err != nil {
		return "", nil, err
	}
	err = s.store.Tx(ctx, func(tx Tx) error {
		if user, err = s.linkUser(tx, token); err != nil {
			return err
		}
		if err := tx.DeleteLink(credential.HashToken(token)); err != nil {
			return err
		}
		if user == nil {
			if user, err = s.insertUser(tx, &system, name, []string{AdminRole}, hash, "setup", true); err != nil {
				return err
			}
		} else if err := s.setPassword(tx, &Principal{Ref: user.ref(), Name: user.Name}, user, hash); err != nil {
			return err
		}
		session, err = s.openSession(tx, user, browser)
		return err
	})
	return session, user, err
}

func (s *Service) newLink(tx Tx, userID string) (string, error) {
	token, err := credential.NewToken(s.rand)
	if err != nil {
		return "", err
	}
	return token.Text, tx.InsertLink(&Link{Hash: token.Hash, UserID: userID, ExpiresAt: s.clock().Add(LinkLife)})
}
