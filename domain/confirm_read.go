package domain

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// canSee reports whether the principal may see a confirm. Requesters see their own.
// Users see all with confirm.approve, confirm.reject or trace.read; keys only what they
// may decide.
func (p *Principal) canSee(c *Confirm) bool {
	switch {
	case p.Kind == KindSystem, p.Group == c.RequestedGroup:
		return true
	case p.Kind == KindAgent:
		return p.canDecide() && c.Quorum == 0 && (c.RequiredRole == "" || p.Holds(c.RequiredRole))
	}
	return p.CanAny(ConfirmApprove, ConfirmReject, TraceRead)
}

// confirmVisibility is canSee for lists.
func (p *Principal) confirmVisibility() Visibility {
	if p.Kind == KindAgent {
		return Visibility{Group: p.Group, Decides: p.canDecide(), Roles: roleIDs(p.Roles)}
	}
	return Visibility{All: p.Kind == KindSystem || p.CanAny(ConfirmApprove, ConfirmReject, TraceRead), Group: p.Group}
}

// Confirms lists the confirms that the reader may see. Pending ones come by deadline,
// the soonest first, then those without one, oldest first. Decided ones come latest
// decision first.
func (s *Service) Confirms(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (list []*ConfirmRow, next string, err error) {
	err = s.readAfterExpiry(ctx, ref, func(r Reader, p *Principal) error {
		list, next, err = s.listConfirms(r, p, f, page)
		return err
	})
	return list, next, err
}

// Inbox is a page of confirms, and what is pending in all.
type Inbox struct {
	Rows            []InboxRow
	Next            string // cursor of the next page; empty: this is the last
	Pending         PendingConfirms
	HasFoldedGroups bool // some group has more rows than are listed: see MaxPerGroup
}

// InboxRow is a confirm of the inbox.
type InboxRow struct {
	*ConfirmRow
	Mine      bool           // the reader may decide it
	Remainder GroupRemainder // of a group that is not listed in full, with its last row
}

// MaxPerGroup is how many requests of one principal group an inbox lists while others
// wait too, so that no agent and no owner of many fills it alone. The inbox links to
// the rest.
const MaxPerGroup = 10

// GroupRemainder says what else waits of a group. Owner is the user who owns the
// group's keys; Name is the only key of a group without an owner.
type GroupRemainder struct {
	Group       Group
	Owner, Name string
	Count       int // 0: not counted; above MaxPage: at least
}

// Inbox is Confirms and Pending in one snapshot. A list of what anybody may decide
// has at most MaxPerGroup requests of each group.
func (s *Service) Inbox(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (*Inbox, error) {
	in := new(Inbox)
	err := s.readAfterExpiry(ctx, ref, func(r Reader, p *Principal) (err error) {
		list, err := s.cachedInbox(r, p, f, page)
		if err != nil {
			return err
		}
		in.Next, in.HasFoldedGroups = list.next, len(list.left) > 0
		in.Rows = make([]InboxRow, len(list.rows))
		told := map[Group]bool{}
		for i, row := range slices.Backward(list.rows) {
			mine, err := s.canDecideRow(r, p, row)
			if err != nil {
				return err
			}
			in.Rows[i] = InboxRow{ConfirmRow: row, Mine: mine && !row.Unproven}
			if n, more := list.left[row.RequestedGroup]; more && !told[row.RequestedGroup] {
				told[row.RequestedGroup] = true
				if in.Rows[i].Remainder, err = groupRemainder(r, &row.Confirm, n); err != nil {
					return err
				}
			}
		}
		in.Pending, err = s.pending(r, p)
		return err
	})
	return in, err
}

func (s *Service) listConfirms(r Reader, p *Principal, f ConfirmFilter, page Page) (list []*ConfirmRow, next string, err error) {
	if f.Mine && !p.canDecide() {
		return nil, "", nil
	}
	list, next, err = r.Confirms(s.withVisibility(p, f), page)
	s.markUnexpirable(list)
	return list, next, err
}

// markUnexpirable marks pending rows whose deadline has come: that they could not be
// expired means that the database does not keep what is written.
func (s *Service) markUnexpirable(rows []*ConfirmRow) {
	now := s.clock()
	for _, row := range rows {
		if row.IsDue(now) && s.isUnexpirable(row.ID) {
			row.MarkUnproven()
		}
	}
}

// withVisibility adds to the filter what the reader may see, and decide.
func (s *Service) withVisibility(p *Principal, f ConfirmFilter) ConfirmFilter {
	f.Visible = p.confirmVisibility()
	if f.Mine {
		f.Decider = Visibility{Decides: true, Roles: roleIDs(p.Roles), Now: s.clock().Truncate(time.Second)}
		if p.Kind == KindUser {
			f.Decider.Voter = p.Ref.String()
		}
		if s.forbidsSelfApproval(p) {
			f.Decider.Group = p.Group
		}
	}
	return f
}

// listForInbox is listConfirms with at most MaxPerGroup rows of each group; left names
// the groups that have more. The first page is listed plainly first, because that is
// faster and mostly suffices.
func (s *Service) listForInbox(r Reader, p *Principal, f ConfirmFilter, page Page) (list []*ConfirmRow, left map[Group]int, next string, err error) {
	shares := (f.Mine || f.Status == Pending) && !f.WithImports && f.Group == "" && f.Query == "" &&
		p.confirmVisibility().All && (!f.Mine || p.canDecide())
	if page.Cursor == "" || !shares {
		list, next, err = s.listConfirms(r, p, f, page)
		if err != nil || !shares || !needsGrouping(list, next, page) {
			return list, nil, next, err
		}
	}
	few, left, after, err := r.ConfirmsByGroup(s.withVisibility(p, f), page, MaxPerGroup)
	if err != nil || left != nil {
		s.markUnexpirable(few)
		return few, left, after, err
	}
	if page.Cursor != "" {
		list, next, err = s.listConfirms(r, p, f, page)
	}
	return list, nil, next, err
}

// needsGrouping reports whether a first page has too many rows of one group, or was cut
// off by the scan limit, so that a group may have more.
func needsGrouping(list []*ConfirmRow, next string, page Page) bool {
	of := map[Group]int{}
	for _, row := range list {
		if of[row.RequestedGroup]++; of[row.RequestedGroup] > MaxPerGroup {
			return true
		}
	}
	return next != "" && len(list) < cmp.Or(page.Limit, DefaultPage)
}

// groupRemainder names the group of a confirm of which n more wait.
func groupRemainder(r Reader, c *Confirm, n int) (GroupRemainder, error) {
	rest := GroupRemainder{Group: c.RequestedGroup, Count: n}
	switch of := ParseRef(string(c.RequestedGroup)); of.Kind {
	case KindAgent:
		rest.Name = c.RequestedByName
	case KindUser:
		owner, err := r.User(of.ID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return rest, err
		}
		if err == nil {
			rest.Owner = owner.Name
		}
	}
	return rest, nil
}

// ConfirmRowsByID returns the rows of these confirms without decisions. Confirms that
// are unknown, or not visible to the reader, are left out.
func (s *Service) ConfirmRowsByID(ctx context.Context, ref Ref, ids []string) (rows map[string]*ConfirmRow, err error) {
	rows = make(map[string]*ConfirmRow, len(ids))
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, err := r.ConfirmRows(ids)
		s.markUnexpirable(list)
		for _, row := range list {
			if p.canSee(&row.Confirm) {
				rows[row.ID] = row
			}
		}
		return err
	})
	return rows, err
}

