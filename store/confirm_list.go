package store

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/store/driver"
)

// The orders in which confirms are listed.
var (
	byDeadline = keyset{list: "i", table: "confirms", order: "inbox_order", tie: "confirm_id"}
	byDecision = keyset{list: "d", table: "confirms", order: "decided_order", descending: true}
	byReceipt  = keyset{list: "r", table: "confirms", order: "requested_seq", descending: true}
)

// rowsOf completes rows of a list with what is stored beside their confirms. What
// the log does not prove is left empty, and marked.
func (r *reader) rowsOf(list []*domain.ConfirmRow, claims []claim, f domain.ConfirmFilter, withDecisions bool) error {
	proven, err := r.proven(claims)
	if err != nil {
		return err
	}
	var requested []int64
	var planIDs, contextIDs []string
	rows := map[int64]*domain.ConfirmRow{}
	for i, row := range list {
		row.Unproven = !proven[i]
		rows[row.RequestedSeq] = row
		requested = append(requested, row.RequestedSeq)
		switch {
		case row.TargetHash == "":
		case row.TargetType == domain.TargetPlan && row.PlanID != "":
			planIDs = append(planIDs, row.PlanID)
		case row.TargetType == domain.TargetContext:
			contextIDs = append(contextIDs, row.TargetID)
		}
	}
	if f.OmitTexts {
		return nil
	}
	read := map[int64]bool{}
	err = eachOf(r, confirmContents, "requested_seq", requested, func(c *domain.ConfirmContent, isProven bool) {
		row := rows[c.RequestedSeq]
		row.Reason, row.Tools, row.Unproven = domain.NewExcerpt(c.Reason, domain.MaxExcerpt), c.Tools, row.Unproven || !isProven
		if f.WithContents && len(c.Content) <= domain.MaxBriefContent {
			row.Content = c.Content
		}
		read[c.RequestedSeq] = true
	})
	if err != nil {
		return err
	}
	if !withDecisions {
		requested = nil
	}
	err = eachOf(r, decisions, "requested_seq", requested, func(d *domain.Decision, isProven bool) {
		row := rows[d.RequestedSeq]
		d.Actions, d.Reason, d.UserEditContent = nil, "", "" // large, and no list shows them
		if row.Decision == nil || row.Decision.Number < d.Number {
			row.Decision = d
		}
		row.Unproven = row.Unproven || !isProven
	})
	if err != nil {
		return err
	}
	titles, unproven := map[string]string{}, map[string]bool{}
	err = eachOf(r, plans, "plan_id", planIDs, func(p *domain.Plan, isProven bool) {
		titles["plan "+p.ID], unproven["plan "+p.ID] = p.Title, !isProven
	})
	if err != nil {
		return err
	}
	err = eachOf(r, contexts, "context_id", contextIDs, func(c *domain.Context, isProven bool) {
		titles["context "+c.ID], unproven["context "+c.ID] = c.Title, !isProven
	})
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.TargetHash != "" {
			target := string(row.TargetType) + " " + row.TargetID
			if row.TargetType == domain.TargetPlan {
				target = "plan " + row.PlanID
			}
			title, isThere := titles[target]
			isLost := !isThere && (row.TargetType == domain.TargetPlan && row.PlanID != "" || row.TargetType == domain.TargetContext)
			row.Title, row.Unproven = title, row.Unproven || unproven[target] || isLost
		}
		row.Unproven = row.Unproven || row.Status == domain.Pending && !read[row.RequestedSeq] ||
			withDecisions && row.Status != domain.Pending && !row.Imported && row.Decision == nil
		if row.Unproven {
			row.MarkUnproven()
		}
	}
	return nil
}

// fewRows is how many rows with contents are in memory at once: each may be large.
const fewRows = 16

// eachOf reads the rows of a table that have one of the values in a column, and
// reports whether the log proves them.
func eachOf[T any, V any](r *reader, t *table[T], column string, values []V, fn func(v *T, isProven bool)) error {
	for some := range slices.Chunk(values, fewRows) {
		args := make([]any, len(some))
		for i, v := range some {
			args[i] = v
		}
		s := new(statement)
		s.where([]condition{{column + " IN (?" + strings.Repeat(", ?", len(some)-1) + ")", args}})
		list, claims, err := t.claimed(r, s.String(), s.args...)
		if err != nil {
			return t.wrap("read", err)
		}
		proven, err := r.proven(claims)
		if err != nil {
			return err
		}
		for i, v := range list {
			fn(v, proven[i])
		}
	}
	return nil
}

