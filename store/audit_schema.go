package store

import (
	"context"
	"errors"
	"sync"

	"countersign/domain/evidence"
)

// auditSchema compares what the database is made of with what this program
// makes: a trigger that somebody added could change rows behind its back.
func (r *reader) auditSchema(ctx context.Context, a *evidence.Audit) error {
	want, err := r.c.dialect.freshSchema(ctx)
	if err != nil {
		return err
	}
	got, err := r.c.dialect.schema(r, want)
	if err != nil {
		return err
	}
	for name, text := range got {
		if made, known := want[name]; !known || made != text {
			a.Schema("%s: it is not this program's", name)
		}
	}
	for name := range want {
		if _, there := got[name]; !there {
			a.Schema("%s: it is missing", name)
		}
	}
	return nil
}

// checkFiles has the database look for damage in its own pages and indexes, on
// a connection of its own while the rest is verified. What it returns waits for
// the end.
func checkFiles(ctx context.Context, d dialect) (wait func() (problems []string, err error)) {
	var checking sync.WaitGroup
	var problems []string
	var failed error
	checking.Go(func() {
		c, err := openConn(ctx, d, audits)
		if err != nil {
			failed = err
			return
		}
		problems, err = d.check(&reader{c: c})
		failed = errors.Join(err, c.close())
	})
	return func() ([]string, error) {
		checking.Wait()
		return problems, failed
	}
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
