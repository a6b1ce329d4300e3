package domain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// Context finds a context. Needs context.read or context.modify; a key sees its
// own group's and, if it may decide, everything.
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
		return nil, found(err, "context")
	}
	if c.Group != p.Group && !p.contexts().All {
		return nil, notFound("context")
	}
	return c, p.needsAny(ContextRead, ContextModify)
}

func (c *Context) seenBy(p *Principal) bool {
	return c.Group == p.Group || p.Kind != KindAgent || p.decides()
}

// around says whether a principal may see what the context of a plan is about:
// whoever decides on plans sees it, and whoever posts one may name any context.
func (c *Context) around(p *Principal) bool {
	return c.Group == p.Group || p.contexts().All || p.visibility().All
}

// Contexts lists the contexts that the reader may see, newest first; without
// context.read and context.modify that is none.
func (s *Service) Contexts(ctx context.Context, ref Ref, page Page) (list []*Context, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		list, next, err = r.Contexts(ContextFilter{Visible: p.contexts()}, page)
		return err
	})
	return list, next, err
}

// ContextRow is a context as lists show it: without what was posted.
type ContextRow struct {
	Context
	Summary Excerpt
}

// ContextRows is Contexts, for lists.
func (s *Service) ContextRows(ctx context.Context, ref Ref, page Page) (list []*ContextRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		next, err = eachContext(r, p, page, func(c *Context) {
			row := &ContextRow{Context: *c}
			if summary, ok := mplp.Member(c.Native, "summary"); ok {
				var text string
				_ = json.Unmarshal(summary, &text) // null is none
				row.Summary = NewExcerpt(text, MaxExcerpt)
			}
			row.Native = nil
			list = append(list, row)
		})
		return err
	})
	return list, next, err
}

// eachContext reads a page of contexts, of which a few are in memory at a time.
func eachContext(r Reader, p *Principal, page Page, fn func(*Context)) (next string, err error) {
	part := Page{Cursor: page.Cursor, Limit: cmp.Or(page.Limit, DefaultPage), Bytes: MaxPageBytes}
	for {
		contexts, next, err := r.Contexts(ContextFilter{Visible: p.contexts()}, part)
		for _, c := range contexts {
			fn(c)
		}
		part.Cursor, part.Limit = next, part.Limit-len(contexts)
		if err != nil || next == "" || part.Limit == 0 {
			return next, err
		}
	}
}

// contexts are those that a principal sees in lists: none that it could not
// read one by one (requirements R-9f).
func (p *Principal) contexts() Visibility {
	if !p.ReadsContexts() {
		return Visibility{}
	}
	return Visibility{All: p.Kind != KindAgent || p.decides(), Group: p.Group}
}

// CreateContext stores a context. Needs context.modify.
func (s *Service) CreateContext(ctx context.Context, ref Ref, in *mplp.Context) (c *Context, err error) {
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.needs(ContextModify); err != nil {
			return err
		}
		now := s.clock()
		c = &Context{ID: in.ID, RequestedBy: p.Ref, Group: p.Group, CreatedAt: now, UpdatedAt: now}
		if c.ID == "" {
			if c.ID, err = s.newID(); err != nil {
				return err
			}
		} else if _, err := tx.Context(c.ID); err == nil {
			return refuse(CodeIDTaken, "There is a context with the id %s already.", c.ID)
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		c.fill(in)
		if err := tx.InsertContext(c); err != nil {
			return taken(err, "context")
		}
		return s.log(tx, p, evidence.Entry{Type: "context.created", ObjectID: c.ID, Data: data("title", c.Title, "status", c.Status, "requested_group", c.Group)})
	})
	return c, err
}

// UpdateContext replaces a context. Needs context.modify, and role.modify too
// to lock or unlock it.
func (s *Service) UpdateContext(ctx context.Context, ref Ref, id string, in *mplp.Context) (c *Context, err error) {
	if in.ID != "" && in.ID != id {
		return nil, Invalid("context_id", "const", "The id of a context does not change.")
	}
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		if c, err = visibleContext(tx, p, id); err != nil {
			return err
		}
		if err := p.needs(ContextModify); err != nil {
			return err
		}
		if c.Locked {
			if !mplp.DiffersOnlyIn("governance", c.Native, in.Native) {
				return refuse(CodeLocked, "The context is locked: only its governance can be changed.")
			}
			if err := p.needs(RoleModify); err != nil {
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

// ContextObjects is Contexts with each as the JSON interface gives it.
func (s *Service) ContextObjects(ctx context.Context, ref Ref, page Page) (list [][]byte, next string, err error) {
	contexts, next, err := s.Contexts(ctx, ref, page)
	for _, c := range contexts {
		list = append(list, c.Native)
	}
	return list, next, err
}
