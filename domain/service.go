package domain

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"countersign/domain/credential"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// Service is the one place that decides. Each method is one use case: it
// checks the request, loads who is asking, checks what they may, applies the
// rule, writes and logs, in one transaction. Pages, JSON, streams and the
// command line all go through it.
//
// Every method takes the Ref of who acts and returns an *Error for every
// refusal. Answers come in the order that DESIGN gives: 401, 422, 404, 403,
// 423, 409.
type Service struct {
	store  Store
	feed   *Feed
	now    func() time.Time
	rand   io.Reader
	hasher *credential.Hasher
	limits Limits
	// selfApproval lets users, never keys, decide what their own group, or a key
	// that they made, requested.
	selfApproval bool
	// keyUse remembers the keys that were used lately (id to keyUse).
	keyUse    sync.Map
	ids       ids
	documents documents
	requested requested
	// followers are those who follow a session.
	followers followers
	reading   chan struct{} // as many as read for streams now
	// looked is what the last look at deadlines found, if any.
	looked atomic.Pointer[deadlines]
	// unsettled are confirms whose deadline has come and that the log does not prove:
	// when this was found, by id.
	unsettled sync.Map
	// peopled is set once there has been a user.
	peopled atomic.Bool
	// verification is what SetVerification was told last, nil: nothing.
	verification atomic.Pointer[Verification]
	verifyNow    chan struct{} // holds that somebody wants one now
	logger       *slog.Logger
	// misfits are the hashes of sessions and links whose MAC does not fit, of which
	// the operator has been told.
	misfits sync.Map
}

// Config is what a Service needs beside its Store. Zero members get defaults
// fit for a server.
type Config struct {
	Feed              *Feed
	Now               func() time.Time
	Rand              io.Reader
	Hasher            *credential.Hasher
	Limits            Limits
	AllowSelfApproval bool
	Logger            *slog.Logger // hears of rows that were not this program's
}

