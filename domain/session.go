package domain

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/domain/credential"
	"countersign/domain/evidence"
)

// How long a browser stays signed in: without being used, and at most.
const (
	SessionIdleTimeout = 30 * time.Minute
	SessionLifetime    = 12 * time.Hour
	// sessionTouchInterval is how often the use of a session is written to the database
	// at most.
	sessionTouchInterval = time.Minute
)

// Session is a browser that is signed in. Its table is not covered by the log: only its
// MAC gives it rights.
type Session struct {
	Hash      []byte // SHA-256 of the cookie's token
	UserID    string
	CreatedAt time.Time
	SeenAt    time.Time
	Browser   string // its User-Agent
	MAC       []byte // see sessionMAC
}

// SessionReader reads sessions.
type SessionReader interface {
	Session(hash []byte) (*Session, error)
	SessionsOf(userID string) ([]*Session, error)
}

// SessionWriter writes sessions. They are not logged: a session without a valid MAC
// gives no rights.
type SessionWriter interface {
	InsertSession(*Session) error
	TouchSession(*Session) error // writes SeenAt and the MAC
	DeleteSession(hash []byte) error
	DeleteSessionsOf(userID string) error
	// PruneVolatile deletes sessions and links from before these times.
	PruneVolatile(sessionsSeenBefore, sessionsCreatedBefore, linksBefore time.Time) error
}

// IsActive reports whether the session may still be used at this time.
func (s *Session) IsActive(now time.Time) bool {
	return now.Sub(s.SeenAt) < SessionIdleTimeout && now.Sub(s.CreatedAt) < SessionLifetime
}

// sessionMAC covers everything that a session gives rights with, and the entry that
// last ended its user's sessions. A row that was invented, prolonged, or put back after
// its end has another MAC.
func sessionMAC(r Reader, session *Session, u *User) ([]byte, error) {
	return r.MAC("session", fmt.Appendf(nil, "%x %q %d %d %d",
		session.Hash, session.UserID, session.CreatedAt.UnixMicro(), session.SeenAt.UnixMicro(), u.EndedSeq))
}

// session finds the active session with a hash, and its user. A session that has
// expired, or whose MAC is invalid, is ErrNotFound.
func (s *Service) session(r Reader, hash []byte) (*Session, *User, error) {
	session, err := r.Session(hash)
	if err != nil {
		return nil, nil, err
	}
	u, err := r.User(session.UserID)
	if err != nil {
		return nil, nil, err
	}
	own, err := s.hasValidMAC(r, session, u)
	if err == nil && !(own && session.IsActive(s.clock())) {
		err = ErrNotFound
	}
	return session, u, err
}

// hasValidMAC reports whether the row of a session is as the server wrote it last.
func (s *Service) hasValidMAC(r Reader, session *Session, u *User) (bool, error) {
	mac, err := sessionMAC(r, session, u)
	return err == nil && s.checkMAC("session", session.Hash, session.MAC, mac), err
}

// checkMAC reports whether a row has this MAC, and logs once for each row that has not.
func (s *Service) checkMAC(what string, hash, stored, mac []byte) bool {
	if hmac.Equal(stored, mac) {
		return true
	}
	if _, known := s.loggedMACs.Get(string(hash)); !known {
		s.loggedMACs.Put(string(hash), true, 1)
		s.logger.Warn("a row was not written by a server with this signing key, or was restored after it ended; it is ignored",
			"table", what+"s", "hash", hex.EncodeToString(hash))
	}
	return false
}

// sessionsOf returns the valid sessions of a user, last seen first. Some may have
// expired.
func (s *Service) sessionsOf(r Reader, u *User) ([]*Session, error) {
	stored, err := r.SessionsOf(u.ID)
	if err != nil {
		return nil, err
	}
	var list []*Session
	for _, session := range stored {
		own, err := s.hasValidMAC(r, session, u)
		if err != nil {
			return nil, err
		}
		if own {
			list = append(list, session)
		}
	}
	return list, nil
}

// endSessions ends a user's links and sessions, but for those to keep, with the entry
// that is logged next. Kept sessions get a MAC with its number, so that no row from
// before it can be put back. The caller must write the user afterwards.
func (s *Service) endSessions(tx Tx, u *User, keep func(*Session) bool) error {
	sessions, err := s.sessionsOf(tx, u)
	if err != nil {
		return err
	}
	if u.EndedSeq, err = tx.NextSeq(); err != nil {
		return err
	}
	if err := errors.Join(tx.DeleteSessionsOf(u.ID), tx.DeleteLinksOf(u.ID)); err != nil {
		return err
	}
	for _, session := range sessions {
		if !keep(session) {
			continue
		}
		if err := s.insertSession(tx, session, u); err != nil {
			return err
		}
	}
	return nil
}

