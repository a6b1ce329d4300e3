package store

import (
	"time"

	"countersign/domain/evidence"
)

// Group is what an observer is told of the transactions that shared a commit.
type Group struct {
	Members int               // transactions, with those that were refused
	Entries []*evidence.Entry // what became part of the log
	Waited  time.Duration     // of the member that waited longest for its turn
	Took    time.Duration     // from there to the end of the commit
	Err     error             // why nothing of the group was committed
}

// observe runs a group and tells the observer of it, if there is one.
func (w *writer) observe(group []*member, begun error) []*evidence.Entry {
	if w.observed == nil {
		entries, _ := w.commit(group, begun) // the members have the error
		return entries
	}
	began := w.now()
	entries, err := w.commit(group, begun)
	w.observed(Group{
		Members: len(group), Entries: entries, Err: err,
		Waited: began.Sub(group[0].queued), Took: w.now().Sub(began),
	})
	return entries
}
