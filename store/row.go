package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"countersign/domain/evidence"
)

// errUncovered is a fault of the caller: a row that no entry names could be
// changed later without trace.
var errUncovered = errors.New("rows were written that no log entry covers")

// wrote notes that a row of the table had some values and has others now; nil
// before it was inserted, and after it was removed. A row that the log does not prove
// is not written over.
func (x *tx) wrote(s *shape, before, after []any) error {
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
	x.changedRights(s)
	key := after
	if after == nil {
		key = before
	}
	row := evidence.Row{Table: s.name, Key: rowKey(key[:s.keys]), Digest: is, Before: was}
	i := slices.IndexFunc(x.rows, func(r evidence.Row) bool { return r.Table == row.Table && r.Key == row.Key })
	switch {
	case i < 0:
		x.rows = append(x.rows, row)
	case is == nil && x.rows[i].Before == nil: // inserted and removed under one entry
		x.rows = slices.Delete(x.rows, i, i+1)
	default:
		x.rows[i].Digest = is
	}
	return nil
}

// digest is the digest of a row's values; nil without any.
func (s *shape) digest(values []any) ([]byte, error) {
	if values == nil {
		return nil, nil
	}
	digest, err := evidence.RowDigest(s.columns, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return digest[:], nil
}

// rowKey names a row within its table. No part of a composite key has a slash.
func rowKey(values []any) string {
	var key []byte
	for i, v := range values {
		if i > 0 {
			key = append(key, '/')
		}
		key = fmt.Append(key, v)
	}
	return string(key)
}

// logged are all tables that the log covers.
var logged = []*shape{
	&roles.shape, &users.shape, &userRoles.shape, &keys.shape, &keyRoles.shape,
	&contexts.shape, &plans.shape, &planContents.shape, &consumptions.shape, &traces.shape,
	&confirms.shape, &confirmContents.shape, &decisions.shape,
}

// Rows calls fn for every row that the log must account for, with its digest
// as it is stored now. All of it is one snapshot.
func (db *DB) Rows(ctx context.Context, fn func(table, key string, digest []byte) error) error {
	return db.view(ctx, func(r *reader) error {
		for _, s := range logged {
			digester := evidence.NewDigester(s.columns)
			err := connScanner{r.c}.scan("SELECT "+s.list("")+" FROM "+s.name, func(v []evidence.Value) error {
				digest := digester.Digest(v)
				return fn(s.name, string(appendKey(nil, v[:s.keys])), digest[:])
			})
			if err := errors.Join(ctx.Err(), err); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendKey is rowKey of values as they are read.
func appendKey(key []byte, values []evidence.Value) []byte {
	for i, v := range values {
		if i > 0 {
			key = append(key, '/')
		}
		if v.Kind == evidence.Integer {
			key = strconv.AppendInt(key, v.Int, 10)
		} else {
			key = append(key, v.Bytes...)
		}
	}
	return key
}
