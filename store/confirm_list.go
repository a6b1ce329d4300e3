package store

import (
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/domain/mplp"
)

// The orders in which confirms are listed.
var (
	byDeadline = keyset{list: "i", table: "confirms", order: "inbox_order", tie: "confirm_id"}
	byDecision = keyset{list: "d", table: "confirms", order: "decided_order", descending: true}
	byReceipt  = keyset{list: "r", table: "confirms", order: "requested_seq", descending: true}
)

// Lists leave out what they do not need: each column of each row costs. What is
// derived is never read, and the actions and the texts of a decision are large.
var (
	confirmsListed  = confirms.without("canonical_id")
	decisionsListed = decisions.without("actions", "reason", "user_edit_content")
)

const (
	joinTitles = `LEFT JOIN plans p ON p.plan_id = c.plan_id AND c.target_type = 'plan' AND c.target_hash IS NOT NULL
	LEFT JOIN contexts x ON x.context_id = c.target_id AND c.target_type = 'context' AND c.target_hash IS NOT NULL
	LEFT JOIN confirm_contents t ON t.requested_seq = c.requested_seq`
	joinDecisions = `
	LEFT JOIN decisions d ON d.requested_seq = c.requested_seq
		AND d.number = (SELECT MAX(number) FROM decisions WHERE requested_seq = c.requested_seq)`
)

// longTitle is how many characters of a title a row has: those that were stored
// before titles had a limit may have millions.
const longTitle = 4 << 10

// rowsOf is what to read for the rows of a walk, and into what. Of a reason, which
// may fill a body, a row has no more than a list shows.
func rowsOf(w *walk, bare bool) (columns, joins string, into target[*domain.ConfirmRow]) {
	listed, d := new(domain.ConfirmRow), new(domain.Decision)
	var title, reason string
	columns, into.dest = confirmsListed.list("c."), confirmsListed.dest(&listed.Confirm)
	if !bare {
		columns, joins = columns+", COALESCE(p.title, x.title), t.reason, t.tools", joinTitles
		into.dest = append(into.dest, text(&title), text(&reason), list(&listed.Tools))
	}
	if w.keyset != byDeadline { // what is pending has no decision
		columns, joins = columns+", "+decisionsListed.list("d."), joins+joinDecisions
		into.dest = append(into.dest, decisionsListed.dest(d)...)
	}
	into.take = func() *domain.ConfirmRow {
		taken := *listed
		taken.Title = domain.NewExcerpt(title, longTitle).String()
		taken.Reason = domain.NewExcerpt(reason, domain.MaxExcerpt)
		if d.ID != "" {
			decision := *d
			taken.Decision = &decision
		}
		return &taken
	}
	return columns, joins, into
}

// Confirms lists pending confirms in the inbox's order, and others, and those of
// a session, by receipt, the newest first. Only the decided ones that nothing but
// their target's type narrows come by their decision, the latest first: along no
// other index are they found in that order.
func (r *reader) Confirms(f domain.ConfirmFilter, p domain.Page) ([]*domain.ConfirmRow, string, error) {
	return recalledConfirms(r, f, p, func() ([]*domain.ConfirmRow, string, error) {
		w, err := r.confirmWalk(f)
		if err != nil {
			return nil, "", err
		}
		columns, joins, into := rowsOf(w, f.Bare)
		return walkPage(r, w, p, columns, joins, into,
			func(row *domain.ConfirmRow) place { return position(w.keyset, &row.Confirm) })
	})
}

// ConfirmRows finds confirms along the index of canonical ids.
func (r *reader) ConfirmRows(ids []string) (found []*domain.ConfirmRow, err error) {
	columns, joins, into := rowsOf(&walk{keyset: byDeadline}, false)
	for some := range slices.Chunk(ids, manyRows) {
		canonical := make([]string, len(some))
		for i, id := range some {
			canonical[i] = mplp.CanonicalID("confirm", id)
		}
		s := new(statement)
		s.add("SELECT " + columns + " FROM confirms c " + joins)
		s.where([]condition{among("c.canonical_id", canonical)})
		err := r.c.each(s.String(), s.args, func(rows row) error {
			if err := rows.Scan(into.dest...); err != nil {
				return err
			}
			if row := into.take(); slices.Contains(some, row.ID) {
				found = append(found, row)
			}
			return nil
		})
		if err != nil {
			return nil, confirms.wrap("read", err)
		}
	}
	return found, nil
}