// keepNone is for endSessions.
func keepNone(*Session) bool { return false }

func (s *Service) insertSession(tx Tx, session *Session, u *User) (err error) {
	if session.MAC, err = sessionMAC(tx, session, u); err != nil {
		return err
	}
	return tx.InsertSession(session)
}

// errWrongLogin does not say which of the two was wrong.
func errWrongLogin() *Error {
	return refuse(CodeUnauthenticated, "The name or the password is wrong, or the account is disabled.")
}

// Client is what is known of a browser before it signs in.
type Client struct {
	Address string // of the connection, or as told by a trusted proxy
	Browser string // its User-Agent
}

// SignIn checks a name and a password and opens a session. token is for the cookie.
// Unknown names take as long as wrong passwords and are throttled like them. After too
// many attempts the answer is rate-limited, whatever the password.
func (s *Service) SignIn(ctx context.Context, name, password string, from Client) (token string, user *User, err error) {
	tries := attempt{name: name, address: from.Address}
	if err := s.countAttempt(ctx, tries.policies()); err != nil {
		return "", nil, err
	}
	err = s.store.View(ctx, func(r Reader) error {
		user, err = r.UserByName(name)
		return err
	})
	switch {
	case err != nil && !errors.Is(err, ErrNotFound):
		return "", nil, err
	case err != nil || user.Disabled || user.Password == "":
		if err := s.hasher.VerifyUnknown(ctx, password); err != nil {
			return "", nil, err
		}
		return "", nil, errWrongLogin()
	}
	ok, rehash, err := s.hasher.Verify(ctx, user.Password, password)
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, errWrongLogin()
	}
	fresh := ""
	if rehash {
		if fresh, err = s.hasher.Hash(ctx, password); err != nil {
			return "", nil, err
		}
	}
	verified := user.Password
	err = s.store.Tx(ctx, func(tx Tx) error {
		if user, err = tx.User(user.ID); err != nil {
			return err
		}
		// Between the check and now the account may have been disabled or reset.
		if user.Disabled || user.Password != verified {
			return errWrongLogin()
		}
		if fresh != "" { // the same password with today's hash parameters: no session ends
			user.Password, user.UpdatedAt = fresh, s.clock()
			if err := tx.UpdateUser(user); err != nil {
				return err
			}
			if err := s.logUser(tx, user.principal(), user, entryPasswordSet, "rehashed", true); err != nil {
				return err
			}
		}
		if token, err = s.openSession(tx, user, from.Browser); err != nil {
			return err
		}
		return s.forgetAttempts(tx, tries)
	})
	return token, user, err
}

func (s *Service) openSession(tx Tx, u *User, browser string) (string, error) {
	token, err := credential.NewToken(s.rand)
	if err != nil {
		return "", err
	}
	now := s.clock()
	if err := tx.PruneVolatile(now.Add(-SessionIdleTimeout), now.Add(-SessionLifetime), now); err != nil {
		return "", err
	}
	return token.Text, s.insertSession(tx, &Session{Hash: token.Hash, UserID: u.ID, CreatedAt: now, SeenAt: now, Browser: browser}, u)
}

// setPassword sets the password and ends all sessions but the one with the hash keep.
func (s *Service) setPassword(tx Tx, p *Principal, u *User, hash string, keep []byte) error {
	u.Password, u.UpdatedAt = hash, s.clock()
	err := s.endSessions(tx, u, func(session *Session) bool { return bytes.Equal(session.Hash, keep) })
	if err != nil {
		return err
	}
	if err := tx.UpdateUser(u); err != nil {
		return err
	}
	return s.logUser(tx, p, u, entryPasswordSet)
}

// logUser logs a change of a user.
func (s *Service) logUser(tx Tx, p *Principal, u *User, event string, facts ...any) error {
	return s.log(tx, p, evidence.Entry{Type: event, ObjectID: u.ID, Data: data(append(facts, "name", u.Name)...)})
}

// Visitor is a signed-in user with what every page needs.
type Visitor struct {
	Principal   *Principal // with the roles held now
	Session     *Session
	Preferences Preferences
	LastSeq     int64 // of the newest log entry at that moment, -1 for none
}

// SessionUser returns the user of a cookie's token and counts as use of the session. A
// session that was idle or open for too long is unauthenticated. If the use cannot be
// written, reading goes on until the session has been idle for too long.
func (s *Service) SessionUser(ctx context.Context, token string) (*Visitor, error) {
	visitor, err := s.PeekSession(ctx, token)
	if err != nil {
		return nil, err
	}
	if now := s.clock(); now.Sub(visitor.Session.SeenAt) >= sessionTouchInterval {
		_ = s.store.Tx(ctx, func(tx Tx) error {
			session, user, err := s.session(tx, visitor.Session.Hash) // may have ended meanwhile
			if err != nil {
				return err
			}
			session.SeenAt = now
			if session.MAC, err = sessionMAC(tx, session, user); err != nil {
				return err
			}
			return tx.TouchSession(session)
		})
	}
	return visitor, nil
}

