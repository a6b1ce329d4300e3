package storetest

import (
	"testing"

	"countersign/domain"
)

func testThrottles(t *testing.T, s Store) {
	get := func(subject string) domain.LoginThrottle {
		t.Helper()
		return read(t, s, func(r domain.Reader) (domain.LoginThrottle, error) { return r.Throttle(subject) })
	}
	same(t, "none", domain.LoginThrottle{}, get("name a"))
	first, second := domain.LoginThrottle{Failures: 1, SeenAt: at(1)}, domain.LoginThrottle{Failures: 2, SeenAt: at(2)}
	write(t, s, func(tx domain.Tx) error {
		return all(tx.SetThrottle("name a", first), tx.SetThrottle("name a", second), tx.SetThrottle("name b", first))
	})
	same(t, "the last one set", second, get("name a"))
	same(t, "folded as names are", second, get("NAME ａ"))
	write(t, s, func(tx domain.Tx) error { return tx.PruneThrottles(at(2)) })
	same(t, "pruned", domain.LoginThrottle{}, get("name b"))
	same(t, "kept", second, get("name a"))
	write(t, s, func(tx domain.Tx) error { return tx.SetThrottle("name a", domain.LoginThrottle{}) })
	same(t, "forgotten", domain.LoginThrottle{}, get("name a"))
}
