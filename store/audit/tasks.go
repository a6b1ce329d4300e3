package audit

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// run reads a database for an audit, in tasks that run concurrently, one on each
// scanner.
type run struct {
	driver    driver.Driver
	audit     *evidence.Audit
	tasks     []task
	isLogRead chan struct{} // closed once the log was read: everything else is compared with it
}

// task reads a part of the database. It may wait for tasks before it.
type task func(ctx context.Context, s driver.Scanner) error

// do runs the tasks. Scanners take them in order, so a task that is waited for has
// begun.
func (t *run) do(ctx context.Context, scanners []driver.Scanner) error {
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

// await waits for another task.
func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// LogColumns are the columns of an entry.
var LogColumns = []string{"seq", "entry", "hash", "type", "confirm_id", "plan_id", "object_id", "trace_id"}

// addTasks makes the tasks: first the log, the pages of the file and the tables that the
// log does not cover, then what the log covers, then the indexes of the latter.
func (t *run) addTasks(s *driver.Session, records Records) error {
	indexes, err := t.driver.Indexes(s.Conn)
	if err != nil {
		return err
	}
	whole := func(table string, columns []string) *tableScan {
		w := &tableScan{name: table, columns: columns, isRead: make(chan struct{})}
		if known := indexes[table]; known != nil {
			w.whole = known.Whole
			for _, i := range known.Indexes {
				w.indexes = append(w.indexes, &index{Index: i})
			}
			delete(indexes, table)
		}
		return w
	}
	tables := []*tableScan{whole("log", LogColumns)}
	rows := []task{t.hashes()}
	for _, known := range records.Tables {
		table := whole(known.Name, known.Columns)
		tables = append(tables, table)
		rows = append(rows, t.rows(table, known.Keys))
	}
	for _, check := range records.Checks {
		rows = append(rows, t.check(check))
	}
	t.tasks = append(t.tasks, t.log(tables[0]), t.files())
	for _, name := range slices.Sorted(maps.Keys(indexes)) {
		if table := whole(name, nil); len(table.indexes) > 0 {
			t.tasks = append(t.tasks, t.uncoveredTable(table))
		}
	}
	t.tasks = append(t.tasks, rows...)
	for _, table := range tables {
		for _, index := range table.indexes {
			t.tasks = append(t.tasks, t.index(table, index))
		}
	}
	return nil
}

// storedTables returns the tables as a database with fewer migrations has them. Columns
// that are yet to be added are in no digest.
func storedTables(s *driver.Session, tables []Table) (list []Table, err error) {
	for _, table := range tables {
		there := map[string]bool{}
		err := s.Query(s.Driver.SQL().Columns, []any{table.Name}, func(rows driver.Row) error {
			var column string
			err := rows.Scan(&column)
			there[column] = true
			return err
		})
		if err != nil {
			return nil, err
		}
		table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(column string) bool { return !there[column] })
		if len(table.Columns) > 0 {
			list = append(list, table)
		}
	}
	return list, nil
}

func (t *run) log(table *tableScan) task {
	return func(_ context.Context, s driver.Scanner) error {
		defer close(t.isLogRead)
		return table.read(s, " ORDER BY seq", func(v []evidence.Value) {
			t.audit.AddEntry(evidence.LogRow{Seq: v[0].Int, Entry: v[1].Bytes, Hash: v[2].Bytes,
				Type: v[3], ConfirmID: v[4], PlanID: v[5], ObjectID: v[6], TraceID: v[7]})
		})
	}
}

func (t *run) files() task {
	part := t.audit.NewPart()
	return func(_ context.Context, s driver.Scanner) error {
		problems, err := t.driver.CheckPages(s)
		for _, problem := range problems {
			part.AddFinding("database: the file is damaged: %s", problem)
		}
		return err
	}
}

// afterLog returns a task that runs once the log was read.
func (t *run) afterLog(fn func(s driver.Scanner) error) task {
	return func(ctx context.Context, s driver.Scanner) error {
		if err := await(ctx, t.isLogRead); err != nil {
			return err
		}
		return fn(s)
	}
}

func (t *run) hashes() task {
	part := t.audit.NewPart()
	return t.afterLog(func(s driver.Scanner) error {
		return s.Scan("SELECT idx, hash FROM log_hashes ORDER BY idx", func(v []evidence.Value) error {
			part.AddNode(v[0].Int, v[1].Bytes)
			return nil
		})
	})
}

// rows reads the rows of a table, and the contents of confirms.
func (t *run) rows(table *tableScan, keys int) task {
	part, digester := t.audit.NewPart(), evidence.NewDigester(table.columns)
	seq, salt, content := slices.Index(table.columns, "requested_seq"), slices.Index(table.columns, "salt"), slices.Index(table.columns, "content")
	return t.afterLog(func(s driver.Scanner) error {
		var key []byte
		return table.read(s, "", func(v []evidence.Value) {
			key = evidence.AppendKey(key[:0], v[:keys])
			part.AddRow(table.name, key, digester.Digest(v))
			if table.name == "confirm_contents" {
				part.AddContent(v[seq].Int, v[salt].Bytes, v[content].Bytes)
			}
		})
	})
}

func (t *run) check(check Check) task {
	part := t.audit.NewPart()
	return t.afterLog(func(s driver.Scanner) error {
		return s.Scan(check.Query, func(v []evidence.Value) error {
			check.Row(part, v)
			return nil
		})
	})
}
