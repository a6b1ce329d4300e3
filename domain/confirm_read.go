package domain

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// sees says whether a principal may see a confirm. A requester always sees its
// own. A user sees all with confirm.approve, confirm.reject or trace.read; a
// key only what it may decide.
func (p *Principal) sees(c *Confirm) bool {
	switch {
	case p.Kind == KindSystem, p.Group == c.RequestedGroup:
		return true
	case p.Kind == KindAgent:
		return p.decides() && (c.RequiredRole == "" || p.Holds(c.RequiredRole))
	}
	return p.CanAny(ConfirmApprove, ConfirmReject, TraceRead)
}

// visibility is sees, for lists.
func (p *Principal) visibility() Visibility {
	if p.Kind == KindAgent {
		return Visibility{Group: p.Group, Decides: p.decides(), Roles: roleIDs(p.Roles)}
	}
	return Visibility{All: p.Kind == KindSystem || p.CanAny(ConfirmApprove, ConfirmReject, TraceRead), Group: p.Group}
}

// Confirms lists the confirms that the reader may see, in the inbox's order:
// the soonest deadline first, then those without one, oldest first. Decided
// ones come latest decision first.
func (s *Service) Confirms(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (list []*ConfirmRow, next string, err error) {
	err = s.readSettled(ctx, ref, func(r Reader, p *Principal) error {
		list, next, err = s.confirms(r, p, f, page)
		return err
	})
	return list, next, err
}

// Inbox is a page of confirms, and how many wait for anybody.
type Inbox struct {
	Rows    []InboxRow
	Next    string // cursor of the next page; empty: this is the last
	Pending int
	Few     bool // some group has more than its rows: see GroupShare
}

// InboxRow is a confirm of the inbox.
type InboxRow struct {
	*ConfirmRow
	Mine bool      // the reader may decide it
	Rest GroupRest // with the last row of a group of which not all are listed
}

// GroupShare is how many requests of one principal group an inbox lists when
// others wait too, so that no agent, and no owner of many, fills it alone. The
// rest is listed under its group.
const GroupShare = 10

// GroupRest is what else waits of a group. Owner is the user whose keys the group
// has, or the only key is Name; neither is known of keys without an owner.
type GroupRest struct {
	Group       Group
	Owner, Name string
	Left        int // 0: not counted; above MaxPage: at least
}

// Inbox is Confirms and PendingCount at once, but that a list of what everybody
// waits for has GroupShare requests of each group.
func (s *Service) Inbox(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (*Inbox, error) {
	in := new(Inbox)
	err := s.readSettled(ctx, ref, func(r Reader, p *Principal) (err error) {
		list, left, next, err := s.shared(r, p, f, page)
		if err != nil {
			return err
		}
		in.Next, in.Few = next, len(left) > 0
		in.Rows = make([]InboxRow, len(list))
		told := map[Group]bool{}
		for i, row := range slices.Backward(list) {
			mine, err := s.mayDecide(r, p, &row.Confirm)
			if err != nil {
				return err
			}
			in.Rows[i] = InboxRow{ConfirmRow: row, Mine: mine && !row.Unproven}
			if n, more := left[row.RequestedGroup]; more && !told[row.RequestedGroup] {
				told[row.RequestedGroup] = true
				if in.Rows[i].Rest, err = groupRest(r, &row.Confirm, n); err != nil {
					return err
				}
			}
		}
		in.Pending, err = pendingCount(r, p)
		return err
	})
	return in, err
}

func (s *Service) confirms(r Reader, p *Principal, f ConfirmFilter, page Page) (list []*ConfirmRow, next string, err error) {
	if f.Mine && !p.decides() {
		return nil, "", nil
	}
	return r.Confirms(s.narrowed(p, f), page)
}

// narrowed is the filter with what the reader may see, and decide.
func (s *Service) narrowed(p *Principal, f ConfirmFilter) ConfirmFilter {
	f.Visible = p.visibility()
	if f.Mine {
		f.Decider = Visibility{Decides: true, Roles: roleIDs(p.Roles)}
		if s.forbidsOwn(p) {
			f.Decider.Group = p.Group
		}
	}
	return f
}

// shared is confirms for an inbox: it says of which groups it does not list all.
// A first page that nobody fills is the same as without shares, and found sooner.
func (s *Service) shared(r Reader, p *Principal, f ConfirmFilter, page Page) (list []*ConfirmRow, left map[Group]int, next string, err error) {
	shares := (f.Mine || f.Status == Pending) && !f.WithImports && f.Group == "" && f.Query == "" &&
		p.visibility().All && (!f.Mine || p.decides())
	if page.Cursor == "" || !shares {
		list, next, err = s.confirms(r, p, f, page)
		if err != nil || !shares || !crowded(list, next, page) {
			return list, nil, next, err
		}
	}
	few, left, after, err := r.ConfirmsByGroup(s.narrowed(p, f), page, GroupShare)
	if err != nil || left != nil {
		return few, left, after, err
	}
	if page.Cursor != "" {
		list, next, err = s.confirms(r, p, f, page)
	}
	return list, nil, next, err
}

// crowded says whether a first page has more than the share of a group, or ends
// before it is full and not all was looked at: what a filter leaves out may be a
// group's too.
func crowded(list []*ConfirmRow, next string, page Page) bool {
	of := map[Group]int{}
	for _, row := range list {
		if of[row.RequestedGroup]++; of[row.RequestedGroup] > GroupShare {
			return true
		}
	}
	return next != "" && len(list) < cmp.Or(page.Limit, DefaultPage)
}

// groupRest names the group of a confirm of which n more wait.
func groupRest(r Reader, c *Confirm, n int) (GroupRest, error) {
	rest := GroupRest{Group: c.RequestedGroup, Left: n}
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

// ConfirmRows finds confirms as lists show them, by their ids, but for their
// decisions. Those that are unknown, or not for the reader to see, are left out.
func (s *Service) ConfirmRows(ctx context.Context, ref Ref, ids []string) (rows map[string]*ConfirmRow, err error) {
	rows = make(map[string]*ConfirmRow, len(ids))
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, err := r.ConfirmRows(ids)
		for _, row := range list {
			if p.sees(&row.Confirm) {
				rows[row.ID] = row
			}
		}
		return err
	})
	return rows, err
}

// mayDecide is what the filter Mine narrows to. It is a mark in a list: which
// decisions there are to make, the confirm's standing says.
func (s *Service) mayDecide(r Reader, p *Principal, c *Confirm) (bool, error) {
	if !p.decides() || c.open() != nil || c.RequiredRole != "" && !p.Holds(c.RequiredRole) {
		return false, nil
	}
	if !s.forbidsOwn(p) {
		return true, nil
	}
	own, err := p.ownRequest(r, c)
	return own == "", err
}

// PendingCount counts the pending confirms that wait for anybody.
func (s *Service) PendingCount(ctx context.Context, ref Ref) (n int, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		n, err = pendingCount(r, p)
		return err
	})
	return n, err
}

