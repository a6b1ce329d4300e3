package store

import (
	"context"
	"errors"
	"fmt"

	"countersign/domain/evidence"
	"countersign/store/audit"
	"countersign/store/driver"
)

// Audit reads a whole database for a verification, and returns its newest checkpoint. It
// changes nothing, whether a server runs or not. An error says that the database could
// not be read; what is wrong with it becomes a finding. After ErrChanged the caller
// starts again with a new audit.
func Audit(ctx context.Context, db string, a *evidence.Audit) (signed string, err error) {
	d, err := driverOf(db)
	if err != nil {
		return "", err
	}
	s, err := driver.Open(ctx, d, driver.Admin)
	if err == nil {
		defer func() { _ = s.Close() }() // it only read
		signed, err = audit.Database(ctx, s, auditRecords(a), a)
	}
	if errors.Is(err, driver.ErrDamaged) {
		a.NewPart().AddFinding("database: the file is damaged: %v", err)
		return signed, nil
	}
	if err != nil {
		return "", fmt.Errorf("database %s: %w", d.Name(), err)
	}
	return signed, nil
}
