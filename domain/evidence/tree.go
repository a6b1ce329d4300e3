package evidence

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a hash in the Merkle tree over the log's entries (RFC 6962).
type Hash = tlog.Hash

// Hashes reads the tree's hashes by index: for every entry its leaf, then each inner
// node that it completes.
type Hashes = tlog.HashReader

// blockLevel: inner nodes are stored for blocks of 2 to this power entries and above.
// Those below are computed when a proof needs them; storing them would cost each entry
// more than its own hash.
const blockLevel = 4

// LeafHash returns the hash of an entry's bytes in the tree.
func LeafHash(entry []byte) Hash { return tlog.RecordHash(entry) }

// NodeCount returns how many inner nodes are stored for a tree of this size. They are
// numbered like the hashes of a tree whose leaves are the blocks.
func NodeCount(size int64) int64 { return tlog.StoredHashCount(size >> blockLevel) }

// ReadHashes returns hashes of the tree from what is stored: leaves returns those of
// entries, and nodes those of inner nodes, by their numbers.
func ReadHashes(indexes []int64, leaves, nodes func(numbers []int64) ([]Hash, error)) ([]Hash, error) {
	var seqs, numbers []int64
	for _, index := range indexes {
		level, n := tlog.SplitStoredHashIndex(index)
		if level >= blockLevel {
			numbers = append(numbers, tlog.StoredHashIndex(level-blockLevel, n))
			continue
		}
		for seq := n << level; seq < (n+1)<<level; seq++ {
			seqs = append(seqs, seq)
		}
	}
	below, err := leaves(seqs)
	if err != nil {
		return nil, err
	}
	above, err := nodes(numbers)
	if err != nil {
		return nil, err
	}
	hashes := make([]Hash, len(indexes))
	for i, index := range indexes {
		if level, _ := tlog.SplitStoredHashIndex(index); level >= blockLevel {
			hashes[i], above = above[0], above[1:]
		} else {
			hashes[i], below = nodeHash(below[:1<<level]), below[1<<level:]
		}
	}
	return hashes, nil
}

// nodeHash returns the root over leaves, whose number must be a power of two.
func nodeHash(leaves []Hash) Hash {
	if len(leaves) == 1 {
		return leaves[0]
	}
	half := len(leaves) / 2
	return tlog.NodeHash(nodeHash(leaves[:half]), nodeHash(leaves[half:]))
}

// Tree is a growing Merkle tree over stored hashes. It caches its right edge, which is
// all that growing needs.
type Tree struct {
	size   int64
	edge   map[int64]Hash
	stored Hashes
}

// NewTree returns the tree over the first size stored entries.
func NewTree(size int64, stored Hashes) *Tree {
	return &Tree{size: size, edge: map[int64]Hash{}, stored: stored}
}

// Size returns the number of entries.
func (t *Tree) Size() int64 { return t.size }

// Clone returns an independent copy.
func (t *Tree) Clone() *Tree { return &Tree{t.size, maps.Clone(t.edge), t.stored} }

// Append adds an entry's leaf and returns the inner nodes to store, numbered from
// NodeCount of the size before.
func (t *Tree) Append(leaf Hash) ([]Hash, error) {
	hashes, err := tlog.StoredHashesForRecordHash(t.size, leaf, t)
	if err != nil {
		return nil, err
	}
	first := tlog.StoredHashCount(t.size)
	for i, h := range hashes {
		t.edge[first+int64(i)] = h
	}
	t.size++
	return hashes[min(blockLevel, len(hashes)):], nil
}

// Root returns the root over all entries.
func (t *Tree) Root() (Hash, error) {
	needed := map[int64]Hash{}
	root, err := tlog.TreeHash(t.size, tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		hashes, err := t.ReadHashes(indexes)
		for i, h := range hashes {
			needed[indexes[i]] = h
		}
		return hashes, err
	}))
	if err == nil {
		t.edge = needed // growing needs the same hashes as the root
	}
	return root, err
}

// ReadHashes implements Hashes.
func (t *Tree) ReadHashes(indexes []int64) ([]Hash, error) {
	hashes := make([]Hash, len(indexes))
	var missing []int64
	var places []int
	for i, index := range indexes {
		h, known := t.edge[index]
		if hashes[i] = h; !known {
			missing, places = append(missing, index), append(places, i)
		}
	}
	if len(missing) == 0 {
		return hashes, nil
	}
	read, err := t.stored.ReadHashes(missing)
	if err != nil {
		return nil, err
	}
	if len(read) != len(missing) {
		return nil, fmt.Errorf("%d of %d hashes are stored", len(read), len(missing))
	}
	for i, h := range read {
		hashes[places[i]] = h
		t.edge[missing[i]] = h
	}
	return hashes, nil
}

// Root returns the root over the first size stored entries.
func Root(size int64, stored Hashes) (Hash, error) { return tlog.TreeHash(size, stored) }

// Prove returns the hashes that lead from the entry to the checkpoint's root, and an
// error if they do not.
func Prove(c Checkpoint, seq int64, leaf Hash, stored Hashes) ([]Hash, error) {
	if seq < 0 || seq >= c.Size {
		return nil, fmt.Errorf("entry %d is not among the %d of the checkpoint", seq, c.Size)
	}
	proof, err := tlog.ProveRecord(c.Size, seq, stored)
	if err != nil {
		return nil, err
	}
	return proof, checkEntry(c, seq, leaf, proof)
}

// ProveAll reports which of the leaves, by their numbers, are in the tree of the
// checkpoint. It reads all hashes in one go.
func ProveAll(c Checkpoint, leaves map[int64]Hash, stored Hashes) (map[int64]bool, error) {
	known := map[int64]Hash{}
	needed := tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		for _, index := range indexes {
			known[index] = Hash{}
		}
		return make([]Hash, len(indexes)), nil
	})
	for seq := range leaves {
		if seq < 0 || seq >= c.Size {
			continue
		}
		if _, err := tlog.ProveRecord(c.Size, seq, needed); err != nil {
			return nil, err
		}
	}
	indexes := slices.Sorted(maps.Keys(known))
	hashes, err := stored.ReadHashes(indexes)
	if err != nil {
		return nil, err
	}
	for i, index := range indexes {
		known[index] = hashes[i]
	}
	proven := map[int64]bool{}
	for seq, leaf := range leaves {
		_, err := Prove(c, seq, leaf, tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
			list := make([]Hash, len(indexes))
			for i, index := range indexes {
				list[i] = known[index]
			}
			return list, nil
		}))
		proven[seq] = err == nil
	}
	return proven, nil
}

func checkEntry(c Checkpoint, seq int64, leaf Hash, proof []Hash) error {
	if seq < 0 || seq >= c.Size {
		return fmt.Errorf("it is not among the %d entries of the checkpoint", c.Size)
	}
	return tlog.CheckRecord(proof, c.Size, c.Root, seq, leaf)
}

// ProveConsistency returns the hashes which show that the tree of to entries begins
// with the tree of from entries: 1 ≤ from ≤ to.
func ProveConsistency(from, to int64, stored Hashes) ([]Hash, error) {
	return tlog.ProveTree(to, from, stored)
}
