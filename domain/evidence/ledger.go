package evidence

import (
	"hash/maphash"
	"slices"
)

// ledger keeps a digest for each of many keys. There are millions, so it has no
// pointers for the garbage collector to follow. Tables are mostly read in the
// order in which the log has their rows: the next key is found without a search.
type ledger struct {
	seed   maphash.Seed
	keys   []byte // one behind the other
	list   []ledgerLine
	places map[uint64]int32 // by the key's hash, or the next that is free
	next   int              // the line that is probably asked for
}

type ledgerLine struct {
	start, end int // of the key
	digest     Hash
	struck     bool
}

func newLedger() *ledger { return &ledger{seed: maphash.MakeSeed(), places: map[uint64]int32{}} }

func (l *ledger) key(place int) []byte { return l.keys[l.list[place].start:l.list[place].end] }

// search gives the place of a key, or else the hash at which it belongs.
func (l *ledger) search(key string) (place int, at uint64, known bool) {
	for at = maphash.String(l.seed, key); ; at++ {
		found, taken := l.places[at]
		if !taken {
			return 0, at, false
		}
		if string(l.key(int(found))) == key {
			return int(found), at, true
		}
	}
}

// set keeps a digest in place of the one before.
func (l *ledger) set(key string, digest Hash) {
	place, at, known := l.search(key)
	if known {
		l.list[place].digest, l.list[place].struck = digest, false
		return
	}
	l.places[at] = int32(len(l.list))
	start := len(l.keys)
	l.keys = append(l.keys, key...)
	l.list = append(l.list, ledgerLine{start: start, end: len(l.keys), digest: digest})
}

// find gives the line of a key; nil if there is none, or it was struck out.
func (l *ledger) find(key string) *ledgerLine {
	if l == nil {
		return nil
	}
	place := l.next
	if place >= len(l.list) || string(l.key(place)) != key {
		known := false
		if place, _, known = l.search(key); !known {
			return nil
		}
	}
	l.next = place + 1
	if line := &l.list[place]; !line.struck {
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
	for i, line := range l.list {
		if !line.struck {
			keys = append(keys, string(l.key(i)))
		}
	}
	slices.Sort(keys)
	return keys
}
