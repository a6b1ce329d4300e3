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
	"sync/atomic"
	"time"
	"unicode/utf8"

	"countersign/domain/credential"
	"countersign/domain/evidence"
	"countersign/domain/lru"
	"countersign/domain/mplp"
)

// Service is the one place that decides. Each method is one use case in one
// transaction: it checks the input, loads the principal, checks rights, applies the
// rules, writes and logs. Pages, JSON, streams and the command line all use it.
//
// Methods take the Ref of the principal who acts, and return an *Error for every
// refusal. Checks come in the order of the codes: who asks, is the input valid, does it
// exist, is it allowed, is it locked, does it fit the present state.
type Service struct {
	store  Store
	feed   *Feed
	now    func() time.Time
	rand   io.Reader
	hasher *credential.Hasher
	limits Limits
	// selfApproval allows users, never keys, to decide what their own group, or a key
	// that they created, requested.
	selfApproval bool
	logger       *slog.Logger
	ids          idGenerator

	keyUses       *lru.Cache[string, keyUse]         // by key id
	planCache     *lru.Cache[planKey, parsedPlan]    // by the plan's bytes
	requestCache  *lru.Cache[string, cachedRequests] // by plan id
	inboxCache    *lru.Cache[string, *inboxList]     // see cachedInbox
	briefCache    *lru.Cache[string, *Brief]         // see maxCachedBriefs
	deadlineCache atomic.Pointer[deadlines]          // nil before the first look
	unexpirable   *lru.Cache[string, time.Time]      // when a confirm could not be expired, by its id
	loggedMACs    *lru.Cache[string, bool]           // hashes of rows whose invalid MAC was logged
	usersExist    atomic.Bool                        // there has been a user

	compiledPolicies *lru.Cache[compiledKey, compiledPolicy]
	lastPolicies     atomic.Pointer[compiledList]
	policyCounters   policyCounters

	followers    sessionFollowers
	streamReads  chan struct{} // one element for each stream that reads now
	verification atomic.Pointer[Verification]
	verifyNow    chan struct{} // has an element while a verification is requested

	checkAddress  func(string) error
	deliveriesDue chan struct{} // has an element when something may be due
}

// maxCachedItems bounds caches of small items.
const maxCachedItems = 1 << 16

// Config configures a Service. Zero fields get defaults fit for a server.
type Config struct {
	Feed              *Feed
	Now               func() time.Time
	Rand              io.Reader
	Hasher            *credential.Hasher
	Limits            Limits
	AllowSelfApproval bool
	Logger            *slog.Logger // gets warnings about rows that another program wrote
	// CheckAddress refuses an address of a destination that could not be sent to. Nil: no
	// destination can be created.
	CheckAddress func(address string) error
}

// NewService returns a Service over a Store, which must publish to the same Feed.
func NewService(store Store, c Config) *Service {
	s := &Service{
		store: store, feed: c.Feed, now: c.Now, rand: c.Rand, hasher: c.Hasher,
		limits: c.Limits, selfApproval: c.AllowSelfApproval, logger: c.Logger,
		verifyNow: make(chan struct{}, 1), checkAddress: c.CheckAddress, deliveriesDue: make(chan struct{}, 1), streamReads: make(chan struct{}, maxStreamReads),
		keyUses: lru.New[string, keyUse](maxCachedItems), planCache: lru.New[planKey, parsedPlan](maxCachedPlans),
		requestCache: lru.New[string, cachedRequests](maxCachedRequests),
		briefCache:   lru.New[string, *Brief](maxCachedBriefs),
		inboxCache:   lru.New[string, *inboxList](maxCachedInboxes),
		unexpirable:  lru.New[string, time.Time](maxCachedItems), loggedMACs: lru.New[string, bool](maxCachedItems),
		compiledPolicies: lru.New[compiledKey, compiledPolicy](maxCompiledPolicies),
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

// Limits returns the limits in force.
func (s *Service) Limits() Limits { return s.limits }

// Now returns the server's time.
func (s *Service) Now() time.Time { return s.clock() }

// Feed returns the feed of what was committed.
func (s *Service) Feed() *Feed { return s.feed }

// Prepare creates the seeded roles and policies in a new database. It does nothing in one
// that has entries.
func (s *Service) Prepare(ctx context.Context) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		if seq, err := tx.NextSeq(); err != nil || seq > 0 {
			return err
		}
		now := s.clock()
		for _, role := range SeededRoles() {
			role.CreatedAt, role.UpdatedAt = now, now
			role.Native = roleJSON(mplp.NewObject(), &role)
			if err := tx.InsertRole(&role); err != nil {
				return err
			}
			if err := s.log(tx, &system, evidence.Entry{Type: "role.created", ObjectID: role.ID, Data: data("seeded", true, "name", role.Name, "granted", role.Capabilities)}); err != nil {
				return err
			}
		}
		return s.seedPolicies(tx)
	})
}