// PeekSession is SessionUser without counting as use, for requests that no person made,
// such as live refreshes: an open page alone keeps nobody signed in.
func (s *Service) PeekSession(ctx context.Context, token string) (*Visitor, error) {
	visitor := new(Visitor)
	err := s.store.View(ctx, func(r Reader) (err error) {
		visitor.Session, _, err = s.session(r, credential.HashToken(token))
		if errors.Is(err, ErrNotFound) {
			return refuse(CodeUnauthenticated, "Sign in first.")
		} else if err != nil {
			return err
		}
		if visitor.Principal, err = s.principal(r, Ref{KindUser, visitor.Session.UserID}); err != nil {
			return err
		}
		if visitor.Preferences, err = r.Preferences(visitor.Session.UserID); err != nil {
			return err
		}
		next, err := r.NextSeq()
		visitor.LastSeq = next - 1
		return err
	})
	if err != nil {
		return nil, err
	}
	return visitor, nil
}

// SignOut ends the session of a cookie's token. An unknown one is no error.
func (s *Service) SignOut(ctx context.Context, token string) error {
	hash := credential.HashToken(token)
	return s.store.Tx(ctx, func(tx Tx) error {
		_, user, err := s.session(tx, hash)
		if errors.Is(err, ErrNotFound) {
			return tx.DeleteSession(hash)
		} else if err != nil {
			return err
		}
		return s.signOut(tx, user, hash)
	})
}

// signOut ends one session of a user and logs it. The other sessions go on with MACs
// for the new entry.
func (s *Service) signOut(tx Tx, u *User, hash []byte) error {
	err := s.endSessions(tx, u, func(session *Session) bool { return !bytes.Equal(session.Hash, hash) })
	if err != nil {
		return err
	}
	if err := tx.UpdateUser(u); err != nil {
		return err
	}
	return s.logUser(tx, u.principal(), u, entrySignedOut)
}

// OwnSessions lists where the user is signed in.
func (s *Service) OwnSessions(ctx context.Context, ref Ref) (list []*Session, err error) {
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		u, err := r.User(ref.ID)
		if err == nil {
			list, err = s.sessionsOf(r, u)
		}
		return err
	})
	list = slices.DeleteFunc(list, func(session *Session) bool { return !session.IsActive(s.clock()) })
	return list, err
}

// EndOwnSession ends one of the user's own sessions, found by its hash.
func (s *Service) EndOwnSession(ctx context.Context, ref Ref, hash []byte) error {
	return s.write(ctx, ref, func(tx Tx, _ *Principal) error {
		_, user, err := s.session(tx, hash)
		if errors.Is(err, ErrNotFound) || err == nil && user.ID != ref.ID {
			return errNotFound("session")
		} else if err != nil {
			return err
		}
		return s.signOut(tx, user, hash)
	})
}

// ChangePassword replaces the user's own password and ends their other sessions. keep
// is the hash of the one that stays. Wrong attempts are throttled as those to sign in.
func (s *Service) ChangePassword(ctx context.Context, ref Ref, old, password string, keep []byte) error {
	var user *User
	err := s.read(ctx, ref, func(r Reader, _ *Principal) (err error) {
		user, err = r.User(ref.ID)
		return err
	})
	if err != nil {
		return err
	}
	if err := checkPassword(user.Name, password); err != nil {
		return err // does not count as an attempt
	}
	tries := "change " + user.ID
	if err := s.countAttempt(ctx, map[string]attemptPolicy{tries: namePolicy}); err != nil {
		return err
	}
	ok, _, err := s.hasher.Verify(ctx, user.Password, old)
	if err != nil {
		return err
	}
	if !ok {
		return Invalid("old_password", "const", "This is not your current password.")
	}
	hash, err := s.hashPassword(ctx, user.Name, password)
	if err != nil {
		return err
	}
	verified := user.Password
	return s.write(ctx, ref, func(tx Tx, p *Principal) error {
		user, err := tx.User(ref.ID)
		if err != nil {
			return err
		}
		if user.Password != verified {
			return refuse(CodeInvalidTransition, "The password was changed meanwhile. Try again.")
		}
		if err := tx.SetThrottle(tries, LoginThrottle{}); err != nil {
			return err
		}
		return s.setPassword(tx, p, user, hash, keep)
	})
}

// SetPreferences saves what the user chose about the display.
func (s *Service) SetPreferences(ctx context.Context, ref Ref, chosen Preferences) error {
	return s.write(ctx, ref, func(tx Tx, _ *Principal) error { return tx.SetPreferences(ref.ID, chosen) })
}
