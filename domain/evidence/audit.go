package evidence

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Audit verifies a whole log against the database that it accounts for. It is
// told every entry, in order; then its parts are told everything else that is
// stored, and Finish reports. It needs nobody's word: everything follows from
// the entries' bytes and the key.
type Audit struct {
	report    Report
	hashes    pile[Hash]         // of the tree, computed from the entries
	rows      map[string]*ledger // of each table, as the log has them last
	requests  pile[request]      // in the log's order
	confirms  texts              // their ids
	decided   map[int64]*Entry   // as far as decisions are held to them
	successor []succession       // in the log's order
	handovers []Handover
	parts     []*Part
	checked   int64 // stored inner nodes compared
	watch     func(*Entry) []string
}

// NewAudit begins a verification.
func NewAudit() *Audit {
	return &Audit{rows: map[string]*ledger{}, decided: map[int64]*Entry{}}
}

// Watch has fn told every entry that can be read, in order, and reports what it
// says of each. It may not keep the entry's texts without copying them: they are
// parts of the whole.
func (a *Audit) Watch(fn func(*Entry) []string) { a.watch = fn }

// request is an entry that promised a content.
type request struct {
	seq     int64
	confirm text
	content Hash
}

// EntryRequested is the type of most entries. It stands in their bytes alone, and
// so does their confirm, which has their number.
const EntryRequested = "confirm.requested"

// LogRow is an entry as it is stored: its bytes, and what is repeated beside
// them to be searched.
type LogRow struct {
	Seq                                        int64
	Entry, Hash                                []byte
	Type, ConfirmID, PlanID, ObjectID, TraceID Value
}

// Entry takes the next entry of the log.
func (a *Audit) Entry(row LogRow) {
	if row.Seq != a.report.Entries {
		a.report.found("log entry %d: it should be entry %d", row.Seq, a.report.Entries)
	}
	leaf := LeafHash(row.Entry)
	if !bytes.Equal(row.Hash, leaf[:]) {
		a.report.found("log entry %d: it is not the one whose hash was stored", row.Seq)
	}
	a.grow(leaf)
	e, err := ParseEntry(row.Entry)
	if err != nil {
		a.report.found("log entry %d: it cannot be read", row.Seq)
		return
	}
	if e.Seq != row.Seq {
		a.report.found("log entry %d: its bytes are those of entry %d", row.Seq, e.Seq)
	}
	kind, confirm, trace := e.Searched()
	for _, column := range [...]struct {
		name, want string
		got        Value
	}{
		{"type", kind, row.Type}, {"confirm_id", confirm, row.ConfirmID}, {"plan_id", e.PlanID, row.PlanID},
		{"object_id", e.ObjectID, row.ObjectID}, {"trace_id", trace, row.TraceID},
	} {
		if (column.got.Kind == Null) != (column.want == "") || string(column.got.Bytes) != column.want {
			a.report.found("log entry %d: the column %s does not repeat the entry", row.Seq, column.name)
		}
	}
	for _, r := range e.Rows {
		a.wrote(e.Seq, r)
	}
	a.report.watched(e, a.watch)
	switch e.Type {
	case EntryRequested, "confirm.imported":
		a.requests.add(request{e.Seq, a.confirms.add(e.ConfirmID), parseHash(e.ContentHash)})
	case "confirm.approved", "confirm.rejected", "confirm.cancelled":
		a.decided[e.Seq] = e.decision()
	case EntryKeyRotated, EntryRestored:
		a.succeed(e)
	}
}

// decision is what is kept of an entry, without the rest of its bytes.
func (e *Entry) decision() *Entry {
	kept := &Entry{ConfirmID: strings.Clone(e.ConfirmID), EffectiveHash: strings.Clone(e.EffectiveHash)}
	for _, d := range e.Decisions {
		kept.Decisions = append(kept.Decisions, EntryDecision{strings.Clone(d.Type), strings.Clone(d.ArgsHash), d.Filled})
	}
	return kept
}

// wrote keeps a row as it is from now on. Before, it must have been as the log had
// it: else somebody else had changed it, and the program went on from that.
func (a *Audit) wrote(seq int64, r Row) {
	table := a.rows[r.Table]
	if table == nil {
		table = newLedger()
		a.rows[r.Table] = table
	}
	switch was := table.find(r.Key); {
	case was == nil && r.Before != nil:
		a.report.found("log entry %d: it changed %s %s, which the log did not have", seq, r.Table, r.Key)
	case was != nil && r.Before == nil:
		a.report.found("log entry %d: it inserted %s %s, which the log had already: the row had been removed", seq, r.Table, r.Key)
	case was != nil && was.digest != digestOf(r.Before):
		a.report.found("log entry %d: when it changed %s %s, the row was not as it had been logged", seq, r.Table, r.Key)
	}
	if r.Digest == nil {
		table.strike(r.Key)
	} else {
		table.set(r.Key, digestOf(r.Digest))
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

// grow adds an entry's leaf to the tree, and the inner nodes that it completes.
func (a *Audit) grow(leaf Hash) {
	n := a.report.Entries
	a.report.Entries++
	a.hashes.add(leaf)
	for level := 0; n&1 == 1; level, n = level+1, n>>1 {
		left := a.hashes.at(int(tlog.StoredHashIndex(level, n-1)))
		leaf = tlog.NodeHash(*left, leaf)
		a.hashes.add(leaf)
	}
}

// ReadHashes implements Hashes over the entries taken so far.
func (a *Audit) ReadHashes(indexes []int64) ([]Hash, error) {
	list := make([]Hash, len(indexes))
	for i, index := range indexes {
		if index < 0 || index >= int64(a.hashes.size) {
			return nil, fmt.Errorf("there is no hash %d", index)
		}
		list[i] = *a.hashes.at(int(index))
	}
	return list, nil
}

// Finish compares what was taken with the newest checkpoint, which the key must
// have signed, or one that it took over from or handed over to. vkey "" leaves
// that unknown.
func (a *Audit) Finish(signed, vkey string) *Report {
	r := &a.report
	for _, p := range a.parts {
		r.join(&p.report)
	}
	if missing := NodeCount(r.Entries) - a.checked; missing > 0 {
		r.found("tree: the last %d hashes are missing", missing)
	}
	a.missing()
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
