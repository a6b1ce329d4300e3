package store

import (
	"context"
	"errors"
	"fmt"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Audit tells a verification everything that a database holds, and gives the
// newest checkpoint in it. It changes nothing, whether a server runs or not. An
// error says that the database could not be read; what is read and wrong is
// told to the audit. After ErrChanged a new audit is to be told again.
func Audit(ctx context.Context, db string, a *evidence.Audit) (signed string, err error) {
	d, err := dialectOf(db)
	if err != nil {
		return "", err
	}
	c, err := openConn(ctx, d, audits)
	if err == nil {
		defer func() { _ = c.close() }() // it only read
		signed, err = auditOver(ctx, c, a)
	}
	if damaged(err) {
		a.Part().Found("database: the file is damaged: %v", err)
		return signed, nil
	}
	if err != nil {
		return "", fmt.Errorf("database %s: %w", d.label(), err)
	}
	return signed, nil
}

// auditOver trusts nothing of what it read if that has changed meanwhile, neither
// that it is damaged.
func auditOver(ctx context.Context, c *conn, a *evidence.Audit) (signed string, err error) {
	signed, err = audit(ctx, &reader{c: c}, a)
	if changed(c.session) {
		return "", ErrChanged
	}
	return signed, err
}

// ErrSchema says that a database is not of this program's schema.
var ErrSchema = errors.New("it is not of this program's schema: run countersign migrate")

func audit(ctx context.Context, r *reader, a *evidence.Audit) (signed string, err error) {
	scanners, release, err := r.c.dialect.scanners(ctx, r)
	if err != nil {
		return "", err
	}
	defer release()
	applied, err := appliedMigrations(r.c)
	if err != nil {
		return "", err
	}
	if len(applied) != len(r.c.dialect.migrations()) || compatible(r.c.dialect, applied) != nil {
		return "", ErrSchema
	}
	return tell(ctx, r, scanners, a)
}

// tell tells an audit everything, in the transaction that is open, and reads what
// there is much of over all scanners, which must see the same.
func tell(ctx context.Context, r *reader, scanners []scanner, a *evidence.Audit) (signed string, err error) {
	if signed, err = r.head(); err != nil {
		return "", err
	}
	for _, tell := range []func(context.Context, *evidence.Part) error{r.auditSchema, r.auditHead} {
		if err := tell(ctx, a.Part()); err != nil {
			return signed, err
		}
	}
	handovers, err := r.handovers()
	if err != nil {
		return signed, err
	}
	for _, h := range handovers {
		a.Handover(h)
	}
	t := &telling{dialect: r.c.dialect, audit: a, history: domain.NewHistory(), logTold: make(chan struct{})}
	a.Watch(t.history.Entry)
	if err := t.plan(r); err != nil {
		return signed, err
	}
	return signed, t.run(ctx, scanners)
}

// auditHead holds the number beside the checkpoint to the one in it.
func (r *reader) auditHead(_ context.Context, p *evidence.Part) error {
	return r.c.each("SELECT size, checkpoint FROM log_head", nil, func(rows row) error {
		var size int64
		var signed string
		if err := rows.Scan(&size, &signed); err != nil {
			return err
		}
		if c, err := evidence.PeekCheckpoint(signed); err == nil && c.Size != size {
			p.Found("checkpoint: the column size does not repeat it")
		}
		return nil
	})
}
