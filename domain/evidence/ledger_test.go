package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	l := newLedger()
	for i, key := range []string{"a", "b", "c", "d", "b"} {
		l.set(key, Hash{byte(i + 1)})
	}
	l.strike("c")
	l.strike("none")
	for _, row := range []struct {
		key  string
		want byte // the digest's first; 0: not found
	}{{"d", 4}, {"a", 1}, {"b", 5}, {"c", 0}, {"d", 4}, {"e", 0}, {"b", 5}} {
		var got byte
		if line := l.find(row.key); line != nil {
			got = line.digest[0]
		}
		if got != row.want {
			t.Errorf("%s: found %d, want %d", row.key, got, row.want)
		}
	}
	l.set("c", Hash{6})
	l.strike("a")
	if diff := cmp.Diff([]string{"b", "c", "d"}, l.left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if (*ledger)(nil).find("a") != nil {
		t.Error("found in nothing")
	}
}
