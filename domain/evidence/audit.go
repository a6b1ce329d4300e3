package evidence

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Audit verifies a whole log against the database that it accounts for. It first takes
// every entry, in order; then its parts take everything else that is stored, and Finish
// reports. Everything follows from the entries' bytes and the key.
type Audit struct {
	report        Report
	hashes        arena[Hash]           // of the tree, computed from the entries
	rows          map[string]*digestMap // of each table, as the log has them last
	requests      arena[contentRequest] // in the log's order
	confirms      textArena             // the ids of their confirms
	decisions     map[int64]*Entry      // as far as decisions are held to them
	keyChanges    []loggedKeyChange     // in the log's order
	signedChanges []SignedKeyChange
	parts         []*Part
	checkedNodes  int64 // stored inner nodes compared
	watch         func(*Entry) []string
}

// NewAudit starts a verification.
func NewAudit() *Audit {
	return &Audit{rows: map[string]*digestMap{}, decisions: map[int64]*Entry{}}
}

// OnEntry sets a function that gets every readable entry, in order, and returns what is
// wrong with it. It must copy texts that it keeps: they are parts of the whole entry.
func (a *Audit) OnEntry(fn func(*Entry) []string) { a.watch = fn }

// contentRequest is an entry that names the hash of a content.
type contentRequest struct {
	seq     int64
	confirm textSpan
	content Hash
}

// EntryRequested is the type of most entries. Its index columns are empty: the
// confirm's row has the entry's number.
const EntryRequested = "confirm.requested"

// LogRow is an entry as it is stored: its bytes, and the columns that repeat parts of
// it for searches.
type LogRow struct {
	Seq                                        int64
	Entry, Hash                                []byte
	Type, ConfirmID, PlanID, ObjectID, TraceID Value
}

// AddEntry takes the next entry of the log.
func (a *Audit) AddEntry(row LogRow) {
	if row.Seq != a.report.Entries {
		a.report.addFinding("log entry %d: it should be entry %d", row.Seq, a.report.Entries)
	}
	leaf := LeafHash(row.Entry)
	if !bytes.Equal(row.Hash, leaf[:]) {
		a.report.addFinding("log entry %d: it is not the one whose hash was stored", row.Seq)
	}
	a.addLeaf(leaf)
	e, err := ParseEntry(row.Entry)
	if err != nil {
		a.report.addFinding("log entry %d: it cannot be read", row.Seq)
		return
	}
	if e.Seq != row.Seq {
		a.report.addFinding("log entry %d: its bytes are those of entry %d", row.Seq, e.Seq)
	}
	kind, confirm, trace := e.IndexColumns()
	for _, column := range [...]struct {
		name, want string
		got        Value
	}{
		{"type", kind, row.Type}, {"confirm_id", confirm, row.ConfirmID}, {"plan_id", e.PlanID, row.PlanID},
		{"object_id", e.ObjectID, row.ObjectID}, {"trace_id", trace, row.TraceID},
	} {
		if (column.got.Kind == Null) != (column.want == "") || string(column.got.Bytes) != column.want {
			a.report.addFinding("log entry %d: the column %s does not repeat the entry", row.Seq, column.name)
		}
	}
	for _, r := range e.Rows {
		a.addRowWrite(e.Seq, r)
	}
	a.report.addWatched(e, a.watch)
	switch e.Type {
	case EntryRequested, "confirm.imported":
		a.requests.add(contentRequest{e.Seq, a.confirms.add(e.ConfirmID), parseHash(e.ContentHash)})
	case "confirm.approved", "confirm.rejected", "confirm.cancelled", EntryVoted:
		a.decisions[e.Seq] = e.decisionOnly()
	case EntryKeyRotated, EntryRestored:
		a.addKeyChange(e)
	}
}

// decisionOnly copies what is needed of a decision, so that the entry's bytes can be
// freed.
func (e *Entry) decisionOnly() *Entry {
	kept := &Entry{ConfirmID: strings.Clone(e.ConfirmID), EffectiveHash: strings.Clone(e.EffectiveHash)}
	for _, d := range e.Decisions {
		kept.Decisions = append(kept.Decisions, EntryDecision{strings.Clone(d.Type), strings.Clone(d.ArgsHash), d.Filled})
	}
	return kept
}

// addRowWrite records a row's new digest. Before the change, the row must have been as
// the log had it: else another program had changed it, and this one went on from that.
func (a *Audit) addRowWrite(seq int64, r Row) {
	table := a.rows[r.Table]
	if table == nil {
		table = newDigestMap()
		a.rows[r.Table] = table
	}
	switch was := table.find(r.Key); {
	case was == nil && r.Before != nil:
		a.report.addFinding("log entry %d: it changed %s %s, which the log did not have", seq, r.Table, r.Key)
	case was != nil && r.Before == nil:
		a.report.addFinding("log entry %d: it inserted %s %s, which the log had already: the row had been removed", seq, r.Table, r.Key)
	case was != nil && was.digest != digestOf(r.Before):
		a.report.addFinding("log entry %d: when it changed %s %s, the row was not as it had been logged", seq, r.Table, r.Key)
	}
	if r.Digest == nil {
		table.remove(r.Key)
	} else {
		table.set(r.Key, digestOf(r.Digest))
	}
}

// digestOf returns a digest as an array, zero if it has another length.
func digestOf(digest []byte) (h Hash) {
	if len(digest) == len(h) {
		copy(h[:], digest)
	}
	return h
}

// addLeaf adds an entry's leaf to the tree, and the inner nodes that it completes.
func (a *Audit) addLeaf(leaf Hash) {
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

// Finish compares what was taken with the newest checkpoint. It must be signed by the
// key, or by one in an unbroken line of key changes with it. Without a vkey the
// signature stays unknown.
func (a *Audit) Finish(signed, vkey string) *Report {
	r := &a.report
	for _, p := range a.parts {
		r.join(&p.report)
	}
	if missing := NodeCount(r.Entries) - a.checkedNodes; missing > 0 {
		r.addFinding("tree: the last %d hashes are missing", missing)
	}
	a.reportMissingRows()
	if signed == "" {
		if r.Entries > 0 {
			r.addFinding("checkpoint: there is none")
		}
		return r
	}
	a.checkSigner(signed, vkey)
	c, err := PeekCheckpoint(signed)
	if err != nil {
		r.addFinding("checkpoint: %v", err)
		return r
	}
	r.Checkpoint = c
	if c.Size != r.Entries {
		r.addFinding("checkpoint: it is of %d entries, and the log has %d", c.Size, r.Entries)
	} else if root, err := Root(c.Size, a); err != nil || root != c.Root {
		r.addFinding("checkpoint: its root is not that of the entries")
	}
	return r
}

// hasPrefix reports whether the log begins with the entries of the checkpoint.
func (a *Audit) hasPrefix(c Checkpoint) bool {
	if c.Size > a.report.Entries {
		return false
	}
	root, err := Root(c.Size, a)
	return err == nil && root == c.Root
}
