package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"countersign/domain/evidence"
	"countersign/store/audit"
	"countersign/store/driver"
	"countersign/store/ledger"
	"countersign/store/postgres"
	"countersign/store/sqlite"
)

// moved are all tables but the record of migrations, referenced ones first.
// What proves nothing comes along: nobody has to sign in again, and counts and
// searches go on.
var moved = []*schema{
	&roles.schema, &users.schema, &userRoles.schema, &keys.schema, &keyRoles.schema,
	&contexts.schema, &plans.schema, &planContents.schema, &traces.schema,
	&confirms.schema, &confirmContents.schema, &decisions.schema, &confirmRoles.schema, &consumptions.schema, &destinations.schema, &policies.schema,
	{name: "log", columns: audit.LogColumns},
	{name: "log_hashes", columns: []string{"idx", "hash"}},
	{name: "log_head", columns: []string{"id", "size", "checkpoint"}},
	{name: "log_handovers", columns: []string{"size", "checkpoint"}},
	&sessions.schema, &links.schema, &throttles.schema, &keyUses.schema, &preferences.schema, &facts.schema,
	&deliveries.schema, &destinationHealth.schema, &cursors.schema,
	{name: "volatile_counts", columns: []string{"name", "n"}},
	{name: "volatile_words", columns: []string{"requested_seq", "words"}},
	{name: "volatile_search", columns: []string{"term", "requested_seq"}},
}

// Move copies a SQLite file into an empty PostgreSQL database, with its log as
// it is, in one transaction, and verifies what came out before it commits. The
// signing key beside the file goes where the options say, unless it is there;
// so does the head. The file must not be in use, and is not changed.
func Move(ctx context.Context, file, to string, o Options) (*evidence.Report, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	source, err := holdFile(file)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", file, err)
	}
	defer func() { _ = source.Close() }() // it only read
	target, err := driverOf(to)
	if err != nil {
		return nil, err
	}
	report, err := moveTo(ctx, source, file, target, o)
	if err != nil {
		return nil, fmt.Errorf("move %s to %s: %w", file, target.Name(), err)
	}
	return report, nil
}

// holdFile opens a file that nobody else has open, and keeps it so.
func holdFile(file string) (*driver.Session, error) {
	d := &sqlite.Driver{Path: file}
	alone, err := d.OpenExclusive()
	if err != nil {
		return nil, inUse(err)
	}
	c := &driver.Session{Conn: alone, Driver: d, Mode: driver.Admin}
	applied, err := []Migration(nil), c.Script(d.SQL().Begin)
	if err == nil {
		applied, err = c.Applied()
	}
	if err == nil && !driver.IsCurrent(d, applied) {
		err = ErrSchema
	}
	if err != nil {
		return nil, errors.Join(inUse(err), c.Close())
	}
	return c, nil
}

func inUse(err error) error {
	if errors.Is(err, driver.ErrBusy) {
		return errors.New("it is in use: stop what serves it first")
	}
	return err
}

func moveTo(ctx context.Context, source *driver.Session, file string, target driver.Driver, o Options) (*evidence.Report, error) {
	o.SigningKey, o.Head = KeyFile(target.Name(), o.SigningKey), HeadFile(target.Name(), o.Head)
	key, err := keyToMove(KeyFile(file, ""), o.SigningKey)
	if err != nil {
		return nil, err
	}
	c, err := driver.Open(ctx, target, driver.Admin) // statements take what they take
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }() // what was not committed did not happen
	if server, ok := c.Conn.(*postgres.Conn); ok {
		if err := server.Inspect(driver.ReadWrite); err != nil {
			return nil, err
		}
	}
	if err := migrate(ctx, c, o); err != nil {
		return nil, err
	}
	if err := c.Script(target.SQL().Begin); err != nil {
		return nil, err
	}
	for _, s := range moved {
		if err := moveTable(ctx, source, c, s); err != nil {
			return nil, err
		}
	}
	report, signed, err := verifyMoved(ctx, c, key.VKey(), HeadFile(file, ""))
	if err != nil {
		return nil, err
	}
	made := ledger.CreateKey(o.SigningKey, key)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return nil, fmt.Errorf("signing key: %w", made)
	}
	known, err := c.Commit(true)
	switch {
	case err == nil:
		if err := ledger.WriteHead(o.Head, signed); err != nil {
			return nil, fmt.Errorf("everything was moved, but the head file could not be written, which the next change does: %w", err)
		}
		return report, nil
	case !known:
		return nil, fmt.Errorf("whether it happened is unknown: ask evidence verify: %w", err)
	case made == nil: // a new log must not be signed with the key of this one
		err = errors.Join(err, os.Remove(o.SigningKey))
	}
	return nil, fmt.Errorf("nothing was moved: %w", err)
}

// keyToMove is the key of a file's log. One that is there for the other database
// already must be the same.
func keyToMove(from, to string) (*evidence.SigningKey, error) {
	here, err := ledger.ReadKey(from)
	if err != nil && !errors.Is(err, ledger.ErrNoKey) {
		return nil, err
	}
	there, missing := ledger.ReadKey(to)
	switch {
	case errors.Is(missing, ledger.ErrNoKey):
		return here, err
	case missing != nil:
		return nil, missing
	case err == nil && here.VKey() != there.VKey():
		return nil, fmt.Errorf("%s has another key than %s: a log goes on under its own", to, from)
	}
	return there, nil
}

// moveTable copies the rows of a table into one that must be empty.
func moveTable(ctx context.Context, source, c *driver.Session, s *schema) error {
	var n int64
	if _, err := c.First("SELECT COUNT(*) FROM "+s.name, nil, &n); err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("there are rows in %s: the database must be empty", s.name)
	}
	into, ok := c.Conn.(*postgres.Conn)
	if !ok {
		return errors.New("only a PostgreSQL database can be moved to")
	}
	next, stop := iter.Pull2(rowsOf(source, s))
	defer stop()
	err := into.CopyFrom(ctx, s.name, s.columns, func() ([]any, error) {
		values, err, _ := next()
		return values, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// rowsOf are a table's rows; the last pair may be an error.
func rowsOf(c *driver.Session, s *schema) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		ended := errors.New("nobody wants more")
		err := c.Query(fmt.Sprintf("SELECT %s FROM %s", s.columnList(""), s.name), nil, func(rows driver.Row) error {
			values := make([]any, len(s.columns))
			if err := rows.Scan(driver.Pointers(values)...); err != nil {
				return err
			}
			if !yield(values, nil) {
				return ended
			}
			return nil
		})
		if err != nil && !errors.Is(err, ended) {
			yield(nil, err)
		}
	}
}

// verifyMoved verifies what is about to be committed, as evidence verify does,
// and gives the newest checkpoint.
func verifyMoved(ctx context.Context, c *driver.Session, vkey, headFile string) (*evidence.Report, string, error) {
	a := evidence.NewAudit()
	signed, err := audit.Transaction(ctx, c, auditRecords(a), a)
	if err != nil {
		return nil, "", err
	}
	report := a.Finish(signed, vkey)
	head, err := os.ReadFile(headFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	if len(head) > 0 {
		a.CheckKeptCheckpoint("head file", string(head), vkey, true)
	}
	if err := refusalOf(report); err != nil {
		return nil, "", fmt.Errorf("nothing was moved: %w", err)
	}
	return report, signed, nil
}
