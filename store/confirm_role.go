package store

import (
	"time"

	"countersign/domain"
	"countersign/store/driver"
)

var confirmRoles = newTable("confirm_roles", 2, func(c *domain.ConfirmRole) []column {
	return []column{
		{"requested_seq", number(&c.RequestedSeq)},
		{"role_id", text(&c.RoleID)},
		{"from_at", moment(&c.From)},
		{"escalates_at", moment(&c.EscalatesAt)},
	}
})

var updateConfirmRole = confirmRoles.change("", 0, "escalates_at")

const (
	pendingVotings = "SELECT DISTINCT requested_seq FROM confirm_roles ORDER BY requested_seq DESC LIMIT $1"
	dueEscalations = `SELECT c.confirm_id, e.escalates_at FROM confirm_roles e JOIN confirms c ON c.requested_seq = e.requested_seq
		WHERE e.escalates_at IS NOT NULL ORDER BY e.escalates_at LIMIT $1`
)

func (r *reader) ConfirmRoles(requested int64) ([]*domain.ConfirmRole, error) {
	return confirmRoles.all(r, "WHERE requested_seq = $1 ORDER BY from_at, role_id", requested)
}

func (r *reader) PendingVotings(limit int) (requested []int64, err error) {
	err = r.Conn.Query(pendingVotings, []any{limit}, func(rows driver.Row) error {
		var seq int64
		err := rows.Scan(&seq)
		requested = append(requested, seq)
		return err
	})
	return requested, confirmRoles.wrap("list", err)
}

func (r *reader) DueEscalations(now time.Time, limit int) (ids []string, next time.Time, err error) {
	err = r.Conn.Query(dueEscalations, []any{limit}, func(rows driver.Row) error {
		var id string
		var at time.Time
		if err := rows.Scan(&id, moment(&at)); err != nil {
			return err
		}
		if !at.After(now) {
			ids = append(ids, id)
		} else if next.IsZero() {
			next = at
		}
		return nil
	})
	return ids, next, confirmRoles.wrap("read", err)
}

func (x *tx) InsertConfirmRole(c *domain.ConfirmRole) error { return confirmRoles.insertNew(x, c) }

func (x *tx) UpdateConfirmRole(c *domain.ConfirmRole) error {
	return updateConfirmRole.update(x, c, errGone)
}

func (x *tx) DeleteConfirmRoles(requested int64) error {
	return confirmRoles.remove(x, "requested_seq = $1", requested)
}
