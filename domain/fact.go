package domain

import (
	"errors"
	"fmt"
	"time"
)

// Fact counts what people decided on calls that have something in common: a tool, a
// requester, a value. It proves nothing, and is made again from the log when it is gone.
type Fact struct {
	Key      []byte // an HMAC of what they have in common: see factNames
	FirstAt  time.Time
	LastAt   time.Time
	Approved int
	Rejected int
	Edited   int
	Distinct int    // of values that are counted together: how many different ones
	Recent   string // of a tool the last outcomes, of a sum those that were approved; newest last
	Seq      int64  // number of the last log entry that is counted
}

// FactReader reads facts.
type FactReader interface {
	// Facts returns the facts with these keys. Those that are not there are left out.
	Facts(keys [][]byte) ([]*Fact, error)
}

// FactWriter writes facts. They are not logged.
type FactWriter interface {
	// SetFacts writes facts, in place of those with the same keys.
	SetFacts([]*Fact) error
	// DeleteFacts deletes all facts.
	DeleteFacts() error
}

// decidedEntries are the types of entries that facts are made from.
var decidedEntries = []string{"confirm.approved", "confirm.rejected"}

// Limits of what is remembered.
const (
	maxFactActions = 32  // actions of a request
	maxRecentSums  = 200 // approved sums of one name
	maxRecent      = 10  // outcomes of a tool
)

// factKey returns the key of a fact. Only the holder of the signing key can find by trial
// what a key stands for. After a change of the signing key all facts are rebuilt.
func factKey(r Reader, name string) ([]byte, error) { return r.MAC("fact", []byte(name)) }

// factName names what calls have in common. No two lists of parts have the same name.
func factName(parts ...string) string { return fmt.Sprintf("%q", parts) }

// factWatermark is the name of the fact whose Seq is the last entry that was folded.
var factWatermark = factName("watermark")

// readFactWatermark returns the fact with the last entry that was folded, nil if there are no
// facts.
func readFactWatermark(r Reader) (*Fact, error) {
	key, err := factKey(r, factWatermark)
	if err != nil {
		return nil, err
	}
	found, err := r.Facts([][]byte{key})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// factSet is the facts of some names.
type factSet map[string]*Fact

// add adds a name, with nothing counted.
func (s factSet) add(name string) *Fact {
	if s[name] == nil {
		s[name] = new(Fact)
	}
	return s[name]
}

// setKeys sets the keys of facts that are not stored yet.
func (s factSet) setKeys(r Reader) (err error) {
	for name, f := range s {
		if f.Key, err = factKey(r, name); err != nil {
			return err
		}
	}
	return nil
}

// load reads what is stored of each name.
func (s factSet) load(r Reader) error {
	if err := s.setKeys(r); err != nil {
		return err
	}
	names, keys := make(map[string]string, len(s)), make([][]byte, 0, len(s))
	for name, f := range s {
		names[string(f.Key)] = name
		keys = append(keys, f.Key)
	}
	found, err := r.Facts(keys)
	for _, f := range found {
		s[names[string(f.Key)]] = f
	}
	return err
}

// errFactsMoved says that another process has folded the same entries, or forgotten some.
var errFactsMoved = errors.New("the facts are not those that were read")
