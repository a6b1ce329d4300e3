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
	countPending   = "pending:"   // confirms of the target type, or of the principal, that follows
	countApprovals = "approvals:" // approval requests of the session that follows
)

// count changes the counts by delta.
func (x *tx) count(delta int, names ...string) error {
	args := []any{int64(delta)}
	rows := make([]string, len(names))
	for i, name := range names {
		args = append(args, name)
		rows[i] = fmt.Sprintf("($%d, $1)", i+2)
		if _, known := x.c.counts[name]; known {
			x.c.counts[name] += delta
		}
	}
	return x.c.later("INSERT INTO volatile_counts (name, n) VALUES "+strings.Join(rows, ", ")+
		" ON CONFLICT (name) DO UPDATE SET n = volatile_counts.n + excluded.n", args...)
}

// counted is read once in a transaction: all of a group ask for the same few.
func (r *reader) counted(name string) (n int, err error) {
	if n, known := r.c.counts[name]; known {
		return n, nil
	}
	err = r.c.row("SELECT n FROM volatile_counts WHERE name = $1", []any{name}, &n)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return 0, err
	}
	if r.c.counts == nil {
		r.c.counts = map[string]int{}
	}
	r.c.counts[name] = n
	return n, nil
}

func (r *reader) PendingCount(by *domain.Ref) (n int, err error) {
	if by != nil {
		return r.counted(pendingOf(*by))
	}
	types, err := r.PendingByType()
	for _, of := range types {
		n += of
	}
	return n, err
}

func (r *reader) PendingByType() (map[domain.TargetType]int, error) {
	var args []any
	var marks []string
	for i, of := range domain.TargetTypes {
		args, marks = append(args, pendingType(of)), append(marks, fmt.Sprintf("$%d", i+1))
	}
	counts := map[domain.TargetType]int{}
	text := "SELECT name, n FROM volatile_counts WHERE name IN (" + strings.Join(marks, ", ") + ")"
	err := r.c.each(text, args, func(rows row) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		counts[domain.TargetType(strings.TrimPrefix(name, countPending))] = n
		return err
	})
	return counts, err
}

func (r *reader) ApprovalCount(sessionID string) (int, error) {
	return r.counted(countApprovals + sessionID)
}

func pendingOf(by domain.Ref) string { return countPending + by.String() }

func pendingType(of domain.TargetType) string { return countPending + string(of) }
