package store

import (
	"context"

	"countersign/domain/evidence"
)

// auditSchema compares what the database is made of with what this program
// makes with the migrations that were applied to it: a trigger that somebody added could change rows behind its back.
func (r *reader) auditSchema(ctx context.Context, p *evidence.Part) error {
	applied, err := appliedMigrations(r.c)
	if err != nil {
		return err
	}
	want, err := r.c.dialect.freshSchema(ctx, len(applied))
	if err != nil {
		return err
	}
	got, err := r.c.dialect.schema(r, want)
	if err != nil {
		return err
	}
	for name, text := range got {
		if made, known := want[name]; !known || made != text {
			p.Found("%s: it is not this program's", name)
		}
	}
	for name := range want {
		if _, there := got[name]; !there {
			p.Found("%s: it is missing", name)
		}
	}
	return nil
}

// described are the rows of a query for names and texts.
func (r *reader) described(text string, args ...any) (map[string]string, error) {
	made := map[string]string{}
	err := r.c.each(text, args, func(rows row) error {
		var name, text string
		err := rows.Scan(&name, &text)
		made[name] = text
		return err
	})
	return made, err
}
