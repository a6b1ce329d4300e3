package ledger

import (
	"time"

	"countersign/domain/evidence"
)

// Group describes transactions that shared a commit.
type Group struct {
	Members int               // transactions, with those that were refused
	Entries []*evidence.Entry // that were committed
	Waited  time.Duration     // from when the first was queued until the group began
	Took    time.Duration     // from there to the end of the commit
	Err     error             // why nothing was committed
}

// observe commits a group, and calls the observer if there is one.
func (l *Ledger) observe(group []*pendingTx, begun error) []*evidence.Entry {
	if l.o.Observed == nil {
		entries, _ := l.commit(group, begun) // the members have the error
		return entries
	}
	began := l.o.Now()
	entries, err := l.commit(group, begun)
	l.o.Observed(Group{
		Members: len(group), Entries: entries, Err: err,
		Waited: began.Sub(group[0].queued), Took: l.o.Now().Sub(began),
	})
	return entries
}
