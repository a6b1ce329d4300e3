package evidence

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

// Part takes what is stored beside the entries, once the audit has all entries. Parts
// may be used concurrently, each by one goroutine. All rows of a table belong to one
// part, and so do all contents, and all nodes of the tree.
type Part struct {
	audit       *Audit
	report      Report
	nextRequest int // index of the request that probably comes next
}

// NewPart returns a new part. Finish reports the findings of the parts in their order.
func (a *Audit) NewPart() *Part {
	p := &Part{audit: a}
	a.parts = append(a.parts, p)
	return p
}

// AddNode takes the next stored inner node of the tree.
func (p *Part) AddNode(number int64, stored []byte) {
	if number < 0 || number != p.audit.checkedNodes || number >= NodeCount(p.audit.report.Entries) {
		p.report.addFinding("tree hash %d: it belongs to no entries, or one before it is missing", number)
	} else {
		level, n := tlog.SplitStoredHashIndex(number)
		level += blockLevel
		if made := p.audit.hashes.at(int(tlog.StoredHashIndex(level, n))); !bytes.Equal(stored, made[:]) {
			p.report.addFinding("tree hash %d: it is not that of the entries %d to %d", number, n<<level, (n+1)<<level-1)
		}
	}
	p.audit.checkedNodes = number + 1
}

// AddRow takes a row of a logged table with the digest of its present values.
func (p *Part) AddRow(table string, key []byte, digest Hash) {
	logged := p.audit.rows[table].find(string(key))
	if logged == nil {
		p.report.addFinding("%s %s: the log knows no such row", table, key)
		return
	}
	if logged.digest != digest {
		p.report.addFinding("%s %s: the row is not as it was logged", table, key)
	}
	logged.removed = true
}

// reportMissingRows reports the rows that no part has taken.
func (a *Audit) reportMissingRows() {
	for _, table := range slices.Sorted(maps.Keys(a.rows)) {
		for _, key := range a.rows[table].remainingKeys() {
			a.report.addFinding("%s %s: the row is missing", table, key)
		}
	}
}

// AddContent takes the content of the confirm that an entry requested. The order of the
// log is fastest.
func (p *Part) AddContent(seq int64, salt, content []byte) {
	p.report.Contents++
	if requested := p.findRequest(seq); requested != nil {
		checkContent(&p.report, p.audit.confirms.of(requested.confirm), requested.content, salt, content)
	} else {
		p.report.addFinding("content of entry %d: it was never logged", seq)
	}
}

// findRequest returns the request of a content, nil if the entry is of another type.
func (p *Part) findRequest(seq int64) *contentRequest {
	list := &p.audit.requests
	if p.nextRequest >= list.size || list.at(p.nextRequest).seq != seq {
		p.nextRequest = sort.Search(list.size, func(i int) bool { return list.at(i).seq >= seq })
	}
	if p.nextRequest >= list.size || list.at(p.nextRequest).seq != seq {
		return nil
	}
	p.nextRequest++
	return list.at(p.nextRequest - 1)
}

// StoredDecision is a decision as it is stored, with the content it was made on; nil if
// that was pruned.
type StoredDecision struct {
	ConfirmID string
	Seq       int64
	Actions   []StoredActionDecision
	Salt      []byte
	Content   []byte
}

// StoredActionDecision is the decision on one action. Args are set with an edit.
type StoredActionDecision struct {
	Type     string          `json:"type"`
	Args     json.RawMessage `json:"args"`
	ArgsHash string          `json:"args_hash"`
	Filled   bool            `json:"filled"`
}

// AddDecision takes a decision.
func (p *Part) AddDecision(d StoredDecision) {
	e := p.audit.decisions[d.Seq]
	if e == nil || e.ConfirmID != d.ConfirmID {
		p.report.addFinding("request %s: the log has no decision on it at entry %d", d.ConfirmID, d.Seq)
		return
	}
	checkDecision(&p.report, e, d)
}

// AddFinding reports what is wrong with the database itself.
func (p *Part) AddFinding(format string, args ...any) { p.report.addFinding(format, args...) }
