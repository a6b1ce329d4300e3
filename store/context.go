package store

import "countersign/domain"

var contexts = newTable("contexts", 1, func(c *domain.Context) []column {
	return []column{
		{"context_id", text(&c.ID)},
		{"canonical_id", canonical("context", &c.ID)},
		{"title", text(&c.Title)},
		{"status", text(&c.Status)},
		{"owner_role", text(&c.OwnerRole)},
		{"locked", flag(&c.Locked)},
		{"native", blob(&c.Native)},
		{"requested_by", ref(&c.RequestedBy)},
		{"requested_group", text(&c.Group)},
		{"created_at", moment(&c.CreatedAt)},
		{"updated_at", moment(&c.UpdatedAt)},
	}
})

// newestContext lists the newest first.
var newestContext = keyset{"c", "created_at", "context_id", true}

var updateContext = contexts.change("", 0)

func (r *reader) Context(id string) (*domain.Context, error) {
	return contexts.one(r, "WHERE context_id = $1", id)
}

// Contexts lists contexts, the newest first.
func (r *reader) Contexts(f domain.ContextFilter, p domain.Page) ([]*domain.Context, string, error) {
	q := new(query)
	q.owned(f.Visible)
	rest, err := q.page(p, newestContext)
	if err != nil {
		return nil, "", err
	}
	list, err := contexts.all(r, rest, q.args...)
	if err != nil {
		return nil, "", err
	}
	list, next := cut(list, p, func(c *domain.Context) string {
		return newestContext.cursor(c.CreatedAt.UnixMicro(), c.ID)
	})
	return list, next, nil
}

func (x *tx) InsertContext(c *domain.Context) error { return contexts.insert(x, c) }

func (x *tx) UpdateContext(c *domain.Context) error {
	return updateContext.run(x, c, domain.ErrNotFound)
}
