package store

import (
	"time"

	"countersign/domain"
)

// maxRecord is how many confirms of a group are counted for a record.
const maxRecord = 1000

// RequesterRecord counts along the index of the requester's group, the newest confirms.
func (r *reader) RequesterRecord(by domain.Ref, group domain.Group, since time.Time) (*domain.RequesterRecord, error) {
	s := requesterRecord(by, group, since)
	record := new(domain.RequesterRecord)
	var rows int
	var first int64
	err := r.Row(s.String(), s.args, &rows, &first, &record.Asked, &record.Approved, &record.Rejected, &record.Expired)
	record.IsPartial = rows == maxRecord && first >= since.UnixMicro()
	return record, confirms.wrap("count", err)
}

func requesterRecord(by domain.Ref, group domain.Group, since time.Time) *statement {
	s := new(statement)
	s.add("SELECT COUNT(*), COALESCE(MIN(received_at), 0), COALESCE(SUM(asked), 0)")
	for _, ended := range []string{"status = 'approved' AND cause = 'human'", "status = 'rejected' AND cause = 'human'", "cause = 'timeout'"} {
		s.add(", COALESCE(SUM(CASE WHEN " + ended + " THEN asked END), 0)")
	}
	s.add(` FROM (SELECT received_at, status, cause, CASE WHEN imported = 0 AND requested_by = ? AND received_at >= ? THEN 1 ELSE 0 END AS asked
		FROM confirms WHERE requested_group = ?`, by.String(), since.UnixMicro(), string(group))
	s.add(" ORDER BY requested_seq DESC LIMIT ?) c", maxRecord)
	return s
}
