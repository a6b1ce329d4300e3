package store

import (
	"context"
	"errors"
	"fmt"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// recordWrite notes that a row of the table had some values and has others now; nil
// before it was inserted, and after it was removed. A row that the log does not prove
// is not written over.
func (x *tx) recordWrite(s *schema, before, after []any) error {
	if !s.isLogged() {
		return nil
	}
	was, err := s.digest(before)
	if err != nil {
		return err
	}
	is, err := s.digest(after)
	if err != nil {
		return err
	}
	if before != nil {
		read, err := newClaim(s, before)
		if err == nil {
			err = x.prove(read)
		}
		if err != nil {
			return err
		}
	}
	x.changesAccess(s)
	key := after
	if after == nil {
		key = before
	}
	x.AddRow(evidence.Row{Table: s.name, Key: evidence.RowKey(key[:s.keys]), Digest: is, Before: was})
	return nil
}

// digest is the digest of a row's values; nil without any.
func (s *schema) digest(values []any) ([]byte, error) {
	if values == nil {
		return nil, nil
	}
	digest, err := evidence.RowDigest(s.columns, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return digest[:], nil
}

// logged are all tables that the log covers.
var logged = []*schema{
	&roles.schema, &users.schema, &userRoles.schema, &keys.schema, &keyRoles.schema,
	&contexts.schema, &plans.schema, &planContents.schema, &consumptions.schema, &traces.schema,
	&confirms.schema, &confirmContents.schema, &decisions.schema, &confirmRoles.schema, &destinations.schema, &policies.schema,
}

// Rows calls fn for every row that the log must account for, with its digest
// as it is stored now. All of it is one snapshot.
func (db *DB) Rows(ctx context.Context, fn func(table, key string, digest []byte) error) error {
	return db.view(ctx, func(r *reader) error {
		for _, s := range logged {
			digester := evidence.NewDigester(s.columns)
			err := driver.ScannerOf(r.Conn.Conn).Scan("SELECT "+s.columnList("")+" FROM "+s.name, func(v []evidence.Value) error {
				digest := digester.Digest(v)
				return fn(s.name, string(evidence.AppendKey(nil, v[:s.keys])), digest[:])
			})
			if err := errors.Join(ctx.Err(), err); err != nil {
				return err
			}
		}
		return nil
	})
}