// NewService returns a Service over a Store. The Store must publish to the
// same Feed.
func NewService(store Store, c Config) *Service {
	s := &Service{
		store: store, feed: c.Feed, now: c.Now, rand: c.Rand, hasher: c.Hasher,
		limits: c.Limits, selfApproval: c.AllowSelfApproval, logger: c.Logger,
		verifyNow: make(chan struct{}, 1), reading: make(chan struct{}, readers),
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.feed == nil {
		s.feed = NewFeed()
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.rand == nil {
		s.rand = rand.Reader
	}
	if s.hasher == nil {
		s.hasher = credential.NewHasher(credential.DefaultParams, 2)
	}
	if s.limits == (Limits{}) {
		s.limits = DefaultLimits()
	}
	return s
}

// Limits in force.
func (s *Service) Limits() Limits { return s.limits }

// Now is the server's clock.
func (s *Service) Now() time.Time { return s.clock() }

// Feed tells what was committed.
func (s *Service) Feed() *Feed { return s.feed }

// Prepare seeds a new database with the roles of S1 (requirements)
// and does nothing on one that has been prepared.
func (s *Service) Prepare(ctx context.Context) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		if seq, err := tx.NextSeq(); err != nil || seq > 0 {
			return err
		}
		now := s.clock()
		for _, role := range SeededRoles() {
			role.CreatedAt, role.UpdatedAt = now, now
			role.Native = roleNative(mplp.NewObject(), &role)
			if err := tx.InsertRole(&role); err != nil {
				return err
			}
			if err := s.log(tx, &system, evidence.Entry{Type: "role.created", ObjectID: role.ID, Data: data("seeded", true, "name", role.Name, "granted", role.Capabilities)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// system is the clock and the command line as a principal.
var system = Principal{Ref: System, Name: SystemName}

// clock is the server's time as it is stored: UTC, in microseconds.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// as runs fn in a transaction as the principal that ref names. It is refused
// when there is no such principal any more.
func (s *Service) as(ctx context.Context, ref Ref, fn func(tx Tx, p *Principal) error) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		p, err := s.principal(tx, ref)
		if err != nil {
			return err
		}
		return fn(tx, p)
	})
}

// read runs fn on a snapshot as the principal that ref names.
func (s *Service) read(ctx context.Context, ref Ref, fn func(r Reader, p *Principal) error) error {
	return s.store.View(ctx, func(r Reader) error {
		p, err := s.principal(r, ref)
		if err != nil {
			return err
		}
		return fn(r, p)
	})
}

// Principal loads who ref names, with the roles held now.
func (s *Service) Principal(ctx context.Context, ref Ref) (p *Principal, err error) {
	err = s.read(ctx, ref, func(_ Reader, found *Principal) error {
		p = found
		return nil
	})
	return p, err
}

func nobody() *Error { return refuse(CodeUnauthenticated, "Sign in first, or send a valid key.") }

// principal loads who ref names. Disabled users, and keys that are revoked,
// expired or owned by a disabled user, are nobody.
func (s *Service) principal(r Reader, ref Ref) (*Principal, error) {
	var ids []string
	p := &Principal{Ref: ref}
	switch ref.Kind {
	case KindSystem:
		return &system, nil
	case KindUser:
		u, err := r.User(ref.ID)
		if errors.Is(err, ErrNotFound) || err == nil && u.Disabled {
			return nil, nobody()
		} else if err != nil {
			return nil, err
		}
		p.Name, p.Group, p.MayDecide, ids = u.Name, u.group(), true, u.Roles
	case KindAgent:
		k, err := r.Key(ref.ID)
		if errors.Is(err, ErrNotFound) || err == nil && !k.Live(s.clock()) {
			return nil, nobody()
		} else if err != nil {
			return nil, err
		}
		if k.OwnerID != "" {
			owner, err := r.User(k.OwnerID)
			if errors.Is(err, ErrNotFound) || err == nil && owner.Disabled {
				return nil, nobody()
			} else if err != nil {
				return nil, err
			}
		}
		p.Name, p.Group, p.MayDecide, p.expires, ids = k.Name, k.group(), k.MayDecide, k.ExpiresAt, k.Roles
	default:
		return nil, nobody()
	}
	p.Roles = make([]*Role, 0, len(ids))
	for _, id := range ids {
		role, err := r.Role(id)
		if errors.Is(err, ErrNotFound) { // roles that are held are not deleted
			return nil, unproven("A role of yours is not stored as the log has it: an administrator should verify the database.")
		} else if err != nil {
			return nil, err
		}
		p.Roles = append(p.Roles, role)
	}
	return p, nil
}

// log appends an entry for a change that p made at this moment. It is the last
// thing a change does: it covers the rows written since the entry before.
func (s *Service) log(tx Tx, p *Principal, e evidence.Entry) error { return s.append(tx, p, &e) }

// append is log for those who go on to use the entry, or have said when it was.
func (s *Service) append(tx Tx, p *Principal, e *evidence.Entry) error {
	if e.At.IsZero() {
		e.At = s.clock()
	}
	e.Principal, e.Kind, e.Name = p.Ref.String(), string(p.Kind), p.Name
	return tx.Append(e)
}

// maxFact is how many bytes an entry has of one text, and maxListed how many of
// a list of ids: entries are kept for ever. What they leave out, the objects have.
const (
	maxFact   = 4 << 10
	maxListed = 16
)

// data makes the further facts of an entry from alternating names and values.
func data(pairs ...any) json.RawMessage {
	facts := slices.SortedFunc(slices.Chunk(pairs, 2), func(a, b []any) int { return cmp.Compare(a[0].(string), b[0].(string)) })
	raw := []byte("{")
	for i, fact := range facts {
		value, err := json.Marshal(fact[1])
		if text, is := fact[1].(string); is && len(value) > maxFact {
			value, err = json.Marshal(beginning(text))
		}
		if err != nil {
			panic("log data: " + err.Error()) // only values of our own come here
		}
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(append(strconv.AppendQuote(raw, fact[0].(string)), ':'), value...)
	}
	return append(raw, '}')
}

// firstOf are as many ids as an entry lists.
func firstOf(ids []string) []string { return ids[:min(len(ids), maxListed)] }

// beginning is as much of a text as an entry repeats, and how much it leaves out.
func beginning(text string) string {
	e := Excerpt{Text: text}
	for quoted, _ := json.Marshal(e.Text); len(quoted) > maxFact-64; quoted, _ = json.Marshal(e.Text) {
		e = NewExcerpt(text, utf8.RuneCountInString(e.Text)*3/4)
	}
	return e.String()
}
