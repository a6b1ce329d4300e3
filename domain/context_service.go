package domain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// Context returns a context. Needs context.read or context.modify. A key sees its own
// group's and, if it may decide, all.
func (s *Service) Context(ctx context.Context, ref Ref, id string) (c *Context, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		c, err = visibleContext(r, p, id)
		return err
	})
	return c, err
}

func visibleContext(r Reader, p *Principal, id string) (*Context, error) {
	c, err := r.Context(id)
	if err != nil {
		return nil, notFoundOr(err, "context")
	}
	if c.Group != p.Group && !p.contextVisibility().All {
		return nil, errNotFound("context")
	}
	return c, p.requireAny(ContextRead, ContextModify)
}

func (c *Context) isVisibleTo(p *Principal) bool {
	return c.Group == p.Group || p.Kind != KindAgent || p.canDecide()
}

// isVisibleInPlan reports whether the principal may see this context beside a plan:
// those who decide on plans may, but a plan's poster may name any context.
func (c *Context) isVisibleInPlan(p *Principal) bool {
	return c.Group == p.Group || p.contextVisibility().All || p.confirmVisibility().All
}

// Contexts lists the contexts that the reader may see, newest first. Without
// context.read or context.modify it is empty.
func (s *Service) Contexts(ctx context.Context, ref Ref, page Page) (list []*Context, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, next, err = r.Contexts(ContextFilter{Visible: p.contextVisibility()}, page)
		return err
	})
	return list, next, err
}

// ContextRow is a context as lists show it, without its JSON.
type ContextRow struct {
	Context
	Summary Excerpt
}

// ContextRows is Contexts for lists.
func (s *Service) ContextRows(ctx context.Context, ref Ref, page Page) (list []*ContextRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		next, err = eachContext(r, p, page, func(c *Context) {
			row := &ContextRow{Context: *c}
			if summary, ok := mplp.Member(c.Native, "summary"); ok {
				var text string
				_ = json.Unmarshal(summary, &text) // null leaves it empty
				row.Summary = NewExcerpt(text, MaxExcerpt)
			}
			row.Native = nil
			list = append(list, row)
		})
		return err
	})
	return list, next, err
}

// eachContext reads a page of contexts with only a few in memory at a time.
func eachContext(r Reader, p *Principal, page Page, fn func(*Context)) (next string, err error) {
	part := Page{Cursor: page.Cursor, Limit: cmp.Or(page.Limit, DefaultPage), Bytes: MaxPageBytes}
	for {
		contexts, next, err := r.Contexts(ContextFilter{Visible: p.contextVisibility()}, part)
		for _, c := range contexts {
			fn(c)
		}
		part.Cursor, part.Limit = next, part.Limit-len(contexts)
		if err != nil || next == "" || part.Limit == 0 {
			return next, err
		}
	}
}

// contextVisibility says which contexts the principal sees in lists: none that it could
// not read one by one.
func (p *Principal) contextVisibility() Visibility {
	if !p.CanReadContexts() {
		return Visibility{}
	}
	return Visibility{All: p.Kind != KindAgent || p.canDecide(), Group: p.Group}
}

// CreateContext stores a context. Needs context.modify.
func (s *Service) CreateContext(ctx context.Context, ref Ref, in *mplp.Context) (c *Context, err error) {
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(ContextModify); err != nil {
			return err
		}
		now := s.clock()
		c = &Context{ID: in.ID, RequestedBy: p.Ref, Group: p.Group, CreatedAt: now, UpdatedAt: now}
		if c.ID == "" {
			if c.ID, err = s.newID(); err != nil {
				return err
			}
		} else if _, err := tx.Context(c.ID); err == nil {
			return refuse(CodeIDTaken, "There already is a context with the id %s.", c.ID)
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		c.fill(in)
		if err := tx.InsertContext(c); err != nil {
			return conflictOr(err, "context")
		}
		return s.log(tx, p, evidence.Entry{Type: "context.created", ObjectID: c.ID, Data: data("title", c.Title, "status", c.Status, "requested_group", c.Group)})
	})
	return c, err
}

// UpdateContext replaces a context. Needs context.modify, and role.modify too to lock
// or unlock it.
func (s *Service) UpdateContext(ctx context.Context, ref Ref, id string, in *mplp.Context) (c *Context, err error) {
	if in.ID != "" && in.ID != id {
		return nil, Invalid("context_id", "const", "You cannot change the id of a context.")
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if c, err = visibleContext(tx, p, id); err != nil {
			return err
		}
		if err := p.require(ContextModify); err != nil {
			return err
		}
		if c.Locked {
			if !mplp.DiffersOnlyIn("governance", c.Native, in.Native) {
				return refuse(CodeLocked, "The context is locked. You can change only its governance.")
			}
			if err := p.require(RoleModify); err != nil {
				return err
			}
		}
		c.UpdatedAt = s.clock()
		c.fill(in)
		if err := tx.UpdateContext(c); err != nil {
			return err
		}
		return s.log(tx, p, evidence.Entry{Type: "context.modified", ObjectID: c.ID, Data: data("title", c.Title, "status", c.Status)})
	})
	return c, err
}

func (c *Context) fill(in *mplp.Context) {
	c.Title, c.Status, c.OwnerRole, c.Locked = in.Title, in.Status, in.OwnerRole, in.Locked
	if c.Status == "" {
		c.Status = mplp.DraftContext
	}
	c.Native = mplp.CompleteContext(in.Native, c.ID, c.CreatedAt, c.UpdatedAt)
}

// ContextsJSON is Contexts for the JSON interface.
func (s *Service) ContextsJSON(ctx context.Context, ref Ref, page Page) (list [][]byte, next string, err error) {
	contexts, next, err := s.Contexts(ctx, ref, page)
	for _, c := range contexts {
		list = append(list, c.Native)
	}
	return list, next, err
}
