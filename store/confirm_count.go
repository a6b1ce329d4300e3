package store

import (
	"fmt"
	"time"

	"countersign/domain"
	"countersign/store/driver"
)

// Names of counts. Counts are kept, not counted: they are asked for with every
// request, whatever the number of confirms.
const (
	countPending   = "pending:"   // confirms of the target type, or of the principal, that follows
	countApprovals = "approvals:" // approval requests of the session that follows
)

func (r *reader) PendingCount(by *domain.Ref) (int, error) {
	if by != nil {
		n, err := r.Counted(pendingOf(*by))
		if err == nil && n < 0 { // somebody changed it: it would let an agent post beyond its limit
			err = r.Row("SELECT COUNT(*) FROM confirms WHERE status = 'pending' AND imported = 0 AND requested_by = $1", []any{by.String()}, &n)
		}
		return n, err
	}
	types, err := r.PendingByType()
	n := 0
	for _, of := range types {
		n += of
	}
	return n, err
}

func (r *reader) WaitingConfirms(decider domain.Visibility, now time.Time, limit int) (list []domain.WaitingConfirm, err error) {
	s := waitingConfirms(decider, now, limit)
	err = r.Conn.Query(s.String(), s.args, func(rows driver.Row) error {
		var c domain.WaitingConfirm
		err := rows.Scan(&c.Seq, &c.ID)
		list = append(list, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	return list, nil
}

// waitingConfirms looks along one index for each role, so that what waits for other
// roles costs nothing, and along another for what a quorum of roles votes on.
func waitingConfirms(decider domain.Visibility, now time.Time, limit int) *statement {
	var w listQuery
	w.decidable(decider)
	w.where("c.inbox_order > ?", now.UnixMicro())
	s := new(statement)
	s.add("SELECT requested_seq, confirm_id FROM (")
	for i := range len(decider.Roles) + 1 {
		role := condition{"c.required_role IS NULL", nil}
		if i > 0 {
			s.add(" UNION ")
			role = condition{"c.required_role = ?", []any{decider.Roles[i-1]}}
		}
		s.add("SELECT * FROM (SELECT c.requested_seq, c.confirm_id FROM confirms c")
		s.where([]condition{{"c.status = 'pending' AND c.imported = 0 AND c.quorum IS NULL", nil}, role}, w.rowConds)
		s.add(fmt.Sprintf(" ORDER BY c.required_role DESC, c.requested_seq DESC LIMIT %d) found", limit))
	}
	for i := range decider.Roles {
		if decider.Voter == "" {
			break
		}
		s.add(" UNION SELECT * FROM (SELECT c.requested_seq, c.confirm_id FROM confirm_roles e JOIN confirms c ON c.requested_seq = e.requested_seq")
		s.where([]condition{{"e.role_id = ?", []any{decider.Roles[i]}}, {"e.from_at <= ? AND c.status = 'pending'", []any{now.UnixMicro()}}, votable(decider)}, w.rowConds)
		s.add(fmt.Sprintf(" ORDER BY e.role_id DESC, e.requested_seq DESC LIMIT %d) found", limit))
	}
	s.add(fmt.Sprintf(") found ORDER BY requested_seq DESC LIMIT %d", limit))
	return s
}

func (r *reader) PendingByType() (map[domain.TargetType]int, error) {
	names := make([]string, len(domain.TargetTypes))
	for i, of := range domain.TargetTypes {
		names[i] = pendingType(of)
	}
	counts, err := r.Counts(names)
	types := map[domain.TargetType]int{}
	for i, of := range domain.TargetTypes {
		if n, known := counts[names[i]]; known {
			types[of] = n
		}
	}
	return types, err
}

func (r *reader) ApprovalCount(sessionID string) (int, error) {
	return r.Counted(countApprovals + sessionID)
}

func pendingOf(by domain.Ref) string { return countPending + by.String() }

func pendingType(of domain.TargetType) string { return countPending + string(of) }
