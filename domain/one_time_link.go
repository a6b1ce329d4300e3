package domain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/domain/credential"
)

// OneTimeLink lets an invited or reset user choose a password once. Without a UserID it
// sets up the first administrator.
type OneTimeLink struct {
	Hash      []byte // SHA-256 of the link's token
	UserID    string
	ExpiresAt time.Time
	MAC       []byte // see linkMAC
}

// LinkReader reads one-time links.
type LinkReader interface {
	Link(hash []byte) (*OneTimeLink, error)
}

// LinkWriter writes one-time links. They are not logged: a link without a valid MAC
// gives no rights.
type LinkWriter interface {
	InsertLink(*OneTimeLink) error
	DeleteLink(hash []byte) error
	DeleteLinksOf(userID string) error
}

// linkMAC covers everything that a link gives rights with, as sessionMAC does. The
// first set-up has no user.
func linkMAC(r Reader, l *OneTimeLink, u *User) ([]byte, error) {
	ended := int64(0)
	if u != nil {
		ended = u.EndedSeq
	}
	return r.MAC("link", fmt.Appendf(nil, "%x %q %d %d", l.Hash, l.UserID, l.ExpiresAt.UnixMicro(), ended))
}

// OneTimeLinkLifetime is how long a one-time link is valid.
const OneTimeLinkLifetime = 24 * time.Hour

// CreateSetupLink returns the token of the one-time link that sets up the first
// administrator, "" if there are users already.
func (s *Service) CreateSetupLink(ctx context.Context) (token string, err error) {
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

// HasUsers reports whether there is a user. Users are never removed, so true is cached.
func (s *Service) HasUsers(ctx context.Context) (bool, error) {
	if !s.usersExist.Load() {
		err := s.store.View(ctx, func(r Reader) error {
			known, err := hasUsers(r)
			s.usersExist.Store(known)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return s.usersExist.Load(), nil
}

// hasUsers refuses to answer when the log has users but their table has none: removing
// them must not allow a new set-up.
func hasUsers(r Reader) (bool, error) {
	users, err := r.Users()
	if err != nil || len(users) > 0 {
		return err == nil, err
	}
	created, err := r.Entries(EntryFilter{Type: entryUserCreated, Limit: 1})
	if err == nil && len(created) > 0 {
		err = refuse(CodeEvidenceUnavailable, "The database was changed: its log has users, but the users are gone. Run countersign evidence verify and restore a backup.")
	}
	return false, err
}

// OneTimeLinkUser returns the user of a one-time link, nil for the link of the first
// set-up. A link that is unknown, used or expired is not-found.
func (s *Service) OneTimeLinkUser(ctx context.Context, token string) (user *User, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		user, err = s.linkUser(r, token)
		return err
	})
	return user, err
}

func (s *Service) linkUser(r Reader, token string) (*User, error) {
	gone := refuse(CodeNotFound, "This link is unknown, used or expired. Ask for a new one.")
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
	if !s.checkMAC("link", link.Hash, link.MAC, mac) {
		return nil, gone
	}
	if u == nil {
		// Users may have been added from the command line meanwhile.
		if known, err := hasUsers(r); err != nil {
			return nil, err
		} else if known {
			return nil, gone
		}
	}
	return u, nil
}

// UseOneTimeLink spends a one-time link. It sets the password of the link's user, or
// creates the first administrator under name, and opens a session.
func (s *Service) UseOneTimeLink(ctx context.Context, token, name, password, browser string) (session string, user *User, err error) {
	if user, err = s.OneTimeLinkUser(ctx, token); err != nil {
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

// newLink creates a link for a user, or with nil for the first set-up.
func (s *Service) newLink(tx Tx, u *User) (string, error) {
	token, err := credential.NewToken(s.rand)
	if err != nil {
		return "", err
	}
	link := &OneTimeLink{Hash: token.Hash, ExpiresAt: s.clock().Add(OneTimeLinkLifetime)}
	if u != nil {
		link.UserID = u.ID
	}
	if link.MAC, err = linkMAC(tx, link, u); err != nil {
		return "", err
	}
	return token.Text, tx.InsertLink(link)
}
