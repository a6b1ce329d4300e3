package store

import (
	"strings"

	"countersign/domain"
)

// The orders in which confirms are listed. Each has an index of its own.
var (
	byDeadline = keyset{"i", "c.inbox_order", "c.confirm_id", false}
	byDecision = keyset{"d", "c.decided_order", "c.confirm_id", true}
	byReceipt  = keyset{"r", "c.received_at", "c.confirm_id", true}
)

// decisionsListed are the columns of the latest decision without its actions,
// which stand last and are large.
var decisionsListed = shape{columns: decisions.columns[:len(decisions.columns)-1]}

var selectConfirmRows = "SELECT " + confirms.list("c.") + ", COALESCE(p.title, x.title), t.reason, t.tools, " + decisionsListed.list("d.") + `
	FROM confirms c
	LEFT JOIN plans p ON p.plan_id = c.plan_id AND c.target_type = 'plan'
	LEFT JOIN contexts x ON x.context_id = c.target_id AND c.target_type = 'context' AND c.target_hash IS NOT NULL
	LEFT JOIN confirm_contents t ON t.confirm_id = c.confirm_id
	LEFT JOIN decisions d ON d.confirm_id = c.confirm_id
		AND d.number = (SELECT MAX(number) FROM decisions WHERE confirm_id = c.confirm_id) `

// Confirms lists pending confirms in the inbox's order, decided ones by the
// time of their decision, the latest first, and both together by receipt, the
// newest first.
func (r *reader) Confirms(f domain.ConfirmFilter, p domain.Page) ([]*domain.ConfirmRow, string, error) {
	q, order, err := confirmQuery(f)
	if err != nil {
		return nil, "", err
	}
	rest, err := q.page(p, order)
	if err != nil {
		return nil, "", err
	}
	var list []*domain.ConfirmRow
	err = r.c.each(selectConfirmRows+rest, q.args, func(rows row) error {
		row := new(domain.ConfirmRow)
		list = append(list, row)
		return scanConfirmRow(rows, row)
	})
	if err != nil {
		return nil, "", confirms.wrap("list", err)
	}
	list, next := cut(list, p, func(c *domain.ConfirmRow) string { return order.cursor(position(order, &c.Confirm), c.ID) })
	return list, next, nil
}

// confirmQuery is the conditions of a filter and the order of its list.
// Statuses that an index depends on stand in the text: the database chooses
// its indexes before it knows the arguments.
func confirmQuery(f domain.ConfirmFilter) (*query, keyset, error) {
	q := new(query)
	order := byReceipt
	switch {
	case f.Mine || f.Status == domain.Pending:
		q.and("c.status = 'pending'")
		order = byDeadline
	case f.Decided || f.Status != "":
		q.and("c.status <> 'pending'")
		q.equal("c.status", string(f.Status))
		order = byDecision
	}
	if f.NewestFirst {
		order = byReceipt
	}
	if f.Mine || !f.WithImports {
		q.and("c.imported = 0")
	}
	q.equal("c.target_type", string(f.TargetType))
	q.equal("c.target_id", f.TargetID)
	q.equal("c.step_id", f.StepID)
	q.equal("c.plan_id", f.PlanID)
	q.equal("c.trace_id", f.TraceID)
	q.equal("c.session_id", f.SessionID)
	q.equal("c.requested_by_role", f.RequestedByRole)
	if f.ChangedSince != nil {
		q.and("(c.requested_seq >= ? OR c.decided_seq >= ?)", *f.ChangedSince, *f.ChangedSince)
	}
	q.visible(f.Visible)
	if f.Mine {
		q.decidable(f.Decider)
	}
	return q, order, q.search(f.Query)
}

// visible narrows to what the reader may see.
func (q *query) visible(v domain.Visibility) {
	switch {
	case v.All:
	case v.Decides:
		q.and("(c.requested_group = ? OR "+requires(len(v.Roles))+")", append([]any{string(v.Group)}, roleArgs(v)...)...)
	default:
		q.and("c.requested_group = ?", string(v.Group))
	}
}

// decidable narrows to what the decider may decide. Without a group their own
// group's confirms are among them: that is self-approval.
func (q *query) decidable(v domain.Visibility) {
	q.and("c.locked = 0")
	if v.Group != "" {
		q.and("c.requested_group <> ?", string(v.Group))
	}
	q.and(requires(len(v.Roles)), roleArgs(v)...)
}

// requires holds for confirms that require no role, or one of n roles.
func requires(n int) string {
	if n == 0 {
		return "c.required_role IS NULL"
	}
	return "(c.required_role IS NULL OR c.required_role IN (?" + strings.Repeat(", ?", n-1) + "))"
}

func roleArgs(v domain.Visibility) []any {
	args := make([]any, len(v.Roles))
	for i, role := range v.Roles {
		args[i] = role
	}
	return args
}

func scanConfirmRow(rows row, row *domain.ConfirmRow) error {
	var d domain.Decision
	dest := append(confirms.dest(&row.Confirm), text(&row.Title), text(&row.Reason), list(&row.Tools))
	dest = append(dest, decisions.dest(&d)[:len(decisionsListed.columns)]...)
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	if d.ID != "" {
		row.Decision = &d
	}
	return nil
}

// position is the confirm's number in the order, as the schema computes it.
func position(k keyset, c *domain.Confirm) int64 {
	switch k {
	case byDeadline:
		if c.ExpiresAt.IsZero() {
			return c.ReceivedAt.UnixMicro() + 1<<62
		}
		return c.ExpiresAt.UnixMicro()
	case byDecision:
		if !c.DecidedAt.IsZero() {
			return c.DecidedAt.UnixMicro()
		}
	}
	return c.ReceivedAt.UnixMicro()
}
