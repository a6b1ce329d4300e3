package evidence

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

// Part is what an audit is told beside its entries, once it has all of them.
// Parts may be told things at the same time, each by one goroutine; the rows of
// a table belong to one of them, and so do contents, and the hashes of the tree.
type Part struct {
	audit  *Audit
	report Report
	next   int // the request that is probably asked for
}

// Part gives a new part. Finish reports what the parts found in their order.
func (a *Audit) Part() *Part {
	p := &Part{audit: a}
	a.parts = append(a.parts, p)
	return p
}

// Node takes the next stored inner node of the tree.
func (p *Part) Node(number int64, stored []byte) {
	if number < 0 || number != p.audit.checked || number >= NodeCount(p.audit.report.Entries) {
		p.report.found("tree hash %d: it belongs to no entries, or one before it is missing", number)
	} else {
		level, n := tlog.SplitStoredHashIndex(number)
		level += blockLevel
		if made := p.audit.hashes.at(int(tlog.StoredHashIndex(level, n))); !bytes.Equal(stored, made[:]) {
			p.report.found("tree hash %d: it is not that of the entries %d to %d", number, n<<level, (n+1)<<level-1)
		}
	}
	p.audit.checked = number + 1
}

// Row takes a row of a table that the log covers, with the digest of what it
// holds now.
func (p *Part) Row(table string, key []byte, digest Hash) {
	logged := p.audit.rows[table].find(string(key))
	if logged == nil {
		p.report.found("%s %s: the log knows no such row", table, key)
		return
	}
	if logged.digest != digest {
		p.report.found("%s %s: the row is not as it was logged", table, key)
	}
	logged.struck = true
}

// missing reports the rows that nobody told of.
func (a *Audit) missing() {
	for _, table := range slices.Sorted(maps.Keys(a.rows)) {
		for _, key := range a.rows[table].left() {
			a.report.found("%s %s: the row is missing", table, key)
		}
	}
}

// Content takes the content of the confirm that an entry requested. They are best
// told of in the log's order.
func (p *Part) Content(seq int64, salt, content []byte) {
	p.report.Contents++
	if requested := p.request(seq); requested != nil {
		checkContent(&p.report, p.audit.confirms.of(requested.confirm), requested.content, salt, content)
	} else {
		p.report.found("content of entry %d: it was never logged", seq)
	}
}

// request finds what an entry requested, nil if it is of another kind.
func (p *Part) request(seq int64) *request {
	list := &p.audit.requests
	if p.next >= list.size || list.at(p.next).seq != seq {
		p.next = sort.Search(list.size, func(i int) bool { return list.at(i).seq >= seq })
	}
	if p.next >= list.size || list.at(p.next).seq != seq {
		return nil
	}
	p.next++
	return list.at(p.next - 1)
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
func (p *Part) Decision(d Decided) {
	e := p.audit.decided[d.Seq]
	if e == nil || e.ConfirmID != d.ConfirmID {
		p.report.found("confirm %s: the log has no decision on it at entry %d", d.ConfirmID, d.Seq)
		return
	}
	checkDecision(&p.report, e, d)
}

// Found takes what is wrong with the database itself.
func (p *Part) Found(format string, args ...any) { p.report.found(format, args...) }