func pendingCount(r Reader, p *Principal) (int, error) {
	if !p.visibility().All {
		return 0, nil
	}
	return r.PendingCount(nil)
}

// ConfirmDetail is a confirm with everything a reviewer needs to decide.
type ConfirmDetail struct {
	Confirm      *Confirm
	Stored       *ConfirmContent   // nil: the content has been forgotten
	Content      *evidence.Content // what is hashed; nil with Stored
	Decisions    []*Decision
	Claimed      []mplp.Decision // of an import: what it came with, seen made by nobody here
	Plan         *PlanDetail     // the plan it concerns; nil: none, unknown or not visible
	Context      *Context        // the context it concerns, or its plan's
	Required     *Role           // the role that must decide; nil: any
	Requester    *Role           // the registered role it was requested in
	OwnerName    string          // of the user whose key requested it; empty: a user did, or the key has no owner
	Maker        Group           // who made the key that requested it; empty: nobody did, or a user requested it
	Before       *Confirm        // the one it supersedes
	SupersededBy []string
	Standing     Standing
}

// Standing says what a reader may do with a confirm, and why not.
type Standing struct {
	Approve error   // nil: may approve and edit
	Reject  error   // nil: may reject and request changes
	Cancel  error   // nil: may cancel
	Roles   []*Role // the reader's roles that grant approving or rejecting
	Who     []*Role // every role that may decide this
}

