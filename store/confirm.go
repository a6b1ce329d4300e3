package store

import (
	"fmt"
	"time"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/store/driver"
)

var confirms = newTable("confirms", 1, func(c *domain.Confirm) []column {
	return []column{
		{"confirm_id", text(&c.ID)},
		{"canonical_id", canonical("confirm", &c.ID)},
		{"target_type", text(&c.TargetType)},
		{"target_id", text(&c.TargetID)},
		{"target_hash", text(&c.TargetHash)},
		{"plan_id", text(&c.PlanID)},
		{"step_id", text(&c.StepID)},
		{"binding", text(&c.Binding)},
		{"status", text(&c.Status)},
		{"cause", text(&c.Cause)},
		{"requested_by", ref(&c.RequestedBy)},
		{"requested_group", text(&c.RequestedGroup)},
		{"requested_by_name", text(&c.RequestedByName)},
		{"requested_by_role", text(&c.RequestedByRole)},
		{"role_registered", flag(&c.RoleRegistered)},
		{"required_role", text(&c.RequiredRole)},
		{"on_reject", text(&c.OnReject)},
		{"supersedes", text(&c.Supersedes)},
		{"session_id", text(&c.SessionID)},
		{"message_id", text(&c.MessageID)},
		{"approval_key", text(&c.ApprovalKey)},
		{"frame_index", number(&c.FrameIndex)},
		{"trace_id", text(&c.TraceID)},
		{"span_id", text(&c.SpanID)},
		{"actions", number(&c.Actions)},
		{"imported", flag(&c.Imported)},
		{"locked", flag(&c.Locked)},
		{"received_at", moment(&c.ReceivedAt)},
		{"expires_at", moment(&c.ExpiresAt)},
		{"content_hash", text(&c.ContentHash)},
		{"effective_hash", text(&c.EffectiveHash)},
		{"body_digest", blob(&c.BodyDigest)},
		{"decided_at", moment(&c.DecidedAt)},
		{"requested_seq", number(&c.RequestedSeq)},
		{"decided_seq", number(&c.DecidedSeq)},
		{"quorum", optionalNumber(&c.Quorum)},
	}
})

// finishConfirm lets the first decision win. The row is found by its number.
var finishConfirm = confirms.change("requested_seq = $1 AND status = 'pending'", 1,
	"status", "cause", "effective_hash", "decided_at", "decided_seq")

var confirmContents = newTable("confirm_contents", 1, func(c *domain.ConfirmContent) []column {
	return []column{
		{"requested_seq", number(&c.RequestedSeq)},
		{"reason", text(&c.Reason)},
		{"tools", list(&c.Tools)},
		{"salt", blob(&c.Salt)},
		{"content", blob(&c.Content)},
		{"native", blob(&c.Native)},
	}
})

// Confirm finds a confirm along the index of its canonical id, which no two
// confirms share.
func (r *reader) Confirm(id string) (*domain.Confirm, error) {
	return confirms.latest(r, "confirm_id", id, "WHERE canonical_id = $1 AND confirm_id = $2", mplp.CanonicalID("confirm", id), id)
}

func (r *reader) ConfirmByApprovalKey(key string) (*domain.Confirm, error) {
	c, err := confirms.get(r, "WHERE approval_key = $1", key)
	if err != nil {
		return nil, err
	}
	return r.Confirm(c.ID)
}

func (r *reader) ConfirmContent(requested int64) (*domain.ConfirmContent, error) {
	return confirmContents.get(r, "WHERE requested_seq = $1", requested)
}

func (r *reader) ConfirmsOfPlan(planID string) ([]*domain.Confirm, error) {
	return confirms.all(r, "WHERE plan_id = $1 ORDER BY requested_seq DESC", planID)
}

func (r *reader) ConfirmsOfStep(planID, stepID string) ([]*domain.Confirm, error) {
	return confirms.all(r, "WHERE plan_id = $1 AND (COALESCE(binding, '') <> 'step' OR step_id = $2) ORDER BY requested_seq DESC", planID, stepID)
}

func (r *reader) PendingOfPlans(ids []string) (map[string]int, error) {
	counts := map[string]int{}
	if len(ids) == 0 {
		return counts, nil
	}
	s := pendingOfPlans(ids)
	err := r.Conn.Query(s.String(), s.args, func(rows driver.Row) error {
		var id string
		var n int
		err := rows.Scan(&id, &n)
		counts[id] = n
		return err
	})
	return counts, confirms.wrap("count", err)
}

