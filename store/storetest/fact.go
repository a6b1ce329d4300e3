package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"countersign/domain"
)

func testFacts(t *testing.T, s Store) {
	key := func(n int) []byte { return fmt.Appendf(nil, "key %03d\x00\xff", n) }
	get := func(keys ...[]byte) []*domain.Fact {
		t.Helper()
		list := read(t, s, func(r domain.Reader) ([]*domain.Fact, error) { return r.Facts(keys) })
		slices.SortFunc(list, func(a, b *domain.Fact) int { return bytes.Compare(a.Key, b.Key) })
		return list
	}
	set := func(list ...*domain.Fact) {
		t.Helper()
		alone(t, s, func(tx domain.Tx) error { return tx.SetFacts(list) })
	}
	same(t, "none", []*domain.Fact(nil), get(key(1), key(2)))
	same(t, "of no keys", []*domain.Fact(nil), get())
	set()

	first := &domain.Fact{Key: key(1), FirstAt: at(1), LastAt: at(2), Approved: 3, Rejected: 4, Edited: 5, Distinct: 6, Recent: "1900.00 5", Seq: 1 << 40}
	set(first, &domain.Fact{Key: key(2), Seq: -1})
	same(t, "both", []*domain.Fact{first, {Key: key(2), Seq: -1}}, get(key(2), key(1), key(3)))
	changed := *first
	changed.FirstAt, changed.Approved, changed.Recent = time.Time{}, 30, ""
	set(&changed)
	same(t, "the last ones set", []*domain.Fact{&changed}, get(key(1)))

	var many []*domain.Fact
	var keys [][]byte
	for i := range 500 {
		many, keys = append(many, &domain.Fact{Key: key(i), Approved: i}), append(keys, key(i))
	}
	set(many...)
	same(t, "many", many, get(keys...))
	alone(t, s, func(tx domain.Tx) error { return tx.DeleteFacts() })
	same(t, "deleted", []*domain.Fact(nil), get(keys...))
}

// alone runs fn in a transaction that makes no log entry.
func alone(t *testing.T, s Store, fn func(domain.Tx) error) {
	t.Helper()
	if err := s.Tx(t.Context(), fn); err != nil {
		t.Fatalf("Tx: %v", err)
	}
}
