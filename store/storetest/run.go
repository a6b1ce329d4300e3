package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Store is what the suite needs of a backend: the contract, and its rows as
// evidence is verified against them.
type Store interface {
	domain.Store
	Rows(ctx context.Context, fn func(table, key string, digest []byte) error) error
}

// Run runs the suite. open returns an empty store, closed when its test ends.
// refusesAlone says that a refused insert fails its own transaction; otherwise the
// insert runs later, and fails every transaction of the group.
func Run(t *testing.T, refusesAlone bool, open func(t *testing.T) Store) {
	tests := []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"roles", testRoles},
		{"role rows", testRoleRows},
		{"role use", testRoleUse},
		{"users", testUsers},
		{"user page", testUserPage},
		{"keys", testKeys},
		{"key page", testKeyPage},
		{"sessions", testSessions},
		{"links", testLinks},
		{"preferences", testPreferences},
		{"throttles", testThrottles},
		{"prune volatile", testPrune},
		{"facts", testFacts},
		{"policies", testPolicies},
		{"destinations", testDestinations},
		{"deliveries", testDeliveries},
		{"contexts", testContexts},
		{"plans", testPlans},
		{"plan compare and swap", testPlanConflict},
		{"traces", testTraces},
		{"confirms", testConfirms},
		{"confirm compare and swap", testConfirmConflict},
		{"confirm deadlines", testDeadlines},
		{"confirm counts", testCounts},
		{"decisions", func(t *testing.T, s Store) { testDecisions(t, s, refusesAlone) }},
		{"consumptions", testConsumptions},
		{"confirm filters", testConfirmFilters},
		{"confirm visibility", testConfirmVisibility},
		{"confirm search", testConfirmSearch},
		{"confirms of a call", testConfirmsOfCall},
		{"requester record", testRequesterRecord},
		{"confirm orders and pages", testConfirmPages},
		{"confirms far down a list", testConfirmsFarDown},
		{"confirms by group", testConfirmsByGroup},
		{"confirm rows", testConfirmRows},
		{"session steps", testSessionSteps},
		{"confirm titles", testConfirmTitles},
		{"cursors", testCursors},
		{"absent rows", testNotFound},
		{"log", testLog},
		{"log filters", testLogFilters},
		{"log filters together", testLogFiltersTogether},
		{"transactions", testTransactions},
		{"row digests", testRowDigests},
		{"tree", testTree},
		{"forget", testForget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.test(t, open(t))
		})
	}
}

// at is n seconds into the test's time, with microseconds to keep.
func at(n int) time.Time {
	return time.Date(2026, 3, 4, 5, 6, 7, 123456000, time.UTC).Add(time.Duration(n) * time.Second)
}

func entry(kind string) *evidence.Entry {
	return &evidence.Entry{Type: kind, At: at(0).Truncate(time.Millisecond), Principal: "system", Kind: "system"}
}

// write runs fn in a transaction of its own and covers its rows.
func write(t *testing.T, s Store, fn func(domain.Tx) error) {
	t.Helper()
	if err := tryWrite(s, fn); err != nil {
		t.Fatalf("Tx: %v", err)
	}
}

func tryWrite(s Store, fn func(domain.Tx) error) error {
	return s.Tx(context.Background(), func(tx domain.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Append(entry("test.written"))
	})
}

// all runs writes one after the other.
func all(writes ...error) error { return errors.Join(writes...) }

func view(t *testing.T, s Store, fn func(domain.Reader) error) {
	t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// read is one read in a View.
func read[T any](t *testing.T, s Store, fn func(domain.Reader) (T, error)) T {
	t.Helper()
	var got T
	view(t, s, func(r domain.Reader) (err error) {
		got, err = fn(r)
		return err
	})
	return got
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func wantError(t *testing.T, what string, want, got error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}
