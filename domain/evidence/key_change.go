package evidence

import (
	"encoding/json"
	"slices"
)

// Types of the entries with which one key takes over from another.
const (
	EntryKeyRotated = "log.key_rotated"
	EntryRestored   = "log.restored"
)

// KeyChange is the data of such an entry: which key signs from now on, and which one
// did before.
type KeyChange struct {
	OldVKey string `json:"old_vkey,omitempty"` // empty: the old key was lost and vouches for nothing
	NewVKey string `json:"new_vkey"`
	Size    int64  `json:"size"` // number of entries before this one
	// After a restore: the origin of the log before it, and the last known checkpoint
	// of that log.
	OldOrigin string `json:"old_origin,omitempty"`
	LastKnown string `json:"last_known_checkpoint,omitempty"`
}

// SignedKeyChange is the checkpoint with which one key took over from another, signed
// by both.
type SignedKeyChange struct {
	Size   int64
	Signed string
}

// ChangesKey reports whether another key signs after the entry.
func (e *Entry) ChangesKey() bool { return e.Type == EntryKeyRotated || e.Type == EntryRestored }

type loggedKeyChange struct {
	KeyChange
	entry *Entry
}

// ParseKeyChange reads the data of a key change.
func ParseKeyChange(e *Entry) (s KeyChange, err error) {
	if err = json.Unmarshal(e.Data, &s); err == nil && s.NewVKey == "" {
		err = errKey
	}
	return s, err
}

func (a *Audit) addKeyChange(e *Entry) {
	s, err := ParseKeyChange(e)
	if err != nil {
		a.report.addFinding("log entry %d: it names no key", e.Seq)
		return
	}
	a.keyChanges = append(a.keyChanges, loggedKeyChange{s, e})
}

// AddKeyChange takes the next checkpoint that two keys have signed.
func (a *Audit) AddKeyChange(h SignedKeyChange) { a.signedChanges = append(a.signedChanges, h) }

// checkSigner follows the key changes up to the key that must have signed the newest
// checkpoint.
func (a *Audit) checkSigner(signed, vkey string) {
	r := &a.report
	if len(a.signedChanges) != len(a.keyChanges) {
		r.addFinding("handovers: %d are stored, and the log has %d", len(a.signedChanges), len(a.keyChanges))
		return
	}
	if vkey == "" {
		r.addUnknown("checkpoint: without a key nobody can tell who signed it")
		return
	}
	trusted := len(a.keyChanges) == 0 || a.keyChanges[0].OldVKey == vkey
	current := vkey
	for i, s := range a.keyChanges {
		if i > 0 && s.OldVKey != "" && s.OldVKey != a.keyChanges[i-1].NewVKey {
			r.addFinding("log entry %d: it hands over from a key that did not sign", s.entry.Seq)
		}
		a.checkKeyChange(a.signedChanges[i], s)
		if trusted && s.OldVKey == "" {
			r.addFinding("log entry %d: the log went on under a key that yours does not vouch for", s.entry.Seq)
		}
		trusted = trusted || s.NewVKey == vkey
		current = s.NewVKey
	}
	last := []string{current}
	if n := len(a.signedChanges); n > 0 && a.signedChanges[n-1].Signed == signed {
		last = a.keyChanges[n-1].signers()
	}
	if _, err := openExactly(signed, last...); err != nil {
		r.addFinding("checkpoint: %v", err)
	}
	if !trusted {
		r.addFinding("checkpoint: it is signed by another key, %s", current)
	}
}

func (a *Audit) checkKeyChange(h SignedKeyChange, s loggedKeyChange) {
	c, err := openExactly(h.Signed, s.signers()...)
	switch {
	case err != nil:
		a.report.addFinding("handover at entry %d: %v", s.entry.Seq, err)
	case c.Size != h.Size || s.entry.Seq >= c.Size || !a.hasPrefix(c):
		a.report.addFinding("handover at entry %d: it is not a checkpoint of this log", s.entry.Seq)
	}
}

// signers returns the keys that sign the change, the new one first.
func (s *KeyChange) signers() []string {
	if s.OldVKey == "" {
		return []string{s.NewVKey}
	}
	return []string{s.NewVKey, s.OldVKey}
}

// allKeys returns the given key and all that have signed this log.
func (a *Audit) allKeys(vkey string) []string {
	list := []string{vkey}
	for _, s := range a.keyChanges {
		list = append(list, s.signers()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// CheckKeptCheckpoint compares the log with a checkpoint kept elsewhere: the head file,
// which is written with the log, or an auditor's. Call Finish before.
func (a *Audit) CheckKeptCheckpoint(name, signed, vkey string, head bool) {
	r := &a.report
	c, err := OpenCheckpoint(signed, a.allKeys(vkey)...)
	if err != nil {
		r.addFinding("%s: it is not signed by a key of this log", name)
		return
	}
	for _, s := range a.keyChanges {
		if s.OldOrigin != c.Origin || s.Size >= c.Size {
			continue
		}
		r.addNote("%s: the log was restored from a backup at entry %d; of the %d entries known here, the last %d are lost", name, s.entry.Seq, c.Size, c.Size-s.Size)
		if !head {
			r.addUnknown("%s: what was lost in the restore cannot be verified", name)
		}
		return
	}
	switch {
	case c.Size > r.Entries:
		r.addFinding("%s: it knows of %d entries, and the log has %d: the database was rolled back", name, c.Size, r.Entries)
	case !a.hasPrefix(c):
		r.addFinding("%s: the log does not begin with the entries that it knows of", name)
	}
}

// MissingHeadFile reports that there is no head file. If one must exist, it is unknown
// whether the database was rolled back.
func (a *Audit) MissingHeadFile(must bool) {
	if must && a.report.Entries > 0 {
		a.report.addUnknown("head file: it is missing, so a rollback cannot be ruled out")
		return
	}
	a.report.addNote("there is no head file: a rollback shows only against a checkpoint kept from before")
}
