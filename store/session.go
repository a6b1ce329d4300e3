package store

import (
	"time"

	"countersign/domain"
)

var sessions = newTable("volatile_sessions", 1, func(s *domain.Session) []column {
	return []column{
		{"hash", blob(&s.Hash)},
		{"user_id", text(&s.UserID)},
		{"created_at", moment(&s.CreatedAt)},
		{"seen_at", moment(&s.SeenAt)},
		{"browser", text(&s.Browser)},
		{"mac", blob(&s.MAC)},
	}
})

var links = newTable("volatile_links", 1, func(l *domain.OneTimeLink) []column {
	return []column{
		{"hash", blob(&l.Hash)},
		{"user_id", text(&l.UserID)},
		{"expires_at", moment(&l.ExpiresAt)},
		{"mac", blob(&l.MAC)},
	}
})

func (r *reader) Session(hash []byte) (*domain.Session, error) {
	return sessions.get(r, "WHERE hash = $1", hash)
}

// SessionsOf lists the sessions of a user, last seen first.
func (r *reader) SessionsOf(userID string) ([]*domain.Session, error) {
	return sessions.all(r, "WHERE user_id = $1 ORDER BY seen_at DESC, hash", userID)
}

func (r *reader) Link(hash []byte) (*domain.OneTimeLink, error) {
	return links.get(r, "WHERE hash = $1", hash)
}

func (x *tx) InsertSession(s *domain.Session) error { return sessions.insert(x, s) }

var touchSession = sessions.change("", 0, "seen_at", "mac")

func (x *tx) TouchSession(s *domain.Session) error {
	return touchSession.update(x, s, domain.ErrNotFound)
}

func (x *tx) DeleteSession(hash []byte) error { return sessions.remove(x, "hash = $1", hash) }

func (x *tx) DeleteSessionsOf(userID string) error { return sessions.remove(x, "user_id = $1", userID) }

func (x *tx) InsertLink(l *domain.OneTimeLink) error { return links.insert(x, l) }

func (x *tx) DeleteLink(hash []byte) error { return links.remove(x, "hash = $1", hash) }

// DeleteLinksOf removes the links of a user; without one, those that set up
// the first administrator.
func (x *tx) DeleteLinksOf(userID string) error {
	return links.remove(x, "COALESCE(user_id, '') = $1", userID)
}

func (x *tx) PruneVolatile(sessionsSeenBefore, sessionsCreatedBefore, linksBefore time.Time) error {
	err := sessions.remove(x, "seen_at < $1 OR created_at < $2", micros(sessionsSeenBefore), micros(sessionsCreatedBefore))
	if err != nil {
		return err
	}
	return links.remove(x, "expires_at < $1", micros(linksBefore))
}
