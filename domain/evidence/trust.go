package evidence

import (
	"encoding/json"
	"slices"
)

// The entries by which one key takes over from another.
const (
	EntryKeyRotated = "log.key_rotated"
	EntryRestored   = "log.restored"
)

// Succession is what the entry of a handover says: which key signs from now on,
// and which one did.
type Succession struct {
	OldVKey string `json:"old_vkey,omitempty"` // empty: the key was lost, and nobody vouches for the new one
	NewVKey string `json:"new_vkey"`
	Size    int64  `json:"size"` // entries before this one
	// With a restore: the origin that was left, and the last checkpoint of it
	// that is known.
	OldOrigin string `json:"old_origin,omitempty"`
	LastKnown string `json:"last_known_checkpoint,omitempty"`
}

// Handover is the checkpoint with which one key took over from another, signed
// by both.
type Handover struct {
	Size   int64
	Signed string
}

// HandsOver says whether another key signs after the entry.
func (e *Entry) HandsOver() bool { return e.Type == EntryKeyRotated || e.Type == EntryRestored }

type succession struct {
	Succession
	entry *Entry
}

// ParseSuccession reads what an entry says of a handover.
func ParseSuccession(e *Entry) (s Succession, err error) {
	if err = json.Unmarshal(e.Data, &s); err == nil && s.NewVKey == "" {
		err = errKey
	}
	return s, err
}

func (a *Audit) succeed(e *Entry) {
	s, err := ParseSuccession(e)
	if err != nil {
		a.report.found("log entry %d: it names no key", e.Seq)
		return
	}
	a.successor = append(a.successor, succession{s, e})
}

// Handover takes the next checkpoint that two keys have signed.
func (a *Audit) Handover(h Handover) { a.handovers = append(a.handovers, h) }

// trust follows the keys from one to the next, up to the one that signed the
// newest checkpoint.
func (a *Audit) trust(signed, vkey string) {
	r := &a.report
	if len(a.handovers) != len(a.successor) {
		r.found("handovers: %d are stored, and the log has %d", len(a.handovers), len(a.successor))
		return
	}
	if vkey == "" {
		r.unknown("checkpoint: without a key nobody can tell who signed it")
		return
	}
	trusted := len(a.successor) == 0 || a.successor[0].OldVKey == vkey
	current := vkey
	for i, s := range a.successor {
		if i > 0 && s.OldVKey != "" && s.OldVKey != a.successor[i-1].NewVKey {
			r.found("log entry %d: it hands over from a key that did not sign", s.entry.Seq)
		}
		a.checkHandover(a.handovers[i], s)
		if trusted && s.OldVKey == "" {
			r.found("log entry %d: the log went on under a key that yours does not vouch for", s.entry.Seq)
		}
		trusted = trusted || s.NewVKey == vkey
		current = s.NewVKey
	}
	last := []string{current}
	if n := len(a.handovers); n > 0 && a.handovers[n-1].Signed == signed {
		last = a.successor[n-1].signers()
	}
	if _, err := openExactly(signed, last...); err != nil {
		r.found("checkpoint: %v", err)
	}
	if !trusted {
		r.found("checkpoint: it is signed by another key, %s", current)
	}
}

func (a *Audit) checkHandover(h Handover, s succession) {
	c, err := openExactly(h.Signed, s.signers()...)
	switch {
	case err != nil:
		a.report.found("handover at entry %d: %v", s.entry.Seq, err)
	case c.Size != h.Size || s.entry.Seq >= c.Size || !a.begins(c):
		a.report.found("handover at entry %d: it is not a checkpoint of this log", s.entry.Seq)
	}
}

// signers are the keys that sign a handover, the new one first.
func (s *Succession) signers() []string {
	if s.OldVKey == "" {
		return []string{s.NewVKey}
	}
	return []string{s.NewVKey, s.OldVKey}
}

// keys are all that have signed this log, and the one given.
func (a *Audit) keys(vkey string) []string {
	list := []string{vkey}
	for _, s := range a.successor {
		list = append(list, s.signers()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Kept holds the log to a checkpoint that somebody has kept: the head file,
// which is written with the log, or an auditor's. The report must have been
// finished.
func (a *Audit) Kept(name, signed, vkey string, head bool) {
	r := &a.report
	c, err := OpenCheckpoint(signed, a.keys(vkey)...)
	if err != nil {
		r.found("%s: it is not signed by a key of this log", name)
		return
	}
	for _, s := range a.successor {
		if s.OldOrigin != c.Origin || s.Size >= c.Size {
			continue
		}
		r.note("%s: the log was restored from a backup at entry %d; of the %d entries known here, the last %d are lost", name, s.entry.Seq, c.Size, c.Size-s.Size)
		if !head {
			r.unknown("%s: what was lost in the restore cannot be verified", name)
		}
		return
	}
	switch {
	case c.Size > r.Entries:
		r.found("%s: it knows of %d entries, and the log has %d: the database was rolled back", name, c.Size, r.Entries)
	case !a.begins(c):
		r.found("%s: the log does not begin with the entries that it knows of", name)
	}
}

// NoHead says that there is no head file to hold the log to. Where there must
// be one that leaves open whether the database was rolled back.
func (a *Audit) NoHead(must bool) {
	if must && a.report.Entries > 0 {
		a.report.unknown("head file: it is missing, so a rollback cannot be ruled out")
		return
	}
	a.report.note("there is no head file: a rollback shows only against a checkpoint kept from before")
}
