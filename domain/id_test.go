package domain

import (
	"crypto/rand"
	"regexp"
	"testing"
)

func TestC6_MadeIDs(t *testing.T) {
	t.Parallel()
	v4 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var made idGenerator
	seen, begins := map[string]bool{}, map[string]int{}
	for range 8 * idsPerPrefix {
		id, err := made.next(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if !v4.MatchString(id) || seen[id] {
			t.Fatalf("%s is no UUID v4, or not a new one", id)
		}
		seen[id] = true
		begins[id[:4]]++
	}
	for begin, n := range begins {
		if n%idsPerPrefix != 0 {
			t.Errorf("%d ids begin with %s, not %d", n, begin, idsPerPrefix)
		}
	}
	if len(begins) == 1 {
		t.Error("all ids begin alike, not only neighbours")
	}
}
