package evidence

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/mod/sumdb/tlog"
)

// stored keeps of a tree what a database does, and counts what is read of it.
type stored struct {
	leaves, nodes []Hash
	read          int
}

func (s *stored) ReadHashes(indexes []int64) ([]Hash, error) {
	s.read += len(indexes)
	return ReadHashes(indexes, of(s.leaves), of(s.nodes))
}

func of(hashes []Hash) func(numbers []int64) ([]Hash, error) {
	return func(numbers []int64) (list []Hash, err error) {
		for _, i := range numbers {
			if i >= int64(len(hashes)) {
				return nil, fmt.Errorf("no hash %d", i)
			}
			list = append(list, hashes[i])
		}
		return list, nil
	}
}

func leaf(i int64) Hash { return LeafHash(fmt.Append(nil, "entry ", i)) }

func newKey(t *testing.T) *SigningKey {
	t.Helper()
	origin, err := NewOrigin(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := NewSigningKey(rand.Reader, origin)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// The tree is that of the library, at every size, whether its edge is known or
// read again; every entry is proven in it and no other.
func TestTree_GrowsAsItIsDefined(t *testing.T) {
	t.Parallel()
	const n = 70
	kept, all := &stored{}, []Hash{} // all hashes, as the library would keep them
	grown := NewTree(0, kept)
	var checkpoints []Checkpoint
	for i := range int64(n) {
		for _, tree := range []*Tree{NewTree(i, kept), grown.Clone(), grown} {
			nodes, err := tree.Append(leaf(i))
			if err != nil {
				t.Fatal(err)
			}
			want, err := tlog.StoredHashes(i, fmt.Append(nil, "entry ", i), tlog.HashReaderFunc(func(indexes []int64) (list []Hash, _ error) {
				for _, index := range indexes {
					list = append(list, all[index])
				}
				return list, nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[min(4, len(want)):], nodes, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("inner nodes of entry %d (-want +got):\n%s", i, diff)
			}
			if tree == grown {
				if int64(len(kept.nodes)) != NodeCount(i) {
					t.Fatalf("%d inner nodes before entry %d, want %d", len(kept.nodes), i, NodeCount(i))
				}
				all, kept.leaves, kept.nodes = append(all, want...), append(kept.leaves, leaf(i)), append(kept.nodes, nodes...)
			}
		}
		indexes := make([]int64, len(all))
		for index := range indexes {
			indexes[index] = int64(index)
		}
		if got, err := ReadHashes(indexes, of(kept.leaves), of(kept.nodes)); err != nil || !slices.Equal(got, all) {
			t.Fatalf("%d entries: not all hashes are made from what is stored (%v)", i+1, err)
		}
		read := kept.read
		root, err := grown.Root()
		if err != nil {
			t.Fatal(err)
		}
		if kept.read != read {
			t.Errorf("the edge of %d entries was read again", i+1)
		}
		again, err := Root(i+1, kept)
		if err != nil || again != root {
			t.Fatalf("root of %d entries: %v, %v (%v)", i+1, root, again, err)
		}
		checkpoints = append(checkpoints, Checkpoint{Origin: "o", Size: i + 1, Root: root})
	}
	last := checkpoints[n-1]
	for i := range int64(n) {
		proof, err := Prove(last, i, leaf(i), kept)
		if err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
		if checkEntry(last, i, leaf(i+1), proof) == nil || checkEntry(last, (i+1)%n, leaf(i), proof) == nil {
			t.Errorf("entry %d is proven to be another", i)
		}
		growth, err := ProveConsistency(i+1, n, kept)
		older := checkpoints[i].Root
		if err != nil || tlog.CheckTree(growth, n, last.Root, i+1, older) != nil {
			t.Errorf("growth from %d: %v", i+1, err)
		}
		older[0] ^= 1
		if tlog.CheckTree(growth, n, last.Root, i+1, older) == nil {
			t.Errorf("growth from another root of %d entries is proven", i+1)
		}
	}
	for _, seq := range []int64{-1, n} {
		if _, err := Prove(last, seq, leaf(0), kept); err == nil {
			t.Errorf("entry %d is proven", seq)
		}
	}
}

func TestSigningKey_RoundTrip(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	again, err := ParseSigningKey(key.Secret() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if again.VKey() != key.VKey() || again.Origin() != key.Origin() || !strings.HasPrefix(key.VKey(), key.Origin()+"+") {
		t.Errorf("%s of %s reads back as %s of %s", key.VKey(), key.Origin(), again.VKey(), again.Origin())
	}
	if CheckVKey(key.VKey()) != nil || CheckVKey(key.Secret()) == nil || CheckVKey("") == nil {
		t.Error("the public half is not told from others")
	}
	for _, text := range []string{"", "PRIVATE+KEY", key.VKey(), key.Secret()[:40], key.Secret() + "x"} {
		if _, err := ParseSigningKey(text); err == nil || strings.Contains(err.Error(), key.Secret()[len(key.Secret())-10:]) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func TestCheckpoint_Signatures(t *testing.T) {
	t.Parallel()
	old, next, other := newKey(t), newKey(t), newKey(t)
	c := Checkpoint{Origin: next.Origin(), Size: 3, Root: leaf(0)}
	both, err := c.Sign(next, old)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := c.Sign(next)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []*SigningKey{old, next} {
		if got, err := OpenCheckpoint(both, key.VKey()); err != nil || got != c {
			t.Errorf("opened as %+v: %v", got, err)
		}
	}
	if got, err := ExtractSignature(both, next.VKey()); err != nil || got != alone {
		t.Errorf("with one signature %q: %v", got, err)
	}
	if _, err := openExactly(both, next.VKey(), old.VKey()); err != nil {
		t.Error(err)
	}
	for name, try := range map[string]func() error{
		"another key":         func() error { _, err := OpenCheckpoint(both, other.VKey()); return err },
		"no key":              func() error { _, err := OpenCheckpoint(both); return err },
		"one of two, exactly": func() error { _, err := openExactly(both, next.VKey()); return err },
		"two of one, exactly": func() error { _, err := openExactly(alone, next.VKey(), old.VKey()); return err },
		"a line too many": func() error {
			_, err := openExactly(alone+alone[strings.Index(alone, "— "):], next.VKey())
			return err
		},
		"a key that is none": func() error { _, err := OpenCheckpoint(both, "key"); return err },
	} {
		if try() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for i := range alone {
		changed := []byte(alone)
		changed[i] ^= 4
		if _, err := openExactly(string(changed), next.VKey()); err == nil {
			t.Errorf("byte %d changed from %q to %q is not noticed", i, alone[i], changed[i])
		}
	}
	if got, err := PeekCheckpoint(alone); err != nil || got != c {
		t.Errorf("peeked %+v: %v", got, err)
	}
	for _, text := range []string{"", "o\n1\nx\n\n", "o\n01\n" + c.Root.String() + "\n\n", "o\n-1\n" + c.Root.String() + "\n\n", "\n1\n" + c.Root.String() + "\n\n", "o\n1\n" + c.Root.String() + "\nmore\n\n"} {
		if got, err := PeekCheckpoint(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
