package evidence

import (
	"hash/maphash"
	"slices"
)

// digestMap is a hash table of millions of digests by key, without pointers for the
// garbage collector to follow. Tables are mostly read in the order in which the log has
// their rows, so the next key is mostly found without a search.
type digestMap struct {
	seed  maphash.Seed
	keys  textArena
	items arena[digestItem]
	slots []slot // a power of two; a key is at its hash, or at the next free slot
	next  int    // the line that is probably asked for
}

type digestItem struct {
	key     textSpan
	digest  Hash
	removed bool
}

// slot has the index of an item, and its key's hash to skip most others.
type slot struct {
	hash uint32
	item uint32 // index plus 1; 0: the slot is free
}

func newDigestMap() *digestMap { return &digestMap{seed: maphash.MakeSeed(), slots: make([]slot, 16)} }

// search returns the slot of a key, or the free slot where it belongs.
func (l *digestMap) search(key string) (s *slot, hash uint32) {
	hash = uint32(maphash.String(l.seed, key))
	for at := hash; ; at++ {
		s = l.slot(at)
		if s.item == 0 || s.hash == hash && string(l.keys.of(l.items.at(int(s.item-1)).key)) == key {
			return s, hash
		}
	}
}

func (l *digestMap) slot(at uint32) *slot { return &l.slots[at&uint32(len(l.slots)-1)] }

// set stores a digest in place of the key's former one.
func (l *digestMap) set(key string, digest Hash) {
	s, hash := l.search(key)
	if s.item != 0 {
		line := l.items.at(int(s.item - 1))
		line.digest, line.removed = digest, false
		return
	}
	l.items.add(digestItem{key: l.keys.add(key), digest: digest})
	*s = slot{hash, uint32(l.items.size)}
	if l.items.size > len(l.slots)/4*3 {
		l.grow()
	}
}

// grow doubles the slots.
func (l *digestMap) grow() {
	taken := l.slots
	l.slots = make([]slot, 2*len(taken))
	for _, s := range taken {
		if s.item == 0 {
			continue
		}
		at := s.hash
		for l.slot(at).item != 0 {
			at++
		}
		*l.slot(at) = s
	}
}

// find returns the item of a key, nil if there is none.
func (l *digestMap) find(key string) *digestItem {
	if l == nil {
		return nil
	}
	place := l.next
	if place >= l.items.size || string(l.keys.of(l.items.at(place).key)) != key {
		s, _ := l.search(key)
		if s.item == 0 {
			return nil
		}
		place = int(s.item - 1)
	}
	l.next = place + 1
	if line := l.items.at(place); !line.removed {
		return line
	}
	return nil
}

// remove removes a key.
func (l *digestMap) remove(key string) {
	if line := l.find(key); line != nil {
		line.removed = true
	}
}

// remainingKeys returns the keys that were not removed, sorted.
func (l *digestMap) remainingKeys() (keys []string) {
	for i := range l.items.size {
		if line := l.items.at(i); !line.removed {
			keys = append(keys, string(l.keys.of(line.key)))
		}
	}
	slices.Sort(keys)
	return keys
}
