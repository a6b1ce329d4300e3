package store

import (
	"errors"
	"fmt"
	"strings"

	"countersign/domain"
)

// Names of counts. Counts are kept, not counted: they are asked for with every
// request, whatever the number of confirms.
const (
	countPending   = "pending"    // confirms; "pending:<principal>" for one principal's
	countApprovals = "approvals:" // approval requests of the session that follows
)

// count changes the counts by delta.
func (x *tx) count(delta int, names ...string) error {
	args := []any{int64(delta)}
	rows := make([]string, len(names))
	for i, name := range names {
		args = append(args, name)
		rows[i] = fmt.Sprintf("($%d, $1)", i+2)
	}
	_, err := x.c.exec("INSERT INTO volatile_counts (name, n) VALUES "+strings.Join(rows, ", ")+
		" ON CONFLICT (name) DO UPDATE SET n = volatile_counts.n + excluded.n", args...)
	return err
}

func (r *reader) counted(name string) (n int, err error) {
	err = r.c.row("SELECT n FROM volatile_counts WHERE name = $1", []any{name}, &n)
	if errors.Is(err, domain.ErrNotFound) {
		return 0, nil
	}
	return n, err
}

func (r *reader) PendingCount(by *domain.Ref) (int, error) {
	if by == nil {
		return r.counted(countPending)
	}
	return r.counted(pendingOf(*by))
}

func (r *reader) ApprovalCount(sessionID string) (int, error) {
	return r.counted(countApprovals + sessionID)
}

func pendingOf(by domain.Ref) string { return countPending + ":" + by.String() }
