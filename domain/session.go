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

// How long a browser stays signed in: without being used, and at the most.
const (
	SessionIdle = 30 * time.Minute
	SessionLife = 12 * time.Hour
	// sessionTouch bounds how often using a session writes to the database.
	sessionTouch = time.Minute
)

// Session is one browser that is signed in. It is kept in a table that the log
// does not cover: what makes it worth something is its MAC.
type Session struct {
	Hash      []byte // SHA-256 of the cookie's token
	UserID    string
	CreatedAt time.Time
	SeenAt    time.Time
	Browser   string // its User-Agent
	MAC       []byte // see sessionMAC
}

// Live says whether the session may still be used at this time: it was neither
// idle nor open for too long.
func (s *Session) Live(now time.Time) bool {
	return now.Sub(s.SeenAt) < SessionIdle && now.Sub(s.CreatedAt) < SessionLife
}

// sessionMAC covers what a session gives rights with, and the entry that last ended
// its user's sessions: a row that is made up, prolonged, or put back after it was
// ended has another one.
func sessionMAC(r Reader, session *Session, u *User) ([]byte, error) {
	return r.MAC("session", fmt.Appendf(nil, "%x %q %d %d %d",
		session.Hash, session.UserID, session.CreatedAt.UnixMicro(), session.SeenAt.UnixMicro(), u.EndedSeq))
}

// session finds the session with a hash, and its user. One that is over, or whose
// MAC does not fit, is none.
func (s *Service) session(r Reader, hash []byte) (*Session, *User, error) {
	session, err := r.Session(hash)
	if err != nil {
		return nil, nil, err
	}
	u, err := r.User(session.UserID)
	if err != nil {
		return nil, nil, err
	}
	own, err := s.own(r, session, u)
	if err == nil && !(own && session.Live(s.clock())) {
		err = ErrNotFound
	}
	return session, u, err
}

// own says whether the row of a session is as the server wrote it last.
func (s *Service) own(r Reader, session *Session, u *User) (bool, error) {
	mac, err := sessionMAC(r, session, u)
	return err == nil && s.fits("session", session.Hash, session.MAC, mac), err
}

// fits says whether a row has the MAC that it must have. It logs once of each that
// has not.
func (s *Service) fits(what string, hash, stored, mac []byte) bool {
	if hmac.Equal(stored, mac) {
		return true
	}
	if _, known := s.misfits.LoadOrStore(string(hash), true); !known {
		s.logger.Warn("a row of the database was not written by a server with this signing key, or was put back after it ended: it is ignored",
			"table", what+"s", "hash", hex.EncodeToString(hash))
	}
	return false
}

// sessionsOf are the sessions of a user, last seen first. Some may have ended by
// time.
func (s *Service) sessionsOf(r Reader, u *User) ([]*Session, error) {
	stored, err := r.SessionsOf(u.ID)
	if err != nil {
		return nil, err
	}
	var list []*Session
	for _, session := range stored {
		own, err := s.own(r, session, u)
		if err != nil {
			return nil, err
		}
		if own {
			list = append(list, session)
		}
	}
	return list, nil
}

// endSessions ends the sessions of a user, but for those to keep, and their links,
// with the entry that is logged next. What is kept gets a MAC under its number, so
// that no row from before it can be put back. The user is yet to be written.
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

// noSession is for endSessions: none is kept.
func noSession(*Session) bool { return false }

func (s *Service) insertSession(tx Tx, session *Session, u *User) (err error) {
	if session.MAC, err = sessionMAC(tx, session, u); err != nil {
		return err
	}
	return tx.InsertSession(session)
}

// wrongSignIn never says which of the two was wrong.
func wrongSignIn() *Error {
	return refuse(CodeUnauthenticated, "The name or the password is wrong, or the account is disabled.")
}

// Client is what is known of who signs in before they are known.
type Client struct {
	Address string // of the connection, or what a trusted proxy says
	Browser string // its User-Agent
}

// SignIn checks a name and password and opens a session; token goes into the
// cookie. Unknown names take as long as wrong passwords, and are held back as
// they are: after too many attempts the answer is rate-limited, whatever the
// password.
func (s *Service) SignIn(ctx context.Context, name, password string, from Client) (token string, user *User, err error) {
	tries := attempt{name: name, address: from.Address}
	if err := s.begin(ctx, tries.counts()); err != nil {
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
		return "", nil, wrongSignIn()
	}
	ok, rehash, err := s.hasher.Verify(ctx, user.Password, password)
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, wrongSignIn()
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
			return wrongSignIn()
		}
		if fresh != "" { // the same password, hashed as it is today: it ends nothing
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
		return s.succeeded(tx, tries)
	})
	return token, user, err
}

