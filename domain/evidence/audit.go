package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Audit verifies a whole log against the database that it accounts for. It is
// told everything that is stored, in the order of its methods, and Finish
// reports. It needs nobody's word: everything follows from the entries' bytes
// and the key.
type Audit struct {
	report    Report
	hashes    []Hash            // of the tree, computed from the entries
	checked   int64             // stored hashes compared so far
	rows      map[string]Hash   // digest of each row, as the log has it last
	requested map[string]string // content hash by confirm
	decided   map[int64]*Entry
	successor []succession // in the log's order
	handovers []Handover
}

// NewAudit begins a verification.
func NewAudit() *Audit {
	return &Audit{rows: map[string]Hash{}, requested: map[string]string{}, decided: map[int64]*Entry{}}
}

// LogRow is an entry as it is stored: its bytes, and what is repeated beside
// them to be searched. A nil column is NULL.
type LogRow struct {
	Seq                                        int64
	Entry                                      []byte
	Type, ConfirmID, PlanID, ObjectID, TraceID *string
}

// Entry takes the next entry of the log.
func (a *Audit) Entry(row LogRow) {
	if row.Seq != a.report.Entries {
		a.report.found("log entry %d: it should be entry %d", row.Seq, a.report.Entries)
	}
	a.report.Entries++
	a.grow(LeafHash(row.Entry))
	e, err := ParseEntry(row.Entry)
	if err != nil {
		a.report.found("log entry %d: it cannot be read", row.Seq)
		return
	}
	if e.Seq != row.Seq {
		a.report.found("log entry %d: its bytes are those of entry %d", row.Seq, e.Seq)
	}
	for _, column := range []struct {
		name, want string
		got        *string
	}{
		{"type", e.Type, row.Type}, {"confirm_id", e.ConfirmID, row.ConfirmID}, {"plan_id", e.PlanID, row.PlanID},
		{"object_id", e.ObjectID, row.ObjectID}, {"trace_id", e.TraceID, row.TraceID},
	} {
		if (column.got == nil) != (column.want == "") || column.got != nil && *column.got != column.want {
			a.report.found("log entry %d: the column %s does not repeat the entry", row.Seq, column.name)
		}
	}
	for _, r := range e.Rows {
		if name := rowName(r.Table, r.Key); r.Digest == nil {
			delete(a.rows, name)
		} else {
			a.rows[name] = digestOf(r.Digest)
		}
	}
	switch e.Type {
	case "confirm.requested", "confirm.imported":
		a.requested[e.ConfirmID] = e.ContentHash
	case "confirm.approved", "confirm.rejected", "confirm.cancelled":
		a.decided[e.Seq] = e
	case EntryKeyRotated, EntryRestored:
		a.succeed(e)
	}
}

// digestOf is a digest as it is remembered, without a pointer to follow. What is
// none is no row's.
func digestOf(digest []byte) (h Hash) {
	if len(digest) == len(h) {
		copy(h[:], digest)
	}
	return h
}

func rowName(table, key string) string { return table + "\x00" + key }

func (a *Audit) grow(leaf Hash) {
	hashes, err := tlog.StoredHashesForRecordHash(a.report.Entries-1, leaf, a)
	if err != nil {
		panic("tree in memory: " + err.Error())
	}
	a.hashes = append(a.hashes, hashes...)
}

// ReadHashes implements Hashes over the entries taken so far.
func (a *Audit) ReadHashes(indexes []int64) ([]Hash, error) {
	list := make([]Hash, len(indexes))
	for i, index := range indexes {
		if index < 0 || index >= int64(len(a.hashes)) {
			return nil, fmt.Errorf("there is no hash %d", index)
		}
		list[i] = a.hashes[index]
	}
	return list, nil
}

// Hash takes the next stored hash of the tree.
func (a *Audit) Hash(index int64, stored []byte) {
	switch {
	case index != a.checked || index >= int64(len(a.hashes)):
		a.report.found("tree hash %d: it belongs to no entry, or one before it is missing", index)
	case !bytes.Equal(stored, a.hashes[index][:]):
		level, n := tlog.SplitStoredHashIndex(index)
		if level == 0 {
			a.report.found("log entry %d: it is not the one whose hash was stored", n)
		} else {
			a.report.found("tree hash %d: it is not that of its entries", index)
		}
	}
	a.checked = index + 1
}

// Row takes a row of a table that the log covers, with the digest of what it
// holds now.
func (a *Audit) Row(table, key string, digest []byte) {
	name := rowName(table, key)
	logged, known := a.rows[name]
	switch {
	case !known:
		a.report.found("%s %s: the log knows no such row", table, key)
	case logged != digestOf(digest):
		a.report.found("%s %s: the row is not as it was logged", table, key)
	}
	delete(a.rows, name)
}

// Content takes the content of a confirm.
func (a *Audit) Content(confirmID string, salt, content []byte) {
	a.report.Contents++
	checkContent(&a.report, confirmID, a.requested[confirmID], salt, content)
}

// Decided is a decision as it is stored, with the content it was made on, which
// is nil when it has been forgotten.
type Decided struct {
	ConfirmID string
	Seq       int64
	Actions   []DecidedAction
	Salt      []byte
	Content   []byte
}

// DecidedAction is the decision on one action. Args are there with an edit.
type DecidedAction struct {
	Type     string          `json:"type"`
	Args     json.RawMessage `json:"args"`
	ArgsHash string          `json:"args_hash"`
	Filled   bool            `json:"filled"`
}

// Decision takes a decision.
func (a *Audit) Decision(d Decided) {
	e := a.decided[d.Seq]
	if e == nil || e.ConfirmID != d.ConfirmID {
		a.report.found("confirm %s: the log has no decision on it at entry %d", d.ConfirmID, d.Seq)
		return
	}
	checkDecision(&a.report, e, d)
}

// Schema takes what is wrong with the structure of the database.
func (a *Audit) Schema(format string, args ...any) { a.report.found(format, args...) }

// Finish compares what was taken with the newest checkpoint, which the key must
// have signed, or one that it took over from or handed over to. vkey "" leaves
// that unknown.
func (a *Audit) Finish(signed, vkey string) *Report {
	r := &a.report
	if missing := int64(len(a.hashes)) - a.checked; missing > 0 {
		r.found("tree: the last %d hashes are missing", missing)
	}
	for _, name := range slices.Sorted(maps.Keys(a.rows)) {
		table, key, _ := strings.Cut(name, "\x00")
		r.found("%s %s: the row is missing", table, key)
	}
	if signed == "" {
		if r.Entries > 0 {
			r.found("checkpoint: there is none")
		}
		return r
	}
	a.trust(signed, vkey)
	c, err := PeekCheckpoint(signed)
	if err != nil {
		r.found("checkpoint: %v", err)
		return r
	}
	r.Checkpoint = c
	if c.Size != r.Entries {
		r.found("checkpoint: it is of %d entries, and the log has %d", c.Size, r.Entries)
	} else if root, err := Root(c.Size, a); err != nil || root != c.Root {
		r.found("checkpoint: its root is not that of the entries")
	}
	return r
}

// begins says whether the log begins with what the checkpoint has.
func (a *Audit) begins(c Checkpoint) bool {
	if c.Size > a.report.Entries {
		return false
	}
	root, err := Root(c.Size, a)
	return err == nil && root == c.Root
}