// canDecideRow is the filter Mine for one row. DecisionRights says which decisions are
// allowed.
func (s *Service) canDecideRow(r Reader, p *Principal, row *ConfirmRow) (bool, error) {
	c := &row.Confirm
	switch {
	case !p.canDecide() || c.checkDecidable() != nil:
		return false, nil
	case c.Quorum > 0:
		if p.Kind != KindUser || row.Voting == nil || !row.Voting.waitsFor(p, s.clock()) {
			return false, nil
		}
	case c.RequiredRole != "" && !p.Holds(c.RequiredRole):
		return false, nil
	case !s.forbidsSelfApproval(p):
		return true, nil
	}
	own, err := p.ownRequestReason(r, c)
	return own == "", err
}

// PendingConfirms is what every page says of what is pending.
type PendingConfirms struct {
	All int // 0 for readers who do not see all
	// Mine are those that the reader may decide, the newest first. More than MaxPage
	// stand for any number.
	Mine []WaitingConfirm
}

// WaitingConfirm names a confirm that waits.
type WaitingConfirm struct {
	Seq int64 // of the log entry that requested it
	ID  string
}

// Pending returns how many confirms are pending, and which of them wait for the reader.
func (s *Service) Pending(ctx context.Context, ref Ref) (pending PendingConfirms, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		pending, err = s.pending(r, p)
		return err
	})
	return pending, err
}