func (s *Service) openSession(tx Tx, u *User, browser string) (string, error) {
	token, err := credential.NewToken(s.rand)
	if err != nil {
		return "", err
	}
	now := s.clock()
	if err := tx.PruneVolatile(now.Add(-SessionIdle), now.Add(-SessionLife), now); err != nil {
		return "", err
	}
	return token.Text, s.insertSession(tx, &Session{Hash: token.Hash, UserID: u.ID, CreatedAt: now, SeenAt: now, Browser: browser}, u)
}

// setPassword ends all sessions but the one with the hash keep.
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

// Visitor is who a cookie's token belongs to, with what every page needs.
type Visitor struct {
	Who     *Principal // with the roles held now
	Session *Session
	Chosen  Preferences
	Seen    int64 // number of the newest log entry when this was read, -1 for none
}

// SessionUser finds who a cookie's token belongs to and counts as use of the
// session. A session that was idle or open for too long is none. While nothing can
// be stored no use is, and everything can be read until the session was idle for
// too long.
func (s *Service) SessionUser(ctx context.Context, token string) (*Visitor, error) {
	visitor, err := s.PeekSession(ctx, token)
	if err != nil {
		return nil, err
	}
	if now := s.clock(); now.Sub(visitor.Session.SeenAt) >= sessionTouch {
		_ = s.store.Tx(ctx, func(tx Tx) error {
			session, user, err := s.session(tx, visitor.Session.Hash) // it may have ended meanwhile
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

// PeekSession is SessionUser for requests that nobody made, such as those of a
// page that refreshes itself: an open page alone keeps nobody signed in.
func (s *Service) PeekSession(ctx context.Context, token string) (*Visitor, error) {
	visitor := new(Visitor)
	err := s.store.View(ctx, func(r Reader) (err error) {
		visitor.Session, _, err = s.session(r, credential.HashToken(token))
		if errors.Is(err, ErrNotFound) {
			return refuse(CodeUnauthenticated, "Sign in first.")
		} else if err != nil {
			return err
		}
		if visitor.Who, err = s.principal(r, Ref{KindUser, visitor.Session.UserID}); err != nil {
			return err
		}
		if visitor.Chosen, err = r.Preferences(visitor.Session.UserID); err != nil {
			return err
		}
		next, err := r.NextSeq()
		visitor.Seen = next - 1
		return err
	})
	if err != nil {
		return nil, err
	}
	return visitor, nil
}

// SignOut ends the session of a cookie's token. An unknown one is gone already.
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

// signOut ends one session of a user. It is logged, and the number of the entry is
// what the others go on under.
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
	list = slices.DeleteFunc(list, func(session *Session) bool { return !session.Live(s.clock()) })
	return list, err
}

// EndOwnSession ends one of the user's own sessions, named by its hash.
func (s *Service) EndOwnSession(ctx context.Context, ref Ref, hash []byte) error {
	return s.as(ctx, ref, func(tx Tx, _ *Principal) error {
		_, user, err := s.session(tx, hash)
		if errors.Is(err, ErrNotFound) || err == nil && user.ID != ref.ID {
			return notFound("session")
		} else if err != nil {
			return err
		}
		return s.signOut(tx, user, hash)
	})
}

// ChangePassword replaces the user's own password and ends their other
// sessions; keep is the hash of the one that stays. Wrong attempts wait as those
// to sign in do.
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
		return err // before it counts as an attempt
	}
	tries := "change " + user.ID
	if err := s.begin(ctx, map[string]allowance{tries: nameAllowance}); err != nil {
		return err
	}
	ok, _, err := s.hasher.Verify(ctx, user.Password, old)
	if err != nil {
		return err
	}
	if !ok {
		return Invalid("old_password", "const", "This is not your present password.")
	}
	hash, err := s.hashPassword(ctx, user.Name, password)
	if err != nil {
		return err
	}
	verified := user.Password
	return s.as(ctx, ref, func(tx Tx, p *Principal) error {
		user, err := tx.User(ref.ID)
		if err != nil {
			return err
		}
		if user.Password != verified {
			return refuse(CodeInvalidTransition, "The password was changed by another. Try again.")
		}
		if err := tx.SetThrottle(tries, Throttle{}); err != nil {
			return err
		}
		return s.setPassword(tx, p, user, hash, keep)
	})
}

// SetPreferences keeps what the user chose about the display.
func (s *Service) SetPreferences(ctx context.Context, ref Ref, chosen Preferences) error {
	return s.as(ctx, ref, func(tx Tx, _ *Principal) error { return tx.SetPreferences(ref.ID, chosen) })
}