// pendingOfPlans leaves out what does not count for the plan (domain.Plan.counts):
// what another group asked for before there was the plan.
func pendingOfPlans(ids []string) *statement {
	s := new(statement)
	s.add("SELECT confirms.plan_id, COUNT(*) FROM confirms JOIN plans p ON p.plan_id = confirms.plan_id")
	s.where([]condition{
		{"confirms.status = 'pending' AND confirms.imported = 0", nil}, among("confirms.plan_id", ids),
		{"(confirms.target_hash IS NOT NULL OR confirms.requested_group = p.requested_group)", nil},
	})
	s.add(" GROUP BY confirms.plan_id")
	return s
}

// SupersededBy lists ids, those of the confirm's own group and the earliest first.
func (r *reader) SupersededBy(id string) ([]string, error) {
	s := supersededBy(id)
	list, err := confirms.all(r, s.String(), s.args...)
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return ids, err
}

func supersededBy(id string) *statement {
	s := new(statement)
	s.add("WHERE supersedes = ?", id)
	s.add(" ORDER BY requested_group <> (SELECT requested_group FROM confirms WHERE canonical_id = ?), requested_seq", mplp.CanonicalID("confirm", id))
	return s
}

// DueConfirms lists ids, the longest overdue first.
func (r *reader) DueConfirms(now time.Time, limit int) ([]string, error) {
	return r.strings(`SELECT confirm_id FROM confirms WHERE status = 'pending' AND inbox_order <= $1
		ORDER BY inbox_order, confirm_id LIMIT $2`, now.UnixMicro(), limit)
}

// byAge is the order of decisions, the oldest first.
var byAge = keyset{list: "a", table: "confirms", order: "decided_order"}

// PrunableConfirms lists ids, the longest decided first.
func (r *reader) PrunableConfirms(decidedBefore time.Time, p domain.Page) (ids []string, next string, err error) {
	w := &listQuery{keyset: byAge}
	w.useIndex("status <> 'pending'")
	w.where("COALESCE(c.decided_at, c.received_at) < ?", decidedBefore.UnixMicro())
	w.where("COALESCE(p.status, '') NOT IN ('proposed', 'approved', 'in_progress')")
	const joins = "JOIN confirm_contents t ON t.requested_seq = c.requested_seq LEFT JOIN plans p ON p.plan_id = c.plan_id"
	scan := func(rows driver.Row) (old domain.Confirm, err error) {
		err = rows.Scan(&old.ID, &old.DecidedSeq)
		return old, err
	}
	list, next, err := readListPage(r, w, p, "c.confirm_id, c.decided_order", joins, scan, nil,
		func(c domain.Confirm) position { return position{order: c.DecidedSeq} })
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids, next, err
}

func (r *reader) NextDeadline() (deadline time.Time, err error) {
	err = r.Row(fmt.Sprintf(`SELECT expires_at FROM confirms WHERE status = 'pending' AND inbox_order < %d
		ORDER BY inbox_order LIMIT 1`, withoutDeadline), nil, moment(&deadline))
	if err == domain.ErrNotFound {
		return time.Time{}, nil
	}
	return deadline, err
}

func (x *tx) InsertConfirm(c *domain.Confirm, content *domain.ConfirmContent) error {
	insert := confirms.insert
	if c.Fresh {
		insert = confirms.insertNew
	}
	if err := insert(x, c); err != nil {
		return err
	}
	content.RequestedSeq = c.RequestedSeq
	if err := confirmContents.insertNew(x, content); err != nil {
		return err
	}
	var counts []string
	if !c.Imported && c.Status == domain.Pending {
		counts = append(counts, pendingType(c.TargetType), pendingOf(c.RequestedBy))
	}
	if c.ApprovalKey != "" && c.SessionID != "" {
		counts = append(counts, countApprovals+c.SessionID)
	}
	x.Count(1, counts...)
	return x.index(c, content)
}

func (x *tx) FinishConfirm(c *domain.Confirm) error {
	if err := finishConfirm.update(x, c, domain.ErrConflict, c.RequestedSeq); err != nil {
		return err
	}
	if !c.Imported { // those were never counted
		x.Count(-1, pendingType(c.TargetType), pendingOf(c.RequestedBy))
	}
	return nil
}
