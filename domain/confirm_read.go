package domain

import (
	"context"
	"errors"

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
}

// InboxRow is a confirm of the inbox.
type InboxRow struct {
	*ConfirmRow
	Mine bool // the reader may decide it
}

// Inbox is Confirms and PendingCount at once.
func (s *Service) Inbox(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (*Inbox, error) {
	in := new(Inbox)
	err := s.readSettled(ctx, ref, func(r Reader, p *Principal) (err error) {
		var list []*ConfirmRow
		if list, in.Next, err = s.confirms(r, p, f, page); err != nil {
			return err
		}
		in.Rows = make([]InboxRow, len(list))
		for i, row := range list {
			in.Rows[i] = InboxRow{row, !row.Unproven && s.mayDecide(p, &row.Confirm)}
		}
		in.Pending, err = pendingCount(r, p)
		return err
	})
	return in, err
}

func (s *Service) confirms(r Reader, p *Principal, f ConfirmFilter, page Page) (list []*ConfirmRow, next string, err error) {
	f.Visible = p.visibility()
	if f.Mine {
		if !p.decides() {
			return nil, "", nil
		}
		f.Decider = Visibility{Decides: true, Roles: roleIDs(p.Roles)}
		if s.forbidsOwn(p) {
			f.Decider.Group = p.Group
		}
	}
	return r.Confirms(f, page)
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
func (s *Service) mayDecide(p *Principal, c *Confirm) bool {
	own := s.forbidsOwn(p) && p.Group == c.RequestedGroup
	return p.decides() && !own && c.open() == nil && (c.RequiredRole == "" || p.Holds(c.RequiredRole))
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
