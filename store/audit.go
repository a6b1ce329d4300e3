package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"countersign/domain/evidence"
)

// Audit tells a verification everything that a database file holds, and gives
// the newest checkpoint in it. It changes nothing, whether a server runs or
// not. An error says that the file could not be read; what is read and wrong
// is told to the audit.
func Audit(ctx context.Context, path string, a *evidence.Audit) (signed string, err error) {
	name, clean, err := readOnly(path)
	if err != nil {
		return "", fmt.Errorf("database %s: %w", path, err)
	}
	defer clean()
	pool, err := sql.Open("sqlite", name)
	if err != nil {
		return "", err
	}
	defer func() { _ = pool.Close() }() // it only read
	pool.SetMaxOpenConns(1)
	c, err := openConn(ctx, pool)
	if err == nil {
		defer func() { _ = c.close() }()
		signed, err = audit(ctx, &reader{c: c}, a)
	}
	if damaged(err) {
		a.Schema("database: the file is damaged: %v", err)
		return signed, nil
	}
	if err != nil {
		return "", fmt.Errorf("database %s: %w", path, err)
	}
	return signed, nil
}

// damaged says whether a file cannot be read because of what is in it.
func damaged(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// readOnly names a database file so that opening it changes nothing. With a
// journal that nobody has open, a reader would have to write beside it, so a
// copy of both is read.
func readOnly(path string) (name string, clean func(), err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return "", nil, err
	}
	there := func(suffix string) bool {
		info, err := os.Stat(path + suffix)
		return err == nil && info.Size() > 0
	}
	dsn := url.URL{Scheme: "file", Path: path}
	settings := url.Values{"_pragma": {"busy_timeout(10000)", "trusted_schema(0)", "query_only(1)", "cache_size(-65536)"}, "mode": {"ro"}}
	clean = func() {}
	switch {
	case !there("-wal") && !there("-journal"):
		settings.Set("immutable", "1")
	case !there("-shm"):
		dir, err := os.MkdirTemp("", "countersign-verify-")
		if err != nil {
			return "", nil, err
		}
		clean = func() { _ = os.RemoveAll(dir) }
		for _, suffix := range []string{"", "-wal", "-journal"} {
			if err := copyFile(filepath.Join(dir, "copy.db"+suffix), path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				clean()
				return "", nil, err
			}
		}
		dsn.Path = filepath.Join(dir, "copy.db")
		settings.Del("mode")
	}
	dsn.RawQuery = settings.Encode()
	return dsn.String(), clean, nil
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// ErrSchema says that a database is not of this program's schema.
var ErrSchema = errors.New("it is not of this program's schema: run countersign migrate")

func audit(ctx context.Context, r *reader, a *evidence.Audit) (signed string, err error) {
	if _, err := r.c.exec(sqlBeginRead); err != nil {
		return "", err
	}
	applied, err := appliedMigrations(r.c)
	if err != nil {
		return "", err
	}
	if len(applied) != len(migrations) || compatible(applied) != nil {
		return "", ErrSchema
	}
	if signed, err = r.head(); err != nil {
		return "", err
	}
	for _, tell := range []func(context.Context, *evidence.Audit) error{
		r.auditSchema, r.auditHead, r.auditLog, r.auditHashes, r.auditHandovers, r.auditRows, r.auditContents, r.auditDecisions,
	} {
		if err := errors.Join(ctx.Err(), tell(ctx, a)); err != nil {
			return signed, err
		}
	}
	return signed, nil
}

// auditHead holds the number beside the checkpoint to the one in it.
func (r *reader) auditHead(_ context.Context, a *evidence.Audit) error {
	return r.c.each("SELECT size, checkpoint FROM log_head", nil, func(rows *sql.Rows) error {
		var size int64
		var signed string
		if err := rows.Scan(&size, &signed); err != nil {
			return err
		}
		if c, err := evidence.PeekCheckpoint(signed); err == nil && c.Size != size {
			a.Schema("checkpoint: the column size does not repeat it")
		}
		return nil
	})
}

func (r *reader) auditLog(_ context.Context, a *evidence.Audit) error {
	return r.c.each("SELECT seq, entry, type, confirm_id, plan_id, object_id, trace_id FROM log ORDER BY seq", nil, func(rows *sql.Rows) error {
		var row evidence.LogRow
		err := rows.Scan(&row.Seq, &row.Entry, &row.Type, &row.ConfirmID, &row.PlanID, &row.ObjectID, &row.TraceID)
		if err == nil {
			a.Entry(row)
		}
		return err
	})
}

func (r *reader) auditHashes(_ context.Context, a *evidence.Audit) error {
	return r.c.each("SELECT idx, hash FROM log_hashes ORDER BY idx", nil, func(rows *sql.Rows) error {
		var index int64
		var hash sql.RawBytes
		err := rows.Scan(&index, &hash)
		if err == nil {
			a.Hash(index, hash)
		}
		return err
	})
}

func (r *reader) auditHandovers(_ context.Context, a *evidence.Audit) error {
	list, err := r.handovers()
	for _, h := range list {
		a.Handover(h)
	}
	return err
}

func (r *reader) auditRows(ctx context.Context, a *evidence.Audit) error {
	return r.rows(ctx, func(table, key string, digest []byte) error {
		a.Row(table, key, digest)
		return nil
	})
}

func (r *reader) auditContents(_ context.Context, a *evidence.Audit) error {
	return r.c.each("SELECT confirm_id, salt, content FROM confirm_contents", nil, func(rows *sql.Rows) error {
		var id string
		var salt, content sql.RawBytes
		err := rows.Scan(&id, &salt, &content)
		if err == nil {
			a.Content(id, salt, content)
		}
		return err
	})
}

func (r *reader) auditDecisions(_ context.Context, a *evidence.Audit) error {
	return r.c.each(`SELECT d.confirm_id, d.seq, d.actions, t.salt, t.content FROM decisions d
		LEFT JOIN confirm_contents t ON t.confirm_id = d.confirm_id`, nil, func(rows *sql.Rows) error {
		var d evidence.Decided
		var actions sql.NullString
		if err := rows.Scan(&d.ConfirmID, &d.Seq, &actions, &d.Salt, &d.Content); err != nil {
			return err
		}
		if actions.Valid && json.Unmarshal([]byte(actions.String), &d.Actions) != nil {
			a.Schema("confirm %s: its decision cannot be read", d.ConfirmID)
			return nil
		}
		a.Decision(d)
		return nil
	})
}