func (s *Service) pending(r Reader, p *Principal) (pending PendingConfirms, err error) {
	if p.confirmVisibility().All {
		if pending.All, err = r.PendingCount(nil); err != nil {
			return pending, err
		}
	}
	if p.canDecide() {
		pending.Mine, err = r.WaitingConfirms(s.withVisibility(p, ConfirmFilter{Mine: true}).Decider, s.clock(), MaxPage+1)
	}
	return pending, err
}

// ConfirmDetail is a confirm with everything that a reviewer needs to decide.
type ConfirmDetail struct {
	Confirm      *Confirm
	Stored       *ConfirmContent   // nil: the content has been forgotten
	Content      *evidence.Content // what is hashed; nil with Stored
	Decisions    []*Decision
	Claimed      []mplp.Decision // that an import came with; not made on this server
	Plan         *PlanDetail     // the plan it concerns; nil: none, unknown or not visible
	Context      *Context        // the context it concerns, or its plan's
	Required     *Role           // the role that must decide; nil: any
	Requester    *Role           // the registered role it was requested in
	OwnerName    string          // of the user who owns the key that requested it, if any
	KeyCreator   Group           // who created the key that requested it, if any
	Predecessor  *Confirm        // the one it supersedes
	SupersededBy []string
	Rights       DecisionRights
	Voting       *ConfirmVoting // nil: one decision ends it
	Told         *Told          // which destinations were told that it waits; nil: it does not, or there are none
}

// DecisionRights says what a reader may do with a confirm. Errors say why not.
type DecisionRights struct {
	Approve error   // nil: may approve and edit
	Reject  error   // nil: may reject and request changes
	Cancel  error   // nil: may cancel
	Roles   []*Role // the reader's roles that grant approving or rejecting
	Who     []*Role // every role that may decide this
}

// Confirm returns a confirm with its details. It is expired first if it is due.
func (s *Service) Confirm(ctx context.Context, ref Ref, id string) (detail *ConfirmDetail, err error) {
	err = s.readConfirm(ctx, ref, byID(id), func(r Reader, p *Principal, c *Confirm) error {
		detail, err = s.confirmDetail(r, p, c)
		return err
	})
	return detail, err
}

func (s *Service) confirmDetail(r Reader, p *Principal, c *Confirm) (*ConfirmDetail, error) {
	detail := &ConfirmDetail{Confirm: c}
	stored, err := loadContent(r, c)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if err == nil {
		detail.Stored = stored
		if detail.Content, err = evidence.ParseContent(stored.Content); err != nil {
			return nil, err
		}
		if c.Imported {
			if detail.Claimed, err = mplp.ClaimedDecisions(stored.objectOf(detail.Content)); err != nil {
				return nil, err
			}
		}
	}
	if detail.Decisions, err = loadDecisions(r, c); err != nil {
		return nil, err
	}
	if err := s.loadRelated(r, p, detail); err != nil {
		return nil, err
	}
	if detail.Told, err = told(r, c); err != nil {
		return nil, err
	}
	if detail.Voting, err = votingDetail(r, p, c, detail.Content); err != nil {
		return nil, err
	}
	detail.Rights, err = s.decisionRights(r, p, c, detail.Content)
	return detail, err
}