// confirmWalk chooses the index for a filter, the most telling first; what is
// left is looked for in each row. Conditions of an index stand in the text: the
// database chooses before it knows the values.
func (r *reader) confirmWalk(f domain.ConfirmFilter) (*walk, error) {
	words, err := searchWords(f.Query)
	if err != nil {
		return nil, err
	}
	w := &walk{keyset: byReceipt}
	pending := f.Mine || f.Status == domain.Pending
	switch {
	case pending && f.SessionID != "":
		w.lead("session_id = ? AND decided_seq = 0", f.SessionID)
		w.and("c.status = 'pending'")
		if f.Mine || !f.WithImports {
			w.and("c.imported = 0")
		}
	case pending && f.Group != "":
		w.keyset = byDeadline
		w.lead("status = 'pending' AND imported = 0 AND requested_group = ?", string(f.Group))
	case pending && f.WithImports && !f.Mine:
		w.keyset = byDeadline
		w.lead("status = 'pending'")
	case pending:
		w.keyset = byDeadline
		w.lead(fmt.Sprintf("status = 'pending' AND inbox_order < %d", behind+withoutDeadline))
	case f.ChangedSince != nil:
		w.changed(f.SessionID, *f.ChangedSince)
	}
	var hits []condition
	if len(words) > 0 && !w.led() {
		var few bool
		if hits, few, err = r.lookup(words[0]); err != nil {
			return nil, err
		}
		if few {
			w.hits = hits
		}
	}
	w.equal("plan_id", f.PlanID)
	w.equal("trace_id", f.TraceID)
	w.equal("session_id", f.SessionID)
	w.equal("target_id", f.TargetID)
	w.visible(f.Visible)
	switch {
	case w.led():
	case hits != nil:
		w.hits = hits
	case f.RequestedByRole != "":
		for _, term := range terms(1, f.RequestedByRole) {
			w.hits = termHits(term)
		}
	}
	if !pending {
		w.settled(f)
	}
	w.contain(words)
	w.aside("c.target_type", string(f.TargetType))
	w.aside("c.step_id", f.StepID)
	w.aside("c.requested_by_role", f.RequestedByRole)
	if f.Mine {
		w.decidable(f.Decider)
	}
	return w, nil
}

// settled narrows to decided confirms, if those are asked for, and leads along
// them if nothing else does.
func (w *walk) settled(f domain.ConfirmFilter) {
	switch decided := f.Decided || f.Status != ""; {
	case decided && w.led():
		w.and("c.status <> 'pending'")
	case decided && f.TargetType != "" && f.TargetType != domain.TargetOther:
		w.keyset = byDecision
		w.lead("status <> 'pending' AND target_type <> 'other' AND target_type = ?", string(f.TargetType))
	case decided:
		w.keyset = byDecision
		w.lead("status <> 'pending'")
	}
	w.aside("c.status", string(f.Status))
	if !f.WithImports {
		w.and("c.imported = 0")
	}
}

// changed leads along what was requested or decided at a log number or later.
func (w *walk) changed(session string, seq int64) {
	const requested = "SELECT requested_seq FROM confirms WHERE session_id = ? AND requested_seq >= ?"
	// The sum keeps the database from looking for the latest to be requested.
	const decided = "SELECT requested_seq + 0 FROM confirms WHERE session_id = ? AND status <> 'pending' AND decided_seq >= ?"
	w.hits = append(w.hits, condition{requested, []any{session, seq}}, condition{decided, []any{session, seq}})
}

// visible narrows to what the reader may see.
func (w *walk) visible(v domain.Visibility) {
	switch {
	case v.All:
	case v.Decides:
		may := requires(v.Roles)
		w.and("(c.requested_group = ? OR "+may.text+")", append([]any{string(v.Group)}, may.values...)...)
	default:
		w.only("requested_group", string(v.Group))
	}
}

// decidable narrows to what the decider may decide. Without a group their own
// group's confirms are among them: that is self-approval.
func (w *walk) decidable(v domain.Visibility) {
	w.and("c.locked = 0")
	if v.Group != "" {
		w.and("c.requested_group <> ?", string(v.Group))
	}
	w.beside = append(w.beside, requires(v.Roles))
}

// requires holds for confirms that require no role, or one of these.
func requires(roles []string) condition {
	if len(roles) == 0 {
		return condition{"c.required_role IS NULL", nil}
	}
	one := among("c.required_role", roles)
	return condition{"(c.required_role IS NULL OR " + one.text + ")", one.values}
}

// Where the inbox's order has what does not expire, and how far behind all else
// it has imports.
const (
	withoutDeadline = 1 << 62
	behind          = 1 << 61
)

// position is the confirm's place in the order, as the schema computes it.
func position(k keyset, c *domain.Confirm) place {
	switch {
	case k == byDeadline:
		order := c.ExpiresAt.UnixMicro()
		if c.ExpiresAt.IsZero() {
			order = c.ReceivedAt.UnixMicro() + withoutDeadline
		}
		if c.Imported {
			order += behind
		}
		return place{order, c.ID}
	case k == byDecision && c.DecidedSeq != 0:
		return place{order: c.DecidedSeq}
	}
	return place{order: c.RequestedSeq}
}