// system is System as a principal.
var system = Principal{Ref: System, Name: SystemName}

// clock returns the time as it is stored: UTC, in microseconds.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// write runs fn in a transaction as the principal that ref names. It refuses a
// principal that no longer exists.
func (s *Service) write(ctx context.Context, ref Ref, fn func(tx Tx, p *Principal) error) error {
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

// Principal loads the principal that ref names, with the roles held now.
func (s *Service) Principal(ctx context.Context, ref Ref) (p *Principal, err error) {
	err = s.read(ctx, ref, func(_ Reader, found *Principal) error {
		p = found
		return nil
	})
	return p, err
}

func errUnauthenticated() *Error {
	return refuse(CodeUnauthenticated, "Sign in first, or send a valid key.")
}

// principal loads the principal that ref names. Disabled users, and keys that are
// revoked, expired or owned by a disabled user, are unauthenticated.
func (s *Service) principal(r Reader, ref Ref) (*Principal, error) {
	var ids []string
	p := &Principal{Ref: ref}
	switch ref.Kind {
	case KindSystem:
		return &system, nil
	case KindUser:
		u, err := r.User(ref.ID)
		if errors.Is(err, ErrNotFound) || err == nil && u.Disabled {
			return nil, errUnauthenticated()
		} else if err != nil {
			return nil, err
		}
		p.Name, p.Group, p.MayDecide, ids = u.Name, u.group(), true, u.Roles
	case KindAgent:
		k, err := r.Key(ref.ID)
		if errors.Is(err, ErrNotFound) || err == nil && !k.IsActive(s.clock()) {
			return nil, errUnauthenticated()
		} else if err != nil {
			return nil, err
		}
		if k.OwnerID != "" {
			owner, err := r.User(k.OwnerID)
			if errors.Is(err, ErrNotFound) || err == nil && owner.Disabled {
				return nil, errUnauthenticated()
			} else if err != nil {
				return nil, err
			}
		}
		p.Name, p.Group, p.MayDecide, p.expires, ids = k.Name, k.group(), k.MayDecide, k.ExpiresAt, k.Roles
	default:
		return nil, errUnauthenticated()
	}
	p.Roles = make([]*Role, 0, len(ids))
	for _, id := range ids {
		role, err := r.Role(id)
		if errors.Is(err, ErrNotFound) { // a role that is held is never deleted
			return nil, errUnproven("One of your roles differs from the log. Ask an administrator to verify the database.")
		} else if err != nil {
			return nil, err
		}
		p.Roles = append(p.Roles, role)
	}
	return p, nil
}

// log appends an entry for a change by p. It must be the last step of a change: it
// covers the rows written since the entry before.
func (s *Service) log(tx Tx, p *Principal, e evidence.Entry) error { return s.append(tx, p, &e) }

// append is log for callers that go on to use the entry, or set its time.
func (s *Service) append(tx Tx, p *Principal, e *evidence.Entry) error {
	if e.At.IsZero() {
		e.At = s.clock()
	}
	e.Principal, e.Kind, e.Name = p.Ref.String(), string(p.Kind), p.Name
	return tx.Append(e)
}

// maxFact is the maximum size of one text in an entry, in bytes, and maxListed that of
// a list of ids: entries are kept for ever. The objects have the whole.
const (
	maxFact   = 4 << 10
	maxListed = 16
)

// data builds an entry's data from alternating names and values.
func data(pairs ...any) json.RawMessage {
	facts := slices.SortedFunc(slices.Chunk(pairs, 2), func(a, b []any) int { return cmp.Compare(a[0].(string), b[0].(string)) })
	raw := []byte("{")
	for i, fact := range facts {
		value, err := json.Marshal(fact[1])
		if text, is := fact[1].(string); is && len(value) > maxFact {
			value, err = json.Marshal(capText(text))
		}
		if err != nil {
			panic("log data: " + err.Error()) // values come from this package only
		}
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(append(strconv.AppendQuote(raw, fact[0].(string)), ':'), value...)
	}
	return append(raw, '}')
}

// capList returns as many ids as an entry lists.
func capList(ids []string) []string { return ids[:min(len(ids), maxListed)] }

// capText returns as much of a text as an entry repeats, with a note of what is left
// out.
func capText(text string) string {
	e := Excerpt{Text: text}
	for quoted, _ := json.Marshal(e.Text); len(quoted) > maxFact-64; quoted, _ = json.Marshal(e.Text) {
		e = NewExcerpt(text, utf8.RuneCountInString(e.Text)*3/4)
	}
	return e.String()
}