// loadRelated loads what else the page shows. What is missing stays nil.
func (s *Service) loadRelated(r Reader, p *Principal, detail *ConfirmDetail) (err error) {
	c := detail.Confirm
	if c.PlanID != "" {
		// The plan may be another group's, and be newer than the confirm that names it.
		plan, err := r.Plan(c.PlanID)
		switch {
		case errors.Is(err, ErrNotFound) && c.TargetHash == "":
		case err != nil:
			return c.missingAsUnproven(err)
		case plan.isVisibleTo(p):
			if detail.Plan, err = s.planDetail(r, p, plan); err != nil {
				return err
			}
			target, err := r.Context(plan.ContextID)
			if err == nil && target.isVisibleInPlan(p) {
				detail.Context = target
			} else if err := ignoreNotFound(err); err != nil {
				return err
			}
		}
	}
	if c.TargetType == TargetContext && c.TargetHash != "" {
		if detail.Context, err = r.Context(c.TargetID); err != nil {
			return c.missingAsUnproven(err)
		}
	}
	if c.RequiredRole != "" {
		if detail.Required, err = r.Role(c.RequiredRole); ignoreNotFound(err) != nil {
			return err
		}
	}
	if c.RoleRegistered {
		if detail.Requester, err = findRole(r, c.RequestedByRole); ignoreNotFound(err) != nil {
			return err
		}
	}
	if c.RequestedBy.Kind == KindAgent {
		if key, err := r.Key(c.RequestedBy.ID); err == nil {
			detail.KeyCreator = key.CreatedBy
		}
	}
	// The group, fixed when it was requested, names the owner.
	if owner := ParseRef(string(c.RequestedGroup)); c.RequestedBy.Kind == KindAgent && owner.Kind == KindUser {
		user, err := r.User(owner.ID)
		if err != nil {
			return notFoundOr(err, "owner of the key that asked")
		}
		detail.OwnerName = user.Name
	}
	if c.Supersedes != "" {
		before, err := r.Confirm(c.Supersedes)
		if err == nil && p.canSee(before) {
			detail.Predecessor = before
		} else if err := ignoreNotFound(err); err != nil {
			return err
		}
	}
	detail.SupersededBy, err = r.SupersededBy(c.ID)
	return err
}

// decisionRights computes what the reader may do, by the same rules as Decide.
func (s *Service) decisionRights(r Reader, p *Principal, c *Confirm, content *evidence.Content) (st DecisionRights, err error) {
	if c.Quorum > 0 && !c.IsFinal() && content != nil {
		err = s.votingRights(r, p, c, content, &st)
	} else {
		err = s.singleRights(r, p, c, &st)
	}
	if err != nil {
		return st, err
	}
	if p.Group != c.RequestedGroup {
		st.Cancel = p.require(ConfirmReject)
	}
	if ended := c.checkDecidable(); ended != nil {
		if st.Approve == nil {
			st.Approve = ended
		}
		if st.Reject == nil {
			st.Reject = ended
		}
		if ended.Code != CodeLocked {
			st.Cancel = ended
		}
	}
	if st.Approve == nil {
		st.Approve = s.checkNotTampered()
	}
	if st.Reject == nil {
		st.Reject = s.checkNotTampered()
	}
	if st.Approve == nil {
		st.Approve = c.checkContextUnchanged(r)
	}
	return st, nil
}

// singleRights are the rights where one decision ends the confirm.
func (s *Service) singleRights(r Reader, p *Principal, c *Confirm, st *DecisionRights) error {
	roles, err := r.Roles()
	if err != nil {
		return err
	}
	may := func(role *Role) bool { return role.Grants(ConfirmApprove) || role.Grants(ConfirmReject) }
	for _, role := range roles {
		if c.RequiredRole != "" && role.ID == c.RequiredRole || c.RequiredRole == "" && may(role) {
			st.Who = append(st.Who, role)
		}
	}
	for _, role := range p.Roles {
		if may(role) && (c.RequiredRole == "" || c.RequiredRole == role.ID) {
			st.Roles = append(st.Roles, role)
		}
	}
	_, st.Approve = s.authorizeDecision(r, p, c, []Capability{ConfirmApprove}, "")
	_, st.Reject = s.authorizeDecision(r, p, c, []Capability{ConfirmReject}, "")
	return nil
}

// CannotDecide returns why the reader may neither approve nor reject, nil if they may
// do either.
func (st *DecisionRights) CannotDecide() error {
	if st.Approve == nil || st.Reject == nil {
		return nil
	}
	return st.Approve
}

func decisionRecords(decisions []*Decision) (list []mplp.Decision) {
	for _, d := range decisions {
		list = append(list, mplp.Decision{
			ID: d.ID, Status: string(d.Status), DecidedByRole: d.DecidedByRole, DecidedAt: mplp.RenderTime(d.DecidedAt), Reason: d.Reason,
		})
	}
	return list
}
