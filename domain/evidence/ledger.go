package evidence

import (
	"hash/maphash"
	"slices"
)

// ledger keeps a digest for each of many keys. There are millions, so it has no
// pointers for the garbage collector to follow. Tables are mostly read in the
// order in which the log has their rows: the next key is found without a search.
type ledger struct {
	seed  maphash.Seed
	keys  texts
	lines pile[ledgerLine]
	slots []slot // a power of two of them; by the key's hash, or the next that is free
	next  int    // the line that is probably asked for
}

type ledgerLine struct {
	key    text
	digest Hash
	struck bool
}

// slot says where the line of a key is, and enough of the key's hash to pass most
// others by.
type slot struct {
	hash uint32
	line uint32 // from 1; 0: the slot is free
}

func newLedger() *ledger { return &ledger{seed: maphash.MakeSeed(), slots: make([]slot, 16)} }

// search gives the slot of a key, or the free one in which it belongs.
func (l *ledger) search(key string) (s *slot, hash uint32) {
	hash = uint32(maphash.String(l.seed, key))
	for at := hash; ; at++ {
		s = l.slot(at)
		if s.line == 0 || s.hash == hash && string(l.keys.of(l.lines.at(int(s.line-1)).key)) == key {
			return s, hash
		}
	}
}

func (l *ledger) slot(at uint32) *slot { return &l.slots[at&uint32(len(l.slots)-1)] }

// set keeps a digest in place of the one before.
func (l *ledger) set(key string, digest Hash) {
	s, hash := l.search(key)
	if s.line != 0 {
		line := l.lines.at(int(s.line - 1))
		line.digest, line.struck = digest, false
		return
	}
	l.lines.add(ledgerLine{key: l.keys.add(key), digest: digest})
	*s = slot{hash, uint32(l.lines.size)}
	if l.lines.size > len(l.slots)/4*3 {
		l.spread()
	}
}

// spread makes twice as many slots.
func (l *ledger) spread() {
	taken := l.slots
	l.slots = make([]slot, 2*len(taken))
	for _, s := range taken {
		if s.line == 0 {
			continue
		}
		at := s.hash
		for l.slot(at).line != 0 {
			at++
		}
		*l.slot(at) = s
	}
}

// find gives the line of a key; nil if there is none, or it was struck out.
func (l *ledger) find(key string) *ledgerLine {
	if l == nil {
		return nil
	}
	place := l.next
	if place >= l.lines.size || string(l.keys.of(l.lines.at(place).key)) != key {
		s, _ := l.search(key)
		if s.line == 0 {
			return nil
		}
		place = int(s.line - 1)
	}
	l.next = place + 1
	if line := l.lines.at(place); !line.struck {
		return line
	}
	return nil
}

// strike takes a key out.
func (l *ledger) strike(key string) {
	if line := l.find(key); line != nil {
		line.struck = true
	}
}

// left are the keys that were not struck out, sorted.
func (l *ledger) left() (keys []string) {
	for i := range l.lines.size {
		if line := l.lines.at(i); !line.struck {
			keys = append(keys, string(l.keys.of(line.key)))
		}
	}
	slices.Sort(keys)
	return keys
}
