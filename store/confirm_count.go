package store

import "countersign/domain"

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
