package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"countersign/domain"
	"countersign/domain/evidence"
)

// scanner reads what there is much of. It belongs to one goroutine at a time.
type scanner interface {
	// scan runs a query and calls fn for every row with its values, which it may
	// not keep.
	scan(text string, fn func([]evidence.Value) error) error
}

// telling tells an audit what is stored, in tasks that run side by side, one on
// each scanner.
type telling struct {
	dialect dialect
	audit   *evidence.Audit
	history *domain.History
	tasks   []task
	logTold chan struct{} // closed once the log has been told, which all else is held to
}

// task is a part of what is told. It may wait for tasks before it.
type task func(ctx context.Context, s scanner) error

// run does the tasks. A scanner takes them in their order, so that what a task
// waits for is being done.
func (t *telling) run(ctx context.Context, scanners []scanner) error {
	group, ctx := errgroup.WithContext(ctx)
	tasks := make(chan task, len(t.tasks))
	for _, task := range t.tasks {
		tasks <- task
	}
	close(tasks)
	for _, s := range scanners {
		group.Go(func() error {
			for task := range tasks {
				if err := task(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// await waits for what another task does.
func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// logColumns are what an entry is stored in.
var logColumns = []string{"seq", "entry", "hash", "type", "confirm_id", "plan_id", "object_id", "trace_id"}

// plan makes the tasks: the log; beside it the pages of the file, and tables that
// it does not cover; and then what it accounts for, with the indexes over that.
func (t *telling) plan(r *reader) error {
	indexes, err := t.dialect.indexes(r)
	if err != nil {
		return err
	}
	whole := func(table string, columns []string) *wholeTable {
		w := &wholeTable{name: table, columns: columns, told: make(chan struct{})}
		if known := indexes[table]; known != nil {
			w.indexed = *known
			delete(indexes, table)
		}
		return w
	}
	tables := []*wholeTable{whole("log", logColumns)}
	rows := []task{t.hashes()}
	shapes, err := r.storedShapes()
	if err != nil {
		return err
	}
	for _, s := range shapes {
		table := whole(s.name, s.columns)
		tables = append(tables, table)
		rows = append(rows, t.rows(table, s))
	}
	t.tasks = append(t.tasks, t.log(tables[0]), t.files())
	for _, name := range slices.Sorted(maps.Keys(indexes)) {
		if table := whole(name, nil); len(table.indexes) > 0 {
			t.tasks = append(t.tasks, t.apart(table))
		}
	}
	t.tasks = append(append(t.tasks, rows...), t.columns(), t.decisions(), t.plans())
	for _, table := range tables {
		for _, index := range table.indexes {
			t.tasks = append(t.tasks, t.index(table, index))
		}
	}
	return nil
}

// storedShapes are the tables that the log covers. Where migrations are missing
// they are as the database has them: what is yet to come is in no digest.
func (r *reader) storedShapes() ([]*shape, error) {
	applied, err := appliedMigrations(r.c)
	if err != nil || len(applied) >= len(r.c.dialect.migrations()) {
		return logged, err
	}
	var list []*shape
	for _, s := range logged {
		there, err := r.strings(r.c.dialect.words().columns, s.name)
		if err != nil {
			return nil, err
		}
		old := *s
		old.columns = slices.DeleteFunc(slices.Clone(s.columns), func(column string) bool { return !slices.Contains(there, column) })
		if len(old.columns) > 0 {
			list = append(list, &old)
		}
	}
	return list, nil
}

func (t *telling) log(table *wholeTable) task {
	return func(_ context.Context, s scanner) error {
		defer close(t.logTold)
		return table.read(s, " ORDER BY seq", func(v []evidence.Value) {
			t.audit.Entry(evidence.LogRow{Seq: v[0].Int, Entry: v[1].Bytes, Hash: v[2].Bytes,
				Type: v[3], ConfirmID: v[4], PlanID: v[5], ObjectID: v[6], TraceID: v[7]})
		})
	}
}

func (t *telling) files() task {
	part := t.audit.Part()
	return func(_ context.Context, s scanner) error {
		problems, err := t.dialect.check(s)
		for _, problem := range problems {
			part.Found("database: the file is damaged: %s", problem)
		}
		return err
	}
}

func (t *telling) hashes() task {
	part := t.audit.Part()
	return func(ctx context.Context, s scanner) error {
		if err := await(ctx, t.logTold); err != nil {
			return err
		}
		return s.scan("SELECT idx, hash FROM log_hashes ORDER BY idx", func(v []evidence.Value) error {
			part.Node(v[0].Int, v[1].Bytes)
			return nil
		})
	}
}

// rows tells of the rows of a table, and of the contents where they are.
func (t *telling) rows(table *wholeTable, s *shape) task {
	part, digester := t.audit.Part(), evidence.NewDigester(s.columns)
	seq, salt, content := slices.Index(s.columns, "requested_seq"), slices.Index(s.columns, "salt"), slices.Index(s.columns, "content")
	return func(ctx context.Context, sc scanner) error {
		if err := await(ctx, t.logTold); err != nil {
			return err
		}
		var key []byte
		return table.read(sc, "", func(v []evidence.Value) {
			key = appendKey(key[:0], v[:s.keys])
			part.Row(s.name, key, digester.Digest(v))
			if s.name == confirmContents.name {
				part.Content(v[seq].Int, v[salt].Bytes, v[content].Bytes)
			}
		})
	}
}

func (t *telling) decisions() task {
	part := t.audit.Part()
	return func(ctx context.Context, s scanner) error {
		if err := await(ctx, t.logTold); err != nil {
			return err
		}
		return s.scan(`SELECT c.confirm_id, d.seq, d.actions, t.salt, t.content FROM decisions d
			LEFT JOIN confirms c USING (requested_seq) LEFT JOIN confirm_contents t USING (requested_seq)`, func(v []evidence.Value) error {
			d := evidence.Decided{ConfirmID: string(v[0].Bytes), Seq: v[1].Int, Salt: v[3].Bytes, Content: v[4].Bytes}
			if v[2].Kind != evidence.Null && json.Unmarshal(v[2].Bytes, &d.Actions) != nil {
				part.Found("confirm %s: its decision cannot be read", d.ConfirmID)
				return nil
			}
			part.Decision(d)
			return nil
		})
	}
}
