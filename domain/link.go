package domain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/domain/credential"
)

// Link is a one-time link: to set up the first administrator (no UserID), or
// for an invited or reset user to choose a password.
type Link struct {
	Hash      []byte // SHA-256 of the link's token
	UserID    string
	ExpiresAt time.Time
	MAC       []byte // see linkMAC
}

// linkMAC covers what a link gives rights with, as sessionMAC does. Without a user
// it is that of the first set-up.
func linkMAC(r Reader, l *Link, u *User) ([]byte, error) {
	ended := int64(0)
	if u != nil {
		ended = u.EndedSeq
	}
	return r.MAC("link", fmt.Appendf(nil, "%x %q %d %d", l.Hash, l.UserID, l.ExpiresAt.UnixMicro(), ended))
}

// LinkLife is how long a one-time link may be used.
const LinkLife = 24 * time.Hour

// SetupToken makes the one-time link by which the first administrator signs up.
// It is empty when there are users already: nobody needs it, and nobody should
// have it.
func (s *Service) SetupToken(ctx context.Context) (token string, err error) {
	err = s.store.Tx(ctx, func(tx Tx) error {
		known, err := hasUsers(tx)
		if err != nil || known {
			return err
		}
		if err := tx.DeleteLinksOf(""); err != nil {
			return err
		}
		token, err = s.newLink(tx, nil)
		return err
	})
	return token, err
}

// HasUsers says whether anybody has an account yet. Users are never removed:
// once there is one, nobody looks again.
func (s *Service) HasUsers(ctx context.Context) (bool, error) {
	if !s.peopled.Load() {
		err := s.store.View(ctx, func(r Reader) error {
			known, err := hasUsers(r)
			s.peopled.Store(known)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return s.peopled.Load(), nil
}

// hasUsers refuses to say when the log has had users and their table has none:
// whoever could take them away could else set up the first one again.
func hasUsers(r Reader) (bool, error) {
	users, err := r.Users()
	if err != nil || len(users) > 0 {
		return err == nil, err
	}
	created, err := r.Entries(EntryFilter{Type: entryUserCreated, Limit: 1})
	if err == nil && len(created) > 0 {
		err = refuse(CodeEvidenceUnavailable, "The database was changed: its log has users, and there are none any more. Nobody can be set up. Run countersign evidence verify, and put a backup in its place.")
	}
	return false, err
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
	var u *User
	if link.UserID != "" {
		if u, err = r.User(link.UserID); errors.Is(err, ErrNotFound) || err == nil && u.Disabled {
			return nil, gone
		} else if err != nil {
			return nil, err
		}
	}
	mac, err := linkMAC(r, link, u)
	if err != nil {
		return nil, err
	}
	if !s.fits("link", link.Hash, link.MAC, mac) {
		return nil, gone
	}
	if u == nil {
		// Whoever has an account here was added past the link.
		if known, err := hasUsers(r); err != nil {
			return nil, err
		} else if known {
			return nil, gone
		}
	}
	return u, nil
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
		} else if err := s.setPassword(tx, user.principal(), user, hash, nil); err != nil {
			return err
		}
		session, err = s.openSession(tx, user, browser)
		return err
	})
	return session, user, err
}

// newLink makes a link for a user, or without one for the first set-up.
func (s *Service) newLink(tx Tx, u *User) (string, error) {
	token, err := credential.NewToken(s.rand)
	if err != nil {
		return "", err
	}
	link := &Link{Hash: token.Hash, ExpiresAt: s.clock().Add(LinkLife)}
	if u != nil {
		link.UserID = u.ID
	}
	if link.MAC, err = linkMAC(tx, link, u); err != nil {
		return "", err
	}
	return token.Text, tx.InsertLink(link)
}
