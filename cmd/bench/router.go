package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/static"
	"countersign/store"
	"countersign/web"
)

// router serves the product's own router over a store that keeps nothing: what
// is left of posting a confirm is HTTP, who asks, what they may, the parser and
// what is made of the confirm before it is stored. Who may ask is read from the
// database at path, once.
func router(ctx context.Context, path string, stdout io.Writer) error {
	those, err := remember(ctx, path)
	if err != nil {
		return err
	}
	limits, err := domain.DefaultLimits().Parse(lifted)
	if err != nil {
		return err
	}
	assets, err := static.Load()
	if err != nil {
		return err
	}
	// As in the product (cmd/countersign/ballast.go), so that the collector costs
	// both the same.
	ballast := make([]byte, 256<<20)
	defer runtime.KeepAlive(ballast)
	debug.SetGCPercent(25)
	return serveHTTP(ctx, stdout, web.New(web.Config{
		Service: domain.NewService(forgetful{those}, domain.Config{Limits: limits}), Assets: assets,
		Logger: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	}))
}

// forgetful is a store that keeps nothing.
type forgetful struct{ those *askers }

func (f forgetful) Tx(_ context.Context, fn func(domain.Tx) error) error       { return fn(f.those) }
func (f forgetful) View(_ context.Context, fn func(domain.Reader) error) error { return fn(f.those) }

// askers are the keys that may ask, with their owners and roles, as a
// transaction that forgets what it is told. Asked for more than posting a
// confirm needs, it panics.
type askers struct {
	domain.Tx
	keys  map[string]*domain.Key
	users map[string]*domain.User
	roles map[string]*domain.Role
}

func (a *askers) Key(id string) (*domain.Key, error)   { return known(a.keys, id) }
func (a *askers) User(id string) (*domain.User, error) { return known(a.users, id) }
func (a *askers) Role(id string) (*domain.Role, error) { return known(a.roles, id) }

func (a *askers) PendingCount(*domain.Ref) (int, error)                       { return 0, nil }
func (a *askers) NextSeq() (int64, error)                                     { return 1, nil }
func (a *askers) InsertConfirm(*domain.Confirm, *domain.ConfirmContent) error { return nil }
func (a *askers) Append(*evidence.Entry) error                                { return nil }
func (a *askers) TouchKey(string, time.Time) error                            { return nil }

func known[T any](all map[string]*T, id string) (*T, error) {
	if one, ok := all[id]; ok {
		return one, nil
	}
	return nil, domain.ErrNotFound
}

// remember reads who may ask.
func remember(ctx context.Context, path string) (a *askers, err error) {
	a = &askers{keys: map[string]*domain.Key{}, users: map[string]*domain.User{}, roles: map[string]*domain.Role{}}
	db, err := store.Open(ctx, path, store.Options{Now: time.Now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return a, db.View(ctx, func(r domain.Reader) error {
		keys, err := r.Keys()
		if err != nil {
			return err
		}
		users, err := r.Users()
		if err != nil {
			return err
		}
		roles, err := r.Roles()
		if err != nil {
			return err
		}
		for _, k := range keys {
			a.keys[k.ID] = k
		}
		for _, u := range users {
			a.users[u.ID] = u
		}
		for _, role := range roles {
			a.roles[role.ID] = role
		}
		return nil
	})
}
