package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/domain/evidence"
)

// Audit tells a verification everything that a database holds, and gives the
// newest checkpoint in it. It changes nothing, whether a server runs or not. An
// error says that the database could not be read; what is read and wrong is
// told to the audit.
func Audit(ctx context.Context, db string, a *evidence.Audit) (signed string, err error) {
	d, err := dialectOf(db)
	if err != nil {
		return "", err
	}
	c, err := openConn(ctx, d, audits)
	if err == nil {
		defer func() { _ = c.close() }() // it only read
		signed, err = audit(ctx, &reader{c: c}, a)
	}
	if damaged(err) {
		a.Schema("database: the file is damaged: %v", err)
		return signed, nil
	}
	if err != nil {
		return "", fmt.Errorf("database %s: %w", d.label(), err)
	}
	return signed, nil
}

// ErrSchema says that a database is not of this program's schema.
var ErrSchema = errors.New("it is not of this program's schema: run countersign migrate")

func audit(ctx context.Context, r *reader, a *evidence.Audit) (signed string, err error) {
	if err := r.c.begin(ctx, r.c.dialect.words().beginRead); err != nil {
		return "", err
	}
	applied, err := appliedMigrations(r.c)
	if err != nil {
		return "", err
	}
	if len(applied) != len(r.c.dialect.migrations()) || compatible(r.c.dialect, applied) != nil {
		return "", ErrSchema
	}
	wait := checkFiles(ctx, r.c.dialect)
	signed, err = tell(ctx, r, a)
	problems, damage := wait()
	for _, problem := range problems {
		a.Schema("database: the file is damaged: %s", problem)
	}
	return signed, errors.Join(err, damage)
}

// tell tells an audit everything, in the transaction that is open.
func tell(ctx context.Context, r *reader, a *evidence.Audit) (signed string, err error) {
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
	return r.c.each("SELECT size, checkpoint FROM log_head", nil, func(rows row) error {
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

// borrowed is a byte string that is looked at and not kept.
type borrowed []byte

// Scan implements sql.Scanner.
func (b *borrowed) Scan(src any) (err error) {
	*b, err = as[[]byte](src)
	return err
}

func (r *reader) auditLog(_ context.Context, a *evidence.Audit) error {
	return r.c.each("SELECT seq, entry, type, confirm_id, plan_id, object_id, trace_id FROM log ORDER BY seq", nil, func(rows row) error {
		var row evidence.LogRow
		err := rows.Scan(&row.Seq, &row.Entry, &row.Type, &row.ConfirmID, &row.PlanID, &row.ObjectID, &row.TraceID)
		if err == nil {
			a.Entry(row)
		}
		return err
	})
}

func (r *reader) auditHashes(_ context.Context, a *evidence.Audit) error {
	return r.c.each("SELECT idx, hash FROM log_hashes ORDER BY idx", nil, func(rows row) error {
		var index int64
		var hash borrowed
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
	return r.c.each("SELECT COALESCE(confirm_id, ''), salt, content FROM confirm_contents LEFT JOIN confirms USING (requested_seq)", nil, func(rows row) error {
		var id string
		var salt, content borrowed
		err := rows.Scan(&id, &salt, &content)
		if err == nil {
			a.Content(id, salt, content)
		}
		return err
	})
}

func (r *reader) auditDecisions(_ context.Context, a *evidence.Audit) error {
	return r.c.each(`SELECT d.confirm_id, d.seq, d.actions, t.salt, t.content FROM decisions d
		LEFT JOIN confirms c ON c.confirm_id = d.confirm_id LEFT JOIN confirm_contents t ON t.requested_seq = c.requested_seq`, nil, func(rows row) error {
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
