package storetest

import (
	"context"
	"testing"

	"countersign/domain"
)

func session(hash, userID string, created, seen int) *domain.Session {
	return &domain.Session{Hash: []byte(hash), UserID: userID, CreatedAt: at(created), SeenAt: at(seen), Browser: "Browser/1", MAC: []byte("mac")}
}

func sessionsOf(t *testing.T, s Store, userID string) []*domain.Session {
	t.Helper()
	return read(t, s, func(r domain.Reader) ([]*domain.Session, error) { return r.SessionsOf(userID) })
}

func testSessions(t *testing.T, s Store) {
	one, two, other := session("one", "u1", 0, 1), session("two", "u1", 0, 2), session("three", "u2", 0, 3)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertSession(one), tx.InsertSession(two), tx.InsertSession(other))
	})
	same(t, "Session", one, read(t, s, func(r domain.Reader) (*domain.Session, error) { return r.Session([]byte("one")) }))
	same(t, "last seen first", []*domain.Session{two, one}, sessionsOf(t, s, "u1"))

	touched := *one
	touched.SeenAt, touched.MAC = at(9), []byte("another")
	write(t, s, func(tx domain.Tx) error { return tx.TouchSession(&touched) })
	one.SeenAt, one.MAC = at(9), touched.MAC
	same(t, "after touch", []*domain.Session{one, two}, sessionsOf(t, s, "u1"))

	write(t, s, func(tx domain.Tx) error {
		return all(tx.DeleteSession([]byte("one")), tx.DeleteSessionsOf("u2"), tx.DeleteSession([]byte("gone")))
	})
	same(t, "one deleted", []*domain.Session{two}, sessionsOf(t, s, "u1"))
	same(t, "all of another deleted", 0, len(sessionsOf(t, s, "u2")))
}

func testLinks(t *testing.T, s Store) {
	setup := &domain.OneTimeLink{Hash: []byte("setup"), ExpiresAt: at(10)}
	invitation := &domain.OneTimeLink{Hash: []byte("invitation"), UserID: "u1", ExpiresAt: at(10)}
	reset := &domain.OneTimeLink{Hash: []byte("reset"), UserID: "u1", ExpiresAt: at(10)}
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertLink(setup), tx.InsertLink(invitation), tx.InsertLink(reset))
	})
	link := func(hash string) (l *domain.OneTimeLink, err error) {
		err = s.View(context.Background(), func(r domain.Reader) (err error) {
			l, err = r.Link([]byte(hash))
			return err
		})
		return l, err
	}
	got, err := link("setup")
	wantError(t, "Link", nil, err)
	same(t, "Link", setup, got)

	write(t, s, func(tx domain.Tx) error { return tx.DeleteLink([]byte("reset")) })
	_, err = link("reset")
	wantError(t, "deleted link", domain.ErrNotFound, err)
	_, err = link("invitation")
	wantError(t, "the other link", nil, err)

	write(t, s, func(tx domain.Tx) error { return tx.DeleteLinksOf("u1") })
	_, err = link("invitation")
	wantError(t, "link of a user", domain.ErrNotFound, err)
	write(t, s, func(tx domain.Tx) error { return tx.DeleteLinksOf("") })
	_, err = link("setup")
	wantError(t, "setup link", domain.ErrNotFound, err)
}

func testPreferences(t *testing.T, s Store) {
	get := func() domain.Preferences {
		return read(t, s, func(r domain.Reader) (domain.Preferences, error) { return r.Preferences("u1") })
	}
	same(t, "none saved", domain.Preferences{}, get())
	for _, want := range []domain.Preferences{{ShortcutsOff: true}, {}} {
		write(t, s, func(tx domain.Tx) error { return tx.SetPreferences("u1", want) })
		same(t, "saved", want, get())
	}
}

func testPrune(t *testing.T, s Store) {
	kept := session("kept", "u1", 10, 20)
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertSession(kept), tx.InsertSession(session("idle", "u1", 10, 14)), tx.InsertSession(session("old", "u1", 4, 20)),
			tx.InsertLink(&domain.OneTimeLink{Hash: []byte("late"), ExpiresAt: at(1)}), tx.InsertLink(&domain.OneTimeLink{Hash: []byte("good"), ExpiresAt: at(2)}))
	})
	write(t, s, func(tx domain.Tx) error { return tx.PruneVolatile(at(15), at(5), at(2)) })
	same(t, "sessions left", []*domain.Session{kept}, sessionsOf(t, s, "u1"))
	view(t, s, func(r domain.Reader) error {
		_, err := r.Link([]byte("late"))
		wantError(t, "expired link", domain.ErrNotFound, err)
		_, err = r.Link([]byte("good"))
		return err
	})
}
