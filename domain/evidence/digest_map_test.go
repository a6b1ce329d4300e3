package evidence

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	l := newDigestMap()
	for i, key := range []string{"a", "b", "c", "d", "b"} {
		l.set(key, Hash{byte(i + 1)})
	}
	l.remove("c")
	l.remove("none")
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
	l.remove("a")
	if diff := cmp.Diff([]string{"b", "c", "d"}, l.remainingKeys()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if (*digestMap)(nil).find("a") != nil {
		t.Error("found in nothing")
	}
}

// Of many keys each is found, whatever was done to the others.
func TestLedger_OfMany(t *testing.T) {
	t.Parallel()
	const many = 3*arenaChunk + 7
	l := newDigestMap()
	want := map[string]byte{}
	for i := range many {
		key := fmt.Sprint("key-", i*7919%many/2)
		l.set(key, Hash{byte(i)})
		want[key] = byte(i)
		if i%5 == 0 {
			l.remove(key)
			delete(want, key)
		}
	}
	for i := range many {
		key := fmt.Sprint("key-", i)
		digest, known := want[key]
		if line := l.find(key); (line != nil) != known || known && line.digest[0] != digest {
			t.Fatalf("%s: found %v, want %d", key, line, digest)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), l.remainingKeys()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}
