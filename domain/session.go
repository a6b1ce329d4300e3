package domain

import (
	"context"
	"errors"
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
// does not cover: it proves nothing.
type Session struct {
	Hash      []byte // SHA-256 of the cookie's token
	UserID    string
	CreatedAt time.Time
	SeenAt    time.Time
	Browser   string // its User-Agent
}

// Live says whether the session may still be used at this time: it was neither
// idle nor open for too long.
func (s *Session) Live(now time.Time) bool {
	return now.Sub(s.SeenAt) < SessionIdle && now.Sub(s.CreatedAt) < SessionLife
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
		if fresh != "" {
			if err := s.setPassword(tx, &Principal{Ref: user.ref(), Name: user.Name}, user, fresh); err != nil {
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
	return token.Text, tx.InsertSession(&Session{Hash: token.Hash, UserID: u.ID, CreatedAt: now, SeenAt: now, Browser: browser})
}

func (s *Service) setPassword(tx Tx, p *Principal, u *User, hash string) error {
	u.Password, u.UpdatedAt = hash, s.clock()
	if err := tx.UpdateUser(u); err != nil {
		return err
	}
	return s.log(tx, p, evidence.Entry{Type: "user.password_set", ObjectID: u.ID, Data: data("name", u.Name)})
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
		_ = s.store.Tx(ctx, func(tx Tx) error { return tx.TouchSession(visitor.Session.Hash, now) })
	}
	return visitor, nil
}

// PeekSession is SessionUser for requests that nobody made, such as those of a
// page that refreshes itself: an open page alone keeps nobody signed in.
func (s *Service) PeekSession(ctx context.Context, token string) (*Visitor, error) {
	now, visitor := s.clock(), new(Visitor)
	err := s.store.View(ctx, func(r Reader) (err error) {
		visitor.Session, err = r.Session(credential.HashToken(token))
		if errors.Is(err, ErrNotFound) || err == nil && !visitor.Session.Live(now) {
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
	return s.store.Tx(ctx, func(tx Tx) error { return tx.DeleteSession(credential.HashToken(token)) })
}

// OwnSessions lists where the user is signed in.
func (s *Service) OwnSessions(ctx context.Context, ref Ref) (list []*Session, err error) {
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		list, err = r.SessionsOf(ref.ID)
		return err
	})
	list = slices.DeleteFunc(list, func(session *Session) bool { return !session.Live(s.clock()) })
	return list, err
}

// EndOwnSession ends one of the user's own sessions, named by its hash.
func (s *Service) EndOwnSession(ctx context.Context, ref Ref, hash []byte) error {
	return s.as(ctx, ref, func(tx Tx, _ *Principal) error {
		session, err := tx.Session(hash)
		if errors.Is(err, ErrNotFound) || err == nil && session.UserID != ref.ID {
			return notFound("session")
		} else if err != nil {
			return err
		}
		return tx.DeleteSession(hash)
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
		if err := tx.DeleteSessionsOf(user.ID, keep); err != nil {
			return err
		}
		if err := tx.SetThrottle(tries, Throttle{}); err != nil {
			return err
		}
		return s.setPassword(tx, p, user, hash)
	})
}

// SetPreferences keeps what the user chose about the display.
func (s *Service) SetPreferences(ctx context.Context, ref Ref, chosen Preferences) error {
	return s.as(ctx, ref, func(tx Tx, _ *Principal) error { return tx.SetPreferences(ref.ID, chosen) })
}
