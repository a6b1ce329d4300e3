package store

import (
	"countersign/domain"
)

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
var newestContext = keyset{list: "c", table: "contexts", order: "created_at", tie: "context_id", descending: true}

var updateContext = contexts.change("", 0)

func (r *reader) Context(id string) (*domain.Context, error) {
	return contexts.latest(r, "object_id", id, "WHERE context_id = $1", id)
}

// Contexts lists contexts, the newest first.
func (r *reader) Contexts(f domain.ContextFilter, p domain.Page) ([]*domain.Context, string, error) {
	w := &listQuery{keyset: newestContext}
	w.owned(f.Visible)
	return contexts.listPage(r, w, p, func(c *domain.Context) int { return len(c.Native) }, func(c *domain.Context) position { return position{c.CreatedAt.UnixMicro(), c.ID} })
}

func (x *tx) InsertContext(c *domain.Context) error { return contexts.insert(x, c) }

func (x *tx) UpdateContext(c *domain.Context) error {
	return updateContext.update(x, c, errGone)
}