// Confirms lists pending confirms in the inbox's order, and others, and those of
// a session, by receipt, the newest first. Only the decided ones that nothing but
// their target's type narrows come by their decision, the latest first: along no
// other index are they found in that order.
func (r *reader) Confirms(f domain.ConfirmFilter, p domain.Page) ([]*domain.ConfirmRow, string, error) {
	w, err := r.confirmWalk(f)
	if err != nil {
		return nil, "", err
	}
	var claims []claim
	scan := func(rows driver.Row) (*domain.ConfirmRow, error) {
		v := new(domain.ConfirmRow)
		c, err := confirms.scan(rows, &v.Confirm)
		claims = append(claims, c)
		return v, err
	}
	list, next, err := readListPage(r, w, p, confirms.columnList("c."), "", scan, nil,
		func(row *domain.ConfirmRow) position { return positionOf(w.keyset, &row.Confirm) })
	if err == nil {
		err = r.rowsOf(list, claims[:len(list)], f, w.keyset != byDeadline)
	}
	return list, next, err
}

// ConfirmRows finds confirms along the index of canonical ids.
func (r *reader) ConfirmRows(ids []string) (found []*domain.ConfirmRow, err error) {
	canonical := make([]string, len(ids))
	for i, id := range ids {
		canonical[i] = mplp.CanonicalID("confirm", id)
	}
	for some := range slices.Chunk(canonical, driver.MaxRows) {
		s := new(statement)
		s.where([]condition{among("canonical_id", some)})
		list, claims, err := confirms.claimed(r, s.String(), s.args...)
		if err != nil {
			return nil, confirms.wrap("read", err)
		}
		rows, of := []*domain.ConfirmRow(nil), []claim(nil)
		for i, c := range list {
			if slices.Contains(ids, c.ID) {
				rows, of = append(rows, &domain.ConfirmRow{Confirm: *c}), append(of, claims[i])
			}
		}
		if err := r.rowsOf(rows, of, domain.ConfirmFilter{}, false); err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// confirmWalk chooses the index for a filter, the most telling first; what is
// left is looked for in each row. Conditions of an index stand in the text: the
// database chooses before it knows the values.
func (r *reader) confirmWalk(f domain.ConfirmFilter) (*listQuery, error) {
	words, err := searchWords(f.Query)
	if err != nil {
		return nil, err
	}
	w := &listQuery{keyset: byReceipt}
	pending := f.Mine || f.Status == domain.Pending
	switch {
	case pending && f.SessionID != "":
		w.useIndex("session_id = ? AND decided_seq = 0", f.SessionID)
		w.where("c.status = 'pending'")
		if f.Mine || !f.WithImports {
			w.where("c.imported = 0")
		}
	case pending && f.Group != "":
		w.keyset = byDeadline
		w.useIndex("status = 'pending' AND imported = 0 AND requested_group = ?", string(f.Group))
	case pending && f.WithImports && !f.Mine:
		w.keyset = byDeadline
		w.useIndex("status = 'pending'")
	case pending:
		w.keyset = byDeadline
		w.useIndex(fmt.Sprintf("status = 'pending' AND inbox_order < %d", behind+withoutDeadline))
	}
	var hits []condition
	if len(words) > 0 && !w.hasIndex() {
		var few bool
		if hits, few, err = r.lookup(words[0]); err != nil {
			return nil, err
		}
		if few {
			w.candidates = hits
		}
	}
	w.whereIndexedOpt("plan_id", f.PlanID)
	w.whereIndexedOpt("trace_id", f.TraceID)
	w.whereIndexedOpt("session_id", f.SessionID)
	w.whereIndexedOpt("target_id", f.TargetID)
	w.visible(f.Visible)
	switch {
	case w.hasIndex():
	case hits != nil:
		w.candidates = hits
	case f.RequestedByRole != "":
		for _, term := range terms(1, f.RequestedByRole) {
			w.candidates = []condition{hit("volatile_search", "term", term)}
		}
	}
	if !pending {
		w.settled(f)
	}
	w.whereMatches(words)
	w.whereOpt("c.target_type", string(f.TargetType))
	w.whereOpt("c.step_id", f.StepID)
	w.whereOpt("c.requested_by_role", f.RequestedByRole)
	if f.Mine {
		w.decidable(f.Decider)
		w.rowConds = append(w.rowConds, requires(f.Decider))
	}
	return w, nil
}

// settled narrows to decided confirms, if those are asked for, and leads along
// them if nothing else does.
func (w *listQuery) settled(f domain.ConfirmFilter) {
	switch decided := f.Decided || f.Status != ""; {
	case decided && w.hasIndex():
		w.where("c.status <> 'pending'")
	case decided && f.TargetType != "" && f.TargetType != domain.TargetOther:
		w.keyset = byDecision
		w.useIndex("status <> 'pending' AND target_type <> 'other' AND target_type = ?", string(f.TargetType))
	case decided:
		w.keyset = byDecision
		w.useIndex("status <> 'pending'")
	}
	w.whereOpt("c.status", string(f.Status))
	if !f.WithImports {
		w.where("c.imported = 0")
	}
}

// visible narrows to what the reader may see.
func (w *listQuery) visible(v domain.Visibility) {
	switch {
	case v.All:
	case v.Decides:
		may := requires(v)
		w.where("(c.requested_group = ? OR "+may.text+")", append([]any{string(v.Group)}, may.values...)...)
	default:
		w.whereIndexed("requested_group", string(v.Group))
	}
}

// decidable narrows to what the decider may decide, roles aside. Without a group
// their own confirms are among them, and those of keys they made: self-approval.
func (w *listQuery) decidable(v domain.Visibility) {
	w.where("c.locked = 0")
	if v.Group != "" {
		w.where("c.requested_group <> ?", string(v.Group))
		w.where("c.requested_by NOT IN (SELECT 'key:' || key_id FROM keys WHERE made_by = ?)", string(v.Group))
	}
}

// requires holds for confirms that require no role, or one of the decider's, and for those
// with a quorum on which they may vote and have not.
func requires(v domain.Visibility) condition {
	may := condition{"c.quorum IS NULL AND c.required_role IS NULL", nil}
	if len(v.Roles) == 0 {
		return may
	}
	one := among("c.required_role", v.Roles)
	may = condition{"c.quorum IS NULL AND (c.required_role IS NULL OR " + one.text + ")", one.values}
	if v.Voter == "" {
		return condition{"(" + may.text + ")", may.values}
	}
	one = among("e.role_id", v.Roles)
	votes := votable(v)
	return condition{
		"(" + may.text + " OR c.quorum IS NOT NULL AND EXISTS (SELECT 1 FROM confirm_roles e WHERE e.requested_seq = c.requested_seq AND " + one.text + " AND e.from_at <= ?) AND " + votes.text + ")",
		slices.Concat(may.values, one.values, []any{v.Now.UnixMicro()}, votes.values),
	}
}

// votable holds for confirms with a quorum that are not the voter's own, nor of keys that
// they made, and on which they have not voted.
func votable(v domain.Visibility) condition {
	return condition{`c.requested_group <> ? AND c.requested_by NOT IN (SELECT 'key:' || key_id FROM keys WHERE made_by = ?)
		AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.requested_seq = c.requested_seq AND d.decided_by = ?)`, []any{v.Voter, v.Voter, v.Voter}}
}

// Where the inbox's order has what does not expire, and how far behind all else
// it has imports.
const (
	withoutDeadline = 1 << 62
	behind          = 1 << 61
)

// positionOf is the confirm's place in the order, as the schema computes it.
func positionOf(k keyset, c *domain.Confirm) position {
	switch {
	case k == byDeadline:
		order := c.ExpiresAt.UnixMicro()
		if c.ExpiresAt.IsZero() {
			order = c.ReceivedAt.UnixMicro() + withoutDeadline
		}
		if c.Imported {
			order += behind
		}
		return position{order, c.ID}
	case k == byDecision && c.DecidedSeq != 0:
		return position{order: c.DecidedSeq}
	}
	return position{order: c.RequestedSeq}
}