// Confirm finds a confirm with everything about it. An expiry is settled
// before it answers.
func (s *Service) Confirm(ctx context.Context, ref Ref, id string) (detail *ConfirmDetail, err error) {
	err = s.settled(ctx, ref, byID(id), func(r Reader, p *Principal, c *Confirm) error {
		detail, err = s.confirmDetail(r, p, c)
		return err
	})
	return detail, err
}

func (s *Service) confirmDetail(r Reader, p *Principal, c *Confirm) (*ConfirmDetail, error) {
	detail := &ConfirmDetail{Confirm: c}
	stored, err := contentOf(r, c)
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
	if detail.Decisions, err = decisionsOn(r, c); err != nil {
		return nil, err
	}
	if err := s.surroundings(r, p, detail); err != nil {
		return nil, err
	}
	detail.Standing, err = s.standing(r, p, c)
	return detail, err
}

// surroundings loads what else the page shows. What is missing stays nil.
func (s *Service) surroundings(r Reader, p *Principal, detail *ConfirmDetail) (err error) {
	c := detail.Confirm
	if c.PlanID != "" {
		// It may be another group's, and have come after the confirm that names it.
		plan, err := r.Plan(c.PlanID)
		switch {
		case errors.Is(err, ErrNotFound) && c.TargetHash == "":
		case err != nil:
			return c.lost(err)
		case plan.seenBy(p):
			if detail.Plan, err = s.planDetail(r, p, plan); err != nil {
				return err
			}
			target, err := r.Context(plan.ContextID)
			if err == nil && target.around(p) {
				detail.Context = target
			} else if err := orGone(err); err != nil {
				return err
			}
		}
	}
	if c.TargetType == TargetContext && c.TargetHash != "" {
		if detail.Context, err = r.Context(c.TargetID); err != nil {
			return c.lost(err)
		}
	}
	if c.RequiredRole != "" {
		if detail.Required, err = r.Role(c.RequiredRole); orGone(err) != nil {
			return err
		}
	}
	if c.RoleRegistered {
		if detail.Requester, err = findRole(r, c.RequestedByRole); orGone(err) != nil {
			return err
		}
	}
	if c.RequestedBy.Kind == KindAgent {
		if key, err := r.Key(c.RequestedBy.ID); err == nil {
			detail.Maker = key.Maker
		}
	}
	// The group is that of the moment of the request, and names the owner.
	if owner := ParseRef(string(c.RequestedGroup)); c.RequestedBy.Kind == KindAgent && owner.Kind == KindUser {
		user, err := r.User(owner.ID)
		if err != nil {
			return found(err, "owner of the key that asked")
		}
		detail.OwnerName = user.Name
	}
	if c.Supersedes != "" {
		before, err := r.Confirm(c.Supersedes)
		if err == nil && p.sees(before) {
			detail.Before = before
		} else if err := orGone(err); err != nil {
			return err
		}
	}
	detail.SupersededBy, err = r.SupersededBy(c.ID)
	return err
}

// standing works out what the reader may do, by the same rules as deciding.
func (s *Service) standing(r Reader, p *Principal, c *Confirm) (Standing, error) {
	var st Standing
	roles, err := r.Roles()
	if err != nil {
		return st, err
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
	_, st.Approve = s.authority(r, p, c, []Capability{ConfirmApprove}, "")
	_, st.Reject = s.authority(r, p, c, []Capability{ConfirmReject}, "")
	if p.Group != c.RequestedGroup {
		st.Cancel = p.needs(ConfirmReject)
	}
	if ended := c.open(); ended != nil {
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
		st.Approve = s.unchanged()
	}
	if st.Reject == nil {
		st.Reject = s.unchanged()
	}
	if st.Approve == nil {
		st.Approve = c.sameContext(r)
	}
	return st, nil
}

// Undecidable is why the reader may neither approve nor reject, nil if either.
func (st *Standing) Undecidable() error {
	if st.Approve == nil || st.Reject == nil {
		return nil
	}
	return st.Approve
}

func records(decisions []*Decision) (list []mplp.Decision) {
	for _, d := range decisions {
		list = append(list, mplp.Decision{
			ID: d.ID, Status: string(d.Status), DecidedByRole: d.DecidedByRole, DecidedAt: mplp.RenderTime(d.DecidedAt), Reason: d.Reason,
		})
	}
	return list
}
