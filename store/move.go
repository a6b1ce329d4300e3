package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"

	"countersign/domain/evidence"
)

// moved are all tables but the record of migrations, referenced ones first.
// What proves nothing comes along: nobody has to sign in again, and counts and
// searches go on.
var moved = []*shape{
	&roles.shape, &users.shape, &userRoles.shape, &keys.shape, &keyRoles.shape,
	&contexts.shape, &plans.shape, &planContents.shape, &traces.shape,
	&confirms.shape, &confirmContents.shape, &decisions.shape, &consumptions.shape,
	{name: "log", columns: logColumns},
	{name: "log_hashes", columns: []string{"idx", "hash"}},
	{name: "log_head", columns: []string{"id", "size", "checkpoint"}},
	{name: "log_handovers", columns: []string{"size", "checkpoint"}},
	&sessions.shape, &links.shape, &throttles.shape, &keyUses.shape, &preferences.shape,
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
	source, err := holdFile(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", file, err)
	}
	defer func() { _ = source.close() }() // it only read
	target, err := dialectOf(to)
	if err != nil {
		return nil, err
	}
	report, err := moveTo(ctx, source, file, target, o)
	if err != nil {
		return nil, fmt.Errorf("move %s to %s: %w", file, target.label(), err)
	}
	return report, nil
}

// holdFile opens a file that nobody else has open, and keeps it so.
func holdFile(ctx context.Context, file string) (*conn, error) {
	d := &sqlite{path: file}
	s, err := d.open(file, url.Values{"_pragma": {
		"locking_mode(EXCLUSIVE)", "busy_timeout(1000)", "trusted_schema(0)", "cache_size(-65536)",
	}})
	if err != nil {
		return nil, inUse(err)
	}
	c := &conn{session: s, dialect: d, use: audits}
	applied, err := []*Migration(nil), c.begin(ctx, d.words().begin)
	if err == nil {
		applied, err = appliedMigrations(c)
	}
	if err == nil && (len(applied) != len(d.migrations()) || compatible(d, applied) != nil) {
		err = ErrSchema
	}
	if err != nil {
		return nil, errors.Join(inUse(err), c.close())
	}
	return c, nil
}

func inUse(err error) error {
	if busy(err) {
		return errors.New("it is in use: stop what serves it first")
	}
	return err
}

func moveTo(ctx context.Context, source *conn, file string, target dialect, o Options) (*evidence.Report, error) {
	o.SigningKey, o.Head = KeyFile(target.label(), o.SigningKey), HeadFile(target.label(), o.Head)
	key, err := keyToMove(KeyFile(file, ""), o.SigningKey)
	if err != nil {
		return nil, err
	}
	c, err := openConn(ctx, target, audits) // statements take what they take
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.close() }() // what was not committed did not happen
	if server, ok := target.(*postgres); ok {
		if err := server.inspect(c.session.(*postgresSession), writes); err != nil {
			return nil, err
		}
	}
	if err := migrate(ctx, c, o); err != nil {
		return nil, err
	}
	if err := c.begin(ctx, target.words().begin); err != nil {
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
	made := writeFile(o.SigningKey, key.Secret()+"\n", false)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return nil, fmt.Errorf("signing key: %w", made)
	}
	known, err := c.commit(true)
	switch {
	case err == nil:
		head := headFile{path: o.Head}
		if err := head.write(signed); err != nil {
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
	here, err := readKey(from)
	if err != nil && !errors.Is(err, errNoKey) {
		return nil, err
	}
	there, missing := readKey(to)
	switch {
	case errors.Is(missing, errNoKey):
		return here, err
	case missing != nil:
		return nil, missing
	case err == nil && here.VKey() != there.VKey():
		return nil, fmt.Errorf("%s has another key than %s: a log goes on under its own", to, from)
	}
	return there, nil
}

// moveTable copies the rows of a table into one that must be empty.
func moveTable(ctx context.Context, source, c *conn, s *shape) error {
	var n int64
	if err := c.row("SELECT COUNT(*) FROM "+s.name, nil, &n); err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("there are rows in %s: the database must be empty", s.name)
	}
	into, ok := c.session.(*postgresSession)
	if !ok {
		return errors.New("only a PostgreSQL database can be moved to")
	}
	next, stop := iter.Pull2(source.rowsOf(s))
	defer stop()
	_, err := into.conn.CopyFrom(ctx, pgx.Identifier{s.name}, s.columns, pgx.CopyFromFunc(func() ([]any, error) {
		values, err, more := next()
		if !more {
			return nil, nil
		}
		return escapedArgs(values), err
	}))
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// rowsOf are a table's rows; the last pair may be an error.
func (c *conn) rowsOf(s *shape) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		ended := errors.New("nobody wants more")
		err := c.each(fmt.Sprintf("SELECT %s FROM %s", s.list(""), s.name), nil, func(rows row) error {
			values := make([]any, len(s.columns))
			if err := rows.Scan(pointers(values)...); err != nil {
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
func verifyMoved(ctx context.Context, c *conn, vkey, headFile string) (*evidence.Report, string, error) {
	a := evidence.NewAudit()
	signed, err := tell(ctx, &reader{c: c}, []scanner{connScanner{c}}, a)
	if err != nil {
		return nil, "", err
	}
	report := a.Finish(signed, vkey)
	head, err := os.ReadFile(headFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	if len(head) > 0 {
		a.Kept("head file", string(head), vkey, true)
	}
	if err := refused(report); err != nil {
		return nil, "", fmt.Errorf("nothing was moved: %w", err)
	}
	return report, signed, nil
}
